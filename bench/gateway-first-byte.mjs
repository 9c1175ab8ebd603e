// Measures how much later the first byte of an answer arrives through `ccl proxy`, with the clients `openai` and
// `@anthropic-ai/sdk` and a fake API on loopback that streams immediately. Each request is sent directly and through
// the proxy, in turns, while the history grows. `node bench/gateway-first-byte.mjs --data DIR [--tokens 200000]
// [--requests 30] [--mode full]`
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { estimatedCounter } from "../packages/core/dist/index.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: process.env.CCL_BENCH_DATA },
    tokens: { type: "string", default: "200000" },
    requests: { type: "string", default: "30" },
    mode: { type: "string", default: "full" },
  },
});
const load = createRequire(new URL("../packages/gateway/package.json", import.meta.url));
const OpenAI = load("openai").default;
const Anthropic = load("@anthropic-ai/sdk").default;

const chat = [{ choices: [{ index: 0, delta: { content: "Pong" } }] }, { choices: [] }];
const blocks = [
  { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: {} } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Pong" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_stop" },
];
const api = createServer((request, response) => {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = request.url.endsWith("/messages") ? blocks : chat;
    for (const event of events)
      response.write(
        `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`,
      );
    response.end(request.url.endsWith("/messages") ? "" : "data: [DONE]\n\n");
  });
});
api.listen(0, "127.0.0.1");
await once(api, "listening");
const upstream = `http://127.0.0.1:${api.address().port}`;

const state = mkdtempSync(join(tmpdir(), "ccl-first-byte-"));
const cli = new URL("../packages/cli/dist/ccl.js", import.meta.url).pathname;
const proxy = spawn(
  process.execPath,
  [cli, "proxy", "--upstream", upstream, "--port", "0", "--mode", values.mode, "--state", state],
  { stdio: ["ignore", "ignore", "pipe"] },
);
let said = "";
for await (const piece of proxy.stderr) {
  said += piece;
  if (said.includes("Ctrl+C")) break;
}
const through = /http:\/\/127\.0\.0\.1:\d+/.exec(said)[0];

/** Recorded agents one after the other, as one session of that many tokens. */
function readHistory() {
  const lines = readFileSync(join(values.data, "traces/livemcp.jsonl"), "utf8").trim().split("\n");
  const runs = lines.map((line) => JSON.parse(line).messages);
  const messages = [];
  for (let [tokens, run] = [0, 0]; tokens < Number(values.tokens); run += 1)
    for (const message of runs[run % runs.length]) {
      const text = `${message.content ?? ""}${JSON.stringify(message.tool_calls ?? "")}`;
      tokens += estimatedCounter.count(text);
      messages.push(asOfRun(message, `${run}-`));
    }
  return messages;
}

function asOfRun({ role, content, tool_calls: calls, tool_call_id: id }, prefix) {
  return {
    role: role === "system" ? "user" : role,
    content: content ?? "",
    ...(calls && { tool_calls: calls.map((call) => ({ ...call, id: prefix + call.id })) }),
    ...(id && { tool_call_id: prefix + id }),
  };
}

/** The same messages in blocks. */
function inBlocks(messages) {
  return messages.map(({ role, content, tool_calls: calls = [], tool_call_id: id }) =>
    role === "tool"
      ? { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }
      : {
          role,
          content: [
            { type: "text", text: content || "." },
            ...calls.map((call) => ({
              type: "tool_use",
              id: call.id,
              name: call.function.name,
              input: {},
            })),
          ],
        },
  );
}

const clients = {
  openai: (baseURL) => {
    const client = new OpenAI({ baseURL, apiKey: "k", maxRetries: 0 });
    return (messages) => client.chat.completions.create({ model: "gpt-5", stream: true, messages });
  },
  "@anthropic-ai/sdk": (baseURL) => {
    const client = new Anthropic({ baseURL, apiKey: "k", maxRetries: 0 });
    return (messages) =>
      client.messages.create({
        model: "claude-test",
        max_tokens: 9,
        stream: true,
        messages: inBlocks(messages),
      });
  },
};

async function firstEvent(send, messages) {
  const started = performance.now();
  let first;
  for await (const event of await send(messages)) {
    first ??= performance.now() - started;
    if (event === undefined) throw new Error("An empty event.");
  }
  return first;
}

const history = readHistory();
const steps = history.flatMap(({ role }, at) => (role === "assistant" && at > 2 ? [at] : []));
const sent = steps.slice(-Number(values.requests));
const at = (numbers, share) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)];
console.log(
  "| client | requests | bytes of the last | direct, ms | later by, median | p95 | max |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- |");
for (const [name, connect] of Object.entries(clients)) {
  const [direct, proxied] = [connect(upstream), connect(through)];
  // The session as the proxy would have seen it: from its beginning.
  for (const end of steps.slice(0, -sent.length)) await firstEvent(proxied, history.slice(0, end));
  const rows = [];
  for (const end of sent) {
    const messages = history.slice(0, end);
    rows.push([await firstEvent(direct, messages), await firstEvent(proxied, messages)]);
  }
  const later = rows.map(([without, withIt]) => withIt - without);
  const bytes = JSON.stringify(history.slice(0, sent.at(-1))).length;
  const times = [
    at(
      rows.map(([one]) => one),
      0.5,
    ),
    ...[0.5, 0.95, 0.999].map((q) => at(later, q)),
  ];
  console.log(
    `| ${name} | ${rows.length} | ${bytes} | ${times.map((t) => t.toFixed(1)).join(" | ")} |`,
  );
}
const stats = await (await fetch(`${through}/stats`)).json();
console.log(
  `\n${stats.requests} requests, ${stats.changed} changed, passed: ${JSON.stringify(stats.passed)}`,
);
proxy.kill("SIGINT");
await once(proxy, "exit");
api.close();
rmSync(state, { recursive: true, force: true });
