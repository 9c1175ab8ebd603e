// An agent that reads one file after the other: what its prompts contain, and what they cost, in three ways.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { columns, excerpt, format, heading, paint, say, stopwatch } from "./print.mjs";

const BUDGET = 16_000;
const TASK =
  "Find what happens to a tool call that neither fits its schema nor can be repaired. Change nothing. Answer with the file and the line.";
const QUESTION = "throw ToolCallRepairError, original error";
const FOUND = "throw new ToolCallRepairError({";
// A token that the provider has cached costs a tenth.
const CACHED_PRICE = 0.1;

/** `ccl` is the exports of the packages. */
export async function showLongSession({ folder, counter, ...ccl }) {
  const clock = stopwatch();
  const files = await sources(folder);
  const session = ccl.createSession({ artifactStore: ccl.createMemoryArtifactStore(), counter });
  const compiler = ccl.createContextCompiler({ counter });
  const ways = {
    everything: prompts((history) => history, counter),
    "last messages": prompts((history) => lastThatFit(history, counter), counter),
    CCL: prompts((_, compiled) => compiled, counter),
  };
  const history = [{ role: "user", content: TASK }];
  await session.record("user_input", { content: TASK });
  for (const [at, path] of files.entries()) {
    const text = await readFile(join(folder, path), "utf8");
    const call = { id: `call-${at}`, name: "read_file", arguments: JSON.stringify({ path }) };
    history.push({ role: "assistant", content: "", toolCalls: [call] });
    history.push({ role: "tool", toolCallId: call.id, content: text });
    await session.record("tool_call", {
      callId: call.id,
      name: call.name,
      arguments: call.arguments,
    });
    await session.record("tool_success", { callId: call.id, content: text });
    const compiled = await compiler.compile(session, { budget: BUDGET });
    for (const way of Object.values(ways)) way.add(history, compiled.toMessages());
  }
  heading(
    1,
    "A long session",
    `an agent reads ${files.length} files, at most ${format(BUDGET)} tokens a prompt, in ${clock()}`,
  );
  say(`   ${paint("dim", `"${TASK}"`)}`);
  const highest = Math.max(...ways.everything.sizes);
  for (const [name, { sizes, withTask, price }] of Object.entries(ways)) {
    const isLost = withTask() < sizes.length;
    const task = `the task in ${withTask()} of ${sizes.length} prompts`;
    const colour = isLost ? "red" : name === "CCL" ? "green" : "yellow";
    say(
      `   ${name.padEnd(13)}  ${columns(sizes, highest, colour)} to ${format(Math.max(...sizes))} tokens`,
    );
    say(
      `   ${" ".repeat(13)}  ${isLost ? paint("red", task) : task}; input ${format(price())} tokens, cache counted`,
    );
  }
  assert.equal(ways.CCL.withTask(), files.length, "a prompt has lost the task");
  assert.ok(Math.max(...ways.CCL.sizes) <= BUDGET, "a prompt is above its budget");
  assert.ok(ways["last messages"].withTask() < files.length, "the control has kept the task");
  await findAgain(session, { ...ccl, counter });
}

/** The tool that returns what the prompt no longer shows. */
async function findAgain(session, { createArtifactTools, counter }) {
  const [search] = createArtifactTools({ session, counter });
  const clock = stopwatch();
  const text = await search.execute({ query: QUESTION }, {});
  assert.ok(text.includes(FOUND), "the search did not find the fact");
  heading(
    2,
    "Search a result that was cut",
    `search_artifact("${QUESTION}") gives ${format(counter.count(text))} tokens in ${clock()}`,
  );
  const found = text.split("\n").findIndex((line) => line.includes(FOUND));
  const lines = text.split("\n").slice(0, found + 2);
  excerpt(lines.slice(lines.findLastIndex((line) => line.startsWith("[artifact"))), 16);
}

function prompts(choose, counter) {
  const sizes = [];
  let withTask = 0;
  let price = 0;
  let before = [];
  return {
    sizes,
    withTask: () => withTask,
    price: () => Math.round(price),
    add(history, compiled) {
      const messages = choose(history, compiled);
      const counts = messages.map((message) => tokensOf(message, counter));
      const total = counts.reduce((sum, count) => sum + count, 0);
      const texts = messages.map((message) => JSON.stringify(message));
      const kept = texts.findIndex((text, at) => text !== before[at]);
      const cached = counts
        .slice(0, kept === -1 ? texts.length : kept)
        .reduce((sum, count) => sum + count, 0);
      before = texts;
      sizes.push(total);
      price += total - cached + cached * CACHED_PRICE;
      if (texts.some((text) => text.includes(TASK))) withTask += 1;
    },
  };
}

function lastThatFit(history, counter) {
  let tokens = 0;
  let from = history.length;
  while (from > 0) {
    tokens += tokensOf(history[from - 1], counter);
    if (tokens > BUDGET) break;
    from -= 1;
  }
  while (history[from]?.role === "tool") from += 1;
  return history.slice(from);
}

function tokensOf({ content, toolCalls }, counter) {
  return counter.count(content) + counter.count(toolCalls ? JSON.stringify(toolCalls) : "");
}

/** Files of some folders, in an order in which an agent might read them. */
async function sources(folder) {
  const names = ["error", "util", "generate-text"].map(async (name) =>
    (await readdir(join(folder, "src", name)))
      .filter((file) => file.endsWith(".ts"))
      .toSorted()
      .map((file) => `src/${name}/${file}`),
  );
  return (await Promise.all(names)).flat();
}
