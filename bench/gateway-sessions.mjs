// What the gateway's policies save on recorded sessions, with the provider's cache counted, and what stays visible of the values
// that the model used next. A path that stands as a name under its folder, as `ls -R` writes it, is visible, and counted apart. Controls: a cut to 12 lines of every result, and a frozen cut at the price of `full`.
// `node bench/gateway-sessions.mjs --data DIR [--every N --from K]`
import { parseArgs } from "node:util";

import { estimatedCounter } from "../packages/core/dist/index.js";
import { cachePriceOf, HistoryPlanner } from "../packages/gateway/dist/index.js";
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

function itemsOf(messages) {
  const items = [];
  const names = new Map();
  const places = [];
  for (const message of messages) {
    const text =
      typeof message.content === "string"
        ? message.content
        : message.content.map((part) => part.text ?? "").join("\n");
    places.push(items.length);
    if (message.role === "tool") {
      items.push({
        kind: "result",
        text,
        callId: message.toolCallId,
        tool: names.get(message.toolCallId),
      });
      continue;
    }
    items.push({ kind: message.role === "developer" ? "system" : message.role, text });
    for (const { id, name, arguments: given } of message.toolCalls ?? []) {
      names.set(id, name);
      items.push({ kind: "call", text: given, callId: id, tool: name });
    }
  }
  return { items, places };
}

const gateway =
  (mode, options = {}) =>
  () => {
    const price = cachePriceOf("claude-sonnet");
    const planner = new HistoryPlanner({
      mode,
      counter,
      price,
      selectAbove: 1500,
      cutAbove: 3000,
      ...options,
    });
    return (messages) => {
      const { items, places } = itemsOf(messages);
      const { shown } = planner.plan(items);
      return messages.map((message, at) => {
        const text = message.role === "tool" ? shown.get(places[at])?.text : undefined;
        return text === undefined ? message : { ...message, content: text };
      });
    };
  };

const twelveLines = () => (messages) =>
  messages.map((message) => {
    if (message.role !== "tool" || typeof message.content !== "string") return message;
    return { ...message, content: message.content.split("\n").slice(0, 12).join("\n") };
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
  const grouped = result.missing.filter(({ index, value }) =>
    pathsUnderFolders(prompts.get(index)).some((path) => path.includes(value)),
  ).length;
  return { ...result, grouped, supported: result.supported + grouped };
}

/** The paths of lists in which a line that ends in "/:" names the folder of the lines below it. */
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
    results,
  };
}

const frozen = (share) => (trace) => {
  const largest = trace.messages.reduce((total, message) => total + countOf(message), 0);
  return frozenCut({ budget: largest * share, countOf, fixed: 0 })();
};

/** The frozen cut whose price comes nearest to the one given. */
function frozenAt(traces, price) {
  let best;
  for (let share = 0.2; share <= 1.01; share += 0.05) {
    const result = replay(traces, frozen(share));
    const gap = Math.abs(result.price - price);
    if (best === undefined || gap < best.gap) best = { gap, result };
  }
  return best.result;
}

const sample = (list) => list.filter((_, at) => at % Number(values.every) === Number(values.from));
const sets = {
  "agents over MCP": sample(readMcpTraces(values.data)),
  "coding agents": sample(readCodingTraces(values.data)),
};
for (const [name, traces] of Object.entries(sets)) {
  const direct = replay(traces, raw);
  const full = replay(traces, gateway("full"));
  const rows = {
    direct,
    safe: replay(traces, gateway("safe")),
    full,
    "12 lines of each result": replay(traces, twelveLines),
    "frozen cut at the price of full": frozenAt(traces, full.price),
  };
  console.log(`\n${traces.length} runs of ${name}\n`);
  for (const [policy, { price, support, invalid, grouped, results }] of Object.entries(rows)) {
    const dearer = results.filter((one, at) => one.price > direct.results[at].price + 1).length;
    console.log(
      `${policy.padEnd(34)} price ${(price / direct.price).toFixed(3)}  support ${(support * 100).toFixed(1)} %  dearer ${dearer}  invalid ${invalid}  as names under folders ${grouped}`,
    );
  }
}
