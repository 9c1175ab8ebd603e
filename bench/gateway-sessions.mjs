// Measures what the gateway's policies save on recorded sessions, with the provider's cache counted, and what stays
// visible of the values that the model used next: scalars of arguments, and all identifiers, including those inside
// commands. A path that is shown as a name under its folder, as `ls -R` writes it, counts as visible, and is counted
// separately. The controls cost as much as `full`, or as near as they can: the first lines of each result, and a frozen
// cut. `node bench/gateway-sessions.mjs --data DIR [--every N --from K]`
import { parseArgs } from "node:util";

import { estimatedCounter } from "../packages/core/dist/index.js";
import { createMemoryArtifactStore } from "../packages/artifact-store/dist/index.js";
import { identifiersOf } from "../packages/compress/dist/index.js";
import { createGateway } from "../packages/gateway/dist/index.js";
import { createMemoryRecords } from "../packages/records/dist/index.js";
import { frozenCut } from "./lib/context-policies.mjs";
import { createMessageCounter, replayTrace } from "../examples/long-session/src/replay-trace.mjs";
import { readCodingTraces, readMcpTraces } from "./lib/session-sets.mjs";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: process.env.CCL_DATA },
    every: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
  },
});
const counter = { ...estimatedCounter, isExact: true };
const countOf = createMessageCounter(counter);

const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");

/** A message as a client of the chat API sends it. */
function asSent(message) {
  const { role, toolCallId, toolCalls = [] } = message;
  const content = textOf(message);
  if (role === "tool") return { role, tool_call_id: toolCallId, content };
  const calls = toolCalls.map(({ id, name, arguments: given }) => ({
    id,
    type: "function",
    function: { name, arguments: given },
  }));
  return calls.length === 0 ? { role, content } : { role, content, tool_calls: calls };
}

/** The prompts of a run as a gateway sends them, by their number of messages. */
async function promptsOf({ messages }, mode) {
  const gateway = createGateway({
    records: createMemoryRecords(),
    artifactStore: createMemoryArtifactStore(),
    mode,
    timeoutMs: 3_600_000,
    now: () => 0,
  });
  const prompts = new Map();
  const tools = [{ type: "function", function: { name: "bash" } }];
  const sent = messages.map(asSent);
  for (const [end, { role }] of messages.entries()) {
    if (role !== "assistant" || end === 0) continue;
    const request = { model: "claude-sonnet", tools, messages: sent.slice(0, end) };
    const body = new TextEncoder().encode(JSON.stringify(request));
    const out = JSON.parse(
      new TextDecoder().decode(
        gateway.apply(body, await gateway.plan(body, { "x-session-id": "s" })),
      ),
    );
    prompts.set(
      end,
      messages
        .slice(0, end)
        .map((message, at) =>
          message.role === "tool" ? { ...message, content: out.messages[at].content } : message,
        ),
    );
  }
  return prompts;
}

async function gateway(traces, mode) {
  const prompts = new Map();
  for (const trace of traces) prompts.set(trace, await promptsOf(trace, mode));
  return (trace) => (messages) => prompts.get(trace).get(messages.length);
}

/** Identifiers of calls that the model had read before them, and how many of those its prompt shows. */
function identifiersShown(messages, index, prompt) {
  const wanted = (messages[index].toolCalls ?? []).flatMap((call) => identifiersOf(call.arguments));
  const read = messages
    .slice(0, index)
    .filter(({ role }) => role !== "assistant")
    .map(textOf)
    .join("\n");
  const known = [...new Set(wanted)].filter((name) => read.includes(name));
  const shown = prompt
    .map((one) => textOf(one) + (one.toolCalls ?? []).map((call) => call.arguments).join("\n"))
    .join("\n");
  return [known.length, known.filter((name) => shown.includes(name)).length];
}

const firstLines = (count) => () => (messages) =>
  messages.map((message) => {
    if (message.role !== "tool" || typeof message.content !== "string") return message;
    return { ...message, content: message.content.split("\n").slice(0, count).join("\n") };
  });

const raw = () => (messages) => messages;

function replayOne(trace, policy) {
  const prompts = new Map();
  const result = replayTrace(trace, {
    counter,
    policy: (messages) => {
      const prompt = policy(messages);
      prompts.set(messages.length, prompt);
      return prompt;
    },
  });
  const names = [0, 0];
  for (const [end, prompt] of prompts)
    for (const [at, count] of identifiersShown(trace.messages, end, prompt).entries())
      names[at] += count;
  const grouped = result.missing.filter(({ index, value }) =>
    pathsUnderFolders(prompts.get(index)).some((path) => path.includes(value)),
  ).length;
  return {
    ...result,
    grouped,
    names: names[0],
    namesShown: names[1],
    supported: result.supported + grouped,
  };
}

/** The paths in listings where a line that ends in "/:" names the folder of the lines below it. */
function pathsUnderFolders(prompt) {
  return prompt.flatMap(({ content }) => {
    let folder;
    return String(typeof content === "string" ? content : "")
      .split("\n")
      .flatMap((line) => {
        if (folder !== undefined && /^[^\s/]+$/.test(line)) return [folder + line];
        folder = /^\S+\/:$/.test(line) ? line.slice(0, -1) : undefined;
        return [];
      });
  });
}

function replay(traces, policy) {
  const results = traces.map((trace) => replayOne(trace, policy(trace)));
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  return {
    price: sum("price"),
    support: sum("supported") / sum("values"),
    invalid: sum("invalid"),
    grouped: sum("grouped"),
    identifiers: sum("namesShown") / sum("names"),
    results,
  };
}

const frozen = (share) => (trace) => {
  const largest = trace.messages.reduce((total, message) => total + countOf(message), 0);
  return frozenCut({ budget: largest * share, countOf, fixed: 0 })();
};

/** The policy whose price is nearest to the given one. */
function nearest(traces, price, policies) {
  const results = policies.map((policy) => replay(traces, policy));
  const gapOf = (result) => Math.abs(result.price - price);
  return results.reduce((best, one) => (gapOf(one) < gapOf(best) ? one : best));
}

const heads = [2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 30].map(firstLines);
const shares = Array.from({ length: 17 }, (_, at) => frozen(0.2 + at * 0.05));

const sample = (list) => list.filter((_, at) => at % Number(values.every) === Number(values.from));
const sets = {
  "agents over MCP": sample(readMcpTraces(values.data)),
  "coding agents": sample(readCodingTraces(values.data)),
};
for (const [name, traces] of Object.entries(sets)) {
  const direct = replay(traces, raw);
  const full = replay(traces, await gateway(traces, "full"));
  const safe = replay(traces, await gateway(traces, "safe"));
  const rows = {
    direct,
    safe,
    full,
    "first lines at the price of full": nearest(traces, full.price, heads),
    "frozen cut at the price of full": nearest(traces, full.price, shares),
  };
  console.log(`\n${traces.length} runs of ${name}\n`);
  for (const [policy, { price, support, identifiers, invalid, grouped, results }] of Object.entries(
    rows,
  )) {
    const dearerThan = (others) =>
      results.filter((one, at) => one.price > others.results[at].price + 1).length;
    console.log(
      `${policy.padEnd(34)} price ${(price / direct.price).toFixed(3)}  support ${(support * 100).toFixed(1)} %  identifiers ${(identifiers * 100).toFixed(1)} %  dearer than direct ${dearerThan(direct)}, than safe ${dearerThan(safe)}  invalid ${invalid}  as names under folders ${grouped}`,
    );
  }
}
