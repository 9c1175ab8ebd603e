// The chat without a browser: two servers over one store, with a model API on loopback. The server that has started an
// answer is killed, and the other one finishes its run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { startTestServer } from "@ccl/providers/testing";
import pg from "pg";

const answer = (text) => ({ type: "answer", text });
const children = [];

/** @returns {Promise<{ child: import("node:child_process").ChildProcess, url: string }>} */
async function startChat(env) {
  const path = new URL("server.mjs", import.meta.url).pathname;
  const child = spawn(process.execPath, [path], {
    env: { PATH: process.env.PATH, PORT: "0", OLLAMA_HOST: "127.0.0.1:9", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, url: line.split(" ")[0] };
}

async function say(url, message) {
  const response = await fetch(`${url}chats/mill`, { method: "POST", body: message });
  assert.equal(response.status, 200, "the server takes a message");
  return response.text();
}

/** The events of a run, until one of them satisfies the caller. */
async function follow(url, runId, isEnough = () => false) {
  const events = [];
  const { body } = await fetch(`${url}runs/${runId}`);
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split("\n\n");
    rest = frames.pop();
    for (const frame of frames)
      if (frame.startsWith("id: ")) events.push(JSON.parse(frame.split("\ndata: ")[1]));
    if (events.some(isEnough)) break;
  }
  return events;
}

async function tellWith(store, name) {
  const upstream = await startTestServer();
  const env = {
    CCL_MODEL: "story-model",
    OPENAI_BASE_URL: upstream.baseUrl("openai"),
    OPENAI_API_KEY: "test",
    ...store,
  };
  const [first, second] = await Promise.all([startChat(env), startChat(env)]);
  const roll = { type: "answer", toolCalls: [{ id: "1", name: "roll", arguments: "{}" }] };
  upstream.enqueue(answer("A wolf."), roll, answer("You miss. The wolf jumps."), answer("A mill."));
  const fight = await follow(first.url, await say(first.url, "I draw my sword."));
  const { result } = fight.at(-1);
  assert.equal(result.status, "done", JSON.stringify(result.failedDetails));
  assert.equal(result.mainLlm.text, "You miss. The wolf jumps.");
  assert.match(JSON.stringify(upstream.calls[1].body), /Roll the dice for each blow/);
  assert.equal(upstream.calls[2].body.messages.at(-1).role, "tool", "the die was rolled");

  upstream.enqueue(answer("Rest."), { type: "hang" });
  const runId = await say(first.url, "I rest.");
  await follow(first.url, runId, ({ type }) => type === "main_llm.started");
  while (upstream.calls.length < 6) await sleep(10);
  const killedAt = performance.now();
  first.child.kill("SIGKILL");
  upstream.enqueue(answer("You sleep. It rains."), answer("Rain."));
  const events = await follow(second.url, runId);
  const seconds = ((performance.now() - killedAt) / 1_000).toFixed(1);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
    "no event is missing or twice",
  );
  assert.equal(events.at(-1).result.mainLlm.text, "You sleep. It rains.");
  const diary = events.at(-1).result.artifacts.find(({ tag }) => tag === "diary");
  assert.deepEqual(diary.value, ["You miss", "You sleep"], "one entry a turn");
  assert.equal(
    upstream.calls.length,
    8,
    "of the killed run only the cut answer is asked for again",
  );
  const turns = await (await fetch(`${second.url}chats/mill`)).json();
  assert.deepEqual(
    turns.map(({ assistantVariants }) => assistantVariants.map(({ content }) => content)),
    [["You miss. The wolf jumps."], ["You sleep. It rains."]],
  );

  const plain = { type: "error", status: 401 };
  upstream.enqueue(plain, plain);
  const failed = (await follow(second.url, await say(second.url, "I wake."))).at(-1);
  assert.equal(failed.failedType, "main_llm");
  const elsewhere = { method: "POST", body: "Hi.", headers: { origin: "http://example.com" } };
  assert.equal((await fetch(`${second.url}chats/mill`, elsewhere)).status, 403);
  second.child.kill();
  await upstream.close();
  console.log(`${name}: killed in an answer, finished by the other server after ${seconds} s`);
  console.log(`  a model that fails: ${failed.failedDetails.errorMessage}`);
}

async function tellWithoutModel() {
  const path = new URL("server.mjs", import.meta.url).pathname;
  const env = { PATH: process.env.PATH, OLLAMA_HOST: "127.0.0.1:9" };
  const child = spawn(process.execPath, [path], { env, stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  const lines = [];
  for await (const line of createInterface(child.stderr)) lines.push(line);
  assert.equal(lines.length, 1, "one sentence");
  assert.match(lines[0], /^No model: set /);
}

/** Calls `tell` with an empty database of the server. */
async function withDatabase(server, tell) {
  const database = `ccl_story_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  try {
    await tell(Object.assign(new URL(server), { pathname: `/${database}` }).href);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.end();
  }
}

const folder = await mkdtemp(join(tmpdir(), "ccl-story-"));
try {
  await tellWithoutModel();
  await tellWith({ STORY_FILE: join(folder, "story.db") }, "SQLite");
  const { CCL_POSTGRES_URL: server } = process.env;
  if (server)
    await withDatabase(server, (url) => tellWith({ CCL_POSTGRES_URL: url }, "PostgreSQL"));
} finally {
  for (const child of children) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
}
