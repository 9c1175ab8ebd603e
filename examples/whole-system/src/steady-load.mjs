// Puts a gateway, runs of operations and an artifact store under a steady load for a given time. Memory and handles
// must not grow. `--leak` keeps every request and opens a file for it, and must be detected.
import assert from "node:assert/strict";
import { mkdtemp, open, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { openFsArtifactStore } from "@ccl/artifact-store-fs";
import { createGateway } from "@ccl/gateway";
import { openGatewayRecords, openProxy } from "@ccl/gateway/node";
import { createRunEngine, defineProfile, llm, template } from "@ccl/operations";
import { openSqliteOperationStores } from "@ccl/operations/sqlite";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    leak: { type: "boolean", default: false },
  },
});
const durationMs = Number(values.minutes) * 60_000;
// A task every 100 ms leaves a processor mostly idle, since this test is not about queues that grow under overload.
const pauseMs = 100;
const samples = 60;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const folder = await mkdtemp(join(tmpdir(), "ccl-load-"));
const upstream = await startUpstream();
const artifacts = await openFsArtifactStore({
  folder: join(folder, "artifacts"),
  durability: "normal",
  limits: { maxStoreBytes: 32e6, whenFull: "evict" },
});
const records = await openGatewayRecords(folder);
const gateway = createGateway({
  records,
  artifactStore: artifacts,
  mode: "full",
});
const proxy = await openProxy({ gateway, upstream: upstream.url, port: 0 });
const stores = await openSqliteOperationStores({ path: join(folder, "runs.sqlite") });
const model = createOpenAiCompatibleModel({ baseUrl: proxy.url, model: "gpt-5", apiKey: "none" });
const engine = createRunEngine({ mainModel: model, ...stores });
const profile = defineProfile({
  id: "desk",
  operations: {
    tone: template("Answer in one sentence.", { appendTo: "system" }),
    mood: llm("In what mood was this written? {{ main.answer }}", { after: true }),
  },
});

const leaked = [];
const counts = { agents: 0, requests: 0, runs: 0, artifacts: 0 };
const taken = [];
const startedAt = performance.now();
for (let round = 0; performance.now() - startedAt < durationMs; round += 1) {
  await Promise.all([runAgent(round), runTurn(round), useArtifacts(round)]);
  if (round % 20 === 19) {
    await stores.runs.prune({ endedBeforeMs: Date.now() - 5_000, nowMs: Date.now() });
    await artifacts.collectGarbage({ graceMs: 0 });
  }
  if (performance.now() - startedAt > (durationMs * taken.length) / samples) await sample();
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
}

await proxy.close();
await records.close();
await stores.close();
await artifacts.close();
await upstream.close();
await rm(folder, { recursive: true, force: true });
report();

/** An agent of six calls whose tools return 12,000 characters each, no two alike. */
async function runAgent(round) {
  const messages = [{ role: "user", content: `Why does job ${round} fail?` }];
  for (let call = 0; call < 6; call += 1) {
    const body = JSON.stringify({ model: "gpt-5", tools: [{ name: "shell" }], messages });
    if (values.leak) leaked.push(body, await open(new URL(import.meta.url)));
    const response = await fetch(`${proxy.url}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer none" },
      body,
    });
    assert.equal(response.status, 200);
    const { choices } = await response.json();
    counts.requests += 1;
    const id = `call-${round}-${call}`;
    messages.push(
      {
        ...choices[0].message,
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "read_log", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: id, content: logOf(round, call) },
    );
  }
  counts.agents += 1;
}

async function runTurn(round) {
  const chatId = `chat-${Math.floor(round / 20)}`;
  const run = await engine.start({ chatId, message: `Question ${round}?`, profile });
  const { status } = await run.result;
  assert.equal(status, "done");
  counts.runs += 1;
}

async function useArtifacts(round) {
  const sessionId = `session-${round % 50}`;
  const text = logOf(round, 99);
  const { artifactId } = await artifacts.store(text, { source: "load", sessionId });
  const read = await artifacts.retrieve(artifactId, { range: { start: 0, end: 100 } });
  assert.equal(read.length, 100);
  await artifacts.delete(artifactId, { sessionId });
  counts.artifacts += 1;
}

function logOf(round, call) {
  return Array.from(
    { length: 240 },
    (_, at) =>
      `10:${10 + (at % 50)} INFO worker ${(round * 31 + at) % 97}: took job ${round}-${call}-${at * 17}`,
  ).join("\n");
}

async function sample() {
  await collect();
  await new Promise((resolve) => setImmediate(resolve));
  await collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  const files = await readdir("/proc/self/fd").catch(() => []);
  taken.push({
    heapMb: (heapUsed + external) / 1e6,
    rssMb: rss / 1e6,
    handles,
    files: files.length,
  });
  if (taken.length % 6 === 0)
    console.log(
      `${((performance.now() - startedAt) / 60_000).toFixed(1)} min: ${JSON.stringify(counts)} ${shown(taken.at(-1))}`,
    );
}

function shown(each) {
  return Object.entries(each)
    .map(([name, value]) => `${name} ${value.toFixed(1)}`)
    .join(", ");
}

/**
 * Compares the median of the third fifth with that of the last. Before that, the gateway fills its space for sessions.
 */
function report() {
  const fifth = Math.floor(taken.length / 5);
  assert.ok(fifth >= 3, `${taken.length} samples are too few`);
  const median = (part) =>
    Object.fromEntries(
      Object.keys(taken[0]).map((name) => [
        name,
        part.map((each) => each[name]).sort((a, b) => a - b)[Math.floor(part.length / 2)],
      ]),
    );
  const before = median(taken.slice(2 * fifth, 3 * fifth));
  const after = median(taken.slice(-fifth));
  console.log(`third fifth: ${shown(before)}\nlast fifth:  ${shown(after)}`);
  const allowed = {
    heapMb: 2 + before.heapMb * 0.1,
    rssMb: 10 + before.rssMb * 0.1,
    handles: 5,
    files: 5,
  };
  const grown = Object.keys(allowed).filter((name) => after[name] - before[name] > allowed[name]);
  console.log(
    `${values.minutes} minutes, ${JSON.stringify(counts)}: ${grown.length === 0 ? "flat" : `grows: ${grown.join(", ")}`}`,
  );
  process.exit(grown.length === 0 ? 0 : 1);
}

/** A model API that answers and stores nothing. */
async function startUpstream() {
  const server = createServer((request, response) => {
    let isStream = false;
    let text = "";
    request.setEncoding("utf8").on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      isStream = JSON.parse(text).stream === true;
      const usage = { prompt_tokens: 100, completion_tokens: 3, total_tokens: 103 };
      const base = { id: "c", created: 1, model: "gpt-5" };
      if (!isStream) {
        const choices = [
          {
            index: 0,
            finish_reason: "stop",
            message: { role: "assistant", content: "All is well." },
          },
        ];
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ ...base, object: "chat.completion", choices, usage }));
        return;
      }
      response.setHeader("content-type", "text/event-stream");
      const send = (choices) =>
        response.write(
          `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices })}\n\n`,
        );
      send([{ index: 0, delta: { role: "assistant", content: "All is " } }]);
      send([{ index: 0, delta: { content: "well." } }]);
      send([{ index: 0, delta: {}, finish_reason: "stop" }]);
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}
