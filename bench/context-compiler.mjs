// Measures long sessions within a budget: price with a prompt cache, what stays usable, validity; then time and memory
// next to other libraries.
import v8 from "node:v8";
import vm from "node:vm";

import { trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { ClearToolUsesEdit } from "langchain";

import {
  createContextCompiler,
  createMemorySessionStore,
  fitMessages,
  openSession,
  recordMessages,
} from "../packages/context-compiler/dist/index.js";
import { estimatedCounter } from "../packages/core/dist/index.js";
import {
  appendOnly,
  clearAllButThree,
  firstAndLast,
  slidingWindow,
} from "./lib/context-policies.mjs";
import { fromAiSdk, fromLangChain, toAiSdk, toLangChain } from "./lib/peer-messages.mjs";
import { joinTraces, readRecordedTraces } from "../examples/long-session/src/recorded-traces.mjs";
import {
  cachedPrice,
  createMessageCounter,
  operationErrorOf,
  newPrice,
  replayTrace,
} from "../examples/long-session/src/replay-trace.mjs";
import { generateServiceTrace } from "../examples/long-session/src/service-trace/generate-service-trace.mjs";
import { table } from "./lib/figures.mjs";

/** All policies count with the same estimate and treat it as exact, so that none keeps a margin that others do not. */
const counter = { ...estimatedCounter, name: "estimate taken for exact", isExact: true };
const budgets = [8_000, 16_000, 32_000];

/** The section of RESULTS.md. */
export async function run() {
  const traces = readTraces();
  const parts = traces.map((trace) => {
    const calls = trace.messages.filter(
      ({ role }, index) => role === "assistant" && index > 0,
    ).length;
    const size = counter.countMessages(trace.messages, trace.tools);
    const caption = `${trace.name}: ${calls} model calls, ${size.toLocaleString("en")} tokens with ${trace.tools.length} tools.`;
    const head = [
      "Budget",
      "Policy",
      "price, k",
      "cached",
      "largest prompt",
      "over budget",
      "invalid",
      "support",
    ];
    return `${caption}\n\n${table(head, priceRows(trace), 2)}`;
  });
  const markdown = [
    `Price in thousands of input-token equivalents over all calls: ${cachedPrice} for each token of the common prefix with the call before, if that has 1,024 tokens or more, ${newPrice} for each other token. Support is the share of the values that the model wrote as tool arguments, and had read before in the same dialogue, that its prompt still showed.`,
    ...parts,
    `Milliseconds for one fit into 16,000 tokens. "Counted": the same messages again without a state, with warm code and known counts for all. Memory is the heap that the result and the caches keep.`,
    table(
      ["Messages", "Library", "cold", "counted", "one more", "heap, MB", "tokens", "fault"],
      await timeRows(),
      2,
    ),
    `Milliseconds of \`compile\` into ${timedBudget.toLocaleString("en")} tokens. "Cold": the first one after the session was read from its store; "counted": the counts are known, by a new compiler; then by one that follows the log: after one more answer of a tool, one more question, and more words of the user, joined with these.`,
    table(
      [
        "Events",
        "opening",
        "cold",
        "counted",
        "tool event",
        "user turn",
        "user again",
        "heap, MB",
        "tokens",
        "fault",
      ],
      await compileRows(),
    ),
  ].join("\n\n");
  return { title: "Context compiler", markdown };
}

function readTraces() {
  const generated = generateServiceTrace({ seed: 1, dialogues: 15 });
  const folder = process.env.CCL_TRACES;
  if (folder === undefined || folder === "") {
    console.warn(
      "CCL_TRACES names no folder of recorded sessions: only the generated one is measured",
    );
    return [generated];
  }
  const recorded = readRecordedTraces(folder);
  return [
    generated,
    ...(recorded.length > 0
      ? [joinTraces("recorded sessions, one after the other", recorded)]
      : []),
  ];
}

function priceRows(trace) {
  const countOf = createMessageCounter(counter);
  const fixed = counter.countMessages([], trace.tools);
  const rows = [row(trace, { name: "append only", budget: undefined, start: appendOnly })];
  for (const budget of budgets) {
    const options = { budget, countOf, fixed };
    rows.push(row(trace, { name: "sliding window", budget, start: slidingWindow(options) }));
    rows.push(row(trace, { name: "first 3 + last N", budget, start: firstAndLast(options) }));
    rows.push(
      row(trace, { name: "clear all results but 3", budget, start: clearAllButThree(options) }),
    );
    rows.push(row(trace, { name: "fitMessages", budget, start: fitting(budget) }));
  }
  return rows;
}

const fitting = (budget) => () => {
  let state;
  return (messages, tools) => {
    const fitted = fitMessages(messages, { budget, counter, tools, state });
    state = fitted.state;
    return fitted.messages;
  };
};

function row(trace, { name, budget, start }) {
  const result = replayTrace(trace, { policy: start(), counter, budget });
  return [
    budget?.toLocaleString("en") ?? "none",
    name,
    (result.price / 1000).toFixed(0),
    percent(result.cachedShare),
    result.largestPrompt.toLocaleString("en"),
    result.overBudget,
    result.invalid,
    percent(result.support),
  ];
}

const timedBudget = 16_000;

async function timeRows() {
  const rows = [];
  for (const count of [1_000, 10_000]) {
    // Without remembered counts it counts the rest of the history at each step, which takes many minutes for 10,000
    // messages.
    const forgetful = count > 1_000 ? [] : [langChainTrim(false)];
    for (const subject of [
      ours(),
      langChainTrim(true),
      ...forgetful,
      langChainClear(),
      aiSdkPrune(),
    ]) {
      rows.push(await timeOf(subject, count));
    }
  }
  return rows;
}

/** `convert` is not timed. `fit` gets the converted messages and returns `{ tokens, fault }` through `judge`. */
async function timeOf({ name, convert, start, judge, isColdOnly = false }, count) {
  const plain = longHistory(count);
  const before = heapBytes();
  const fit = start();
  const messages = plain.map(convert);
  const cold = await elapsed(() => fit(messages));
  const { tokens, fault } = judge(cold.value);
  const size = [tokens.toLocaleString("en"), fault ?? "none"];
  if (isColdOnly)
    return [count.toLocaleString("en"), name, cold.ms.toFixed(0), "-", "-", "-", ...size];
  const slow = cold.ms > 2_000;
  const counted = await warmMedian(() => start()(messages));
  let more = [...messages];
  const onwards = start();
  await onwards(more);
  const oneMore = await median(slow ? 1 : 15, async (index) => {
    more = [
      ...more,
      convert({
        role: index % 2 === 0 ? "user" : "assistant",
        content: `One more, number ${index}.`,
      }),
    ];
    await onwards(more);
  });
  const heapMb = (heapBytes() - before) / 2 ** 20;
  const shown = [cold.ms, counted, oneMore].map((ms) => ms.toFixed(ms < 10 ? 2 : 0));
  return [count.toLocaleString("en"), name, ...shown, heapMb.toFixed(1), ...size];
}

async function compileRows() {
  const rows = [];
  for (const count of [1_000, 10_000]) {
    const store = createMemorySessionStore();
    await recordMessages(
      await openSession({ store, sessionId: "long", counter }),
      longHistory(count),
    );
    const before = heapBytes();
    const { value: session, ms: opening } = await elapsed(() =>
      openSession({ store, sessionId: "long", counter }),
    );
    const compileBy = (compiler) =>
      compiler.compile(session, { budget: timedBudget, systemPrompt: "You look up." });
    const { value: context, ms: cold } = await elapsed(() =>
      compileBy(createContextCompiler({ counter })),
    );
    const counted = await warmMedian(() => compileBy(createContextCompiler({ counter })));
    const compiler = createContextCompiler({ counter });
    await compileBy(compiler);
    const more = await moreEvents(session, () => compileBy(compiler));
    const shown = [opening, cold, counted, ...more].map((ms) => ms.toFixed(ms < 10 ? 2 : 0));
    const heapMb = ((heapBytes() - before) / 2 ** 20).toFixed(1);
    const { tokens, fault } = judged(context.toMessages());
    rows.push([
      count.toLocaleString("en"),
      ...shown,
      heapMb,
      tokens.toLocaleString("en"),
      fault ?? "none",
    ]);
  }
  return rows;
}

/**
 * Medians of compiles after a tool's answer, after a question, and after more words of the user, which are joined with
 * the question.
 */
async function moreEvents(session, compile) {
  const times = [[], [], []];
  for (let index = 0; index < 15; index++) {
    const callId = `more-${index}`;
    const toolCalls = [{ id: callId, name: "look_up", arguments: "{}" }];
    await session.record("assistant_message", { content: "", toolCalls });
    await compile();
    for (const [at, [kind, data]] of [
      ["tool_success", { callId, content: words(40, index) }],
      ["user_input", { content: `One more, number ${index}.` }],
      ["user_input", { content: "And quickly." }],
    ].entries()) {
      await session.record(kind, data);
      times[at].push((await elapsed(compile)).ms);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[7]);
}

function ours() {
  return {
    name: "fitMessages",
    convert: (message) => message,
    start: () => {
      let state;
      return (messages) => {
        const fitted = fitMessages(messages, { budget: timedBudget, counter, state });
        state = fitted.state;
        return fitted.messages;
      };
    },
    judge: (messages) => ({
      tokens: counter.countMessages(messages),
      fault: operationErrorOf(messages),
    }),
  };
}

function langChainTrim(isRemembered) {
  const base = counter.countMessages([]);
  const countOf = isRemembered
    ? rememberedCount(fromLangChain)
    : (message) => counter.countMessages([fromLangChain(message)]) - base;
  return {
    name: isRemembered ? "LangChain trimMessages" : "the same, its counter remembering nothing",
    convert: toLangChain,
    isColdOnly: !isRemembered,
    start: () => (messages) =>
      trimMessages(messages, {
        maxTokens: timedBudget,
        strategy: "last",
        includeSystem: true,
        startOn: "human",
        tokenCounter: (list) => list.reduce((sum, message) => sum + countOf(message), 0),
      }),
    judge: (messages) => judged(messages.map(fromLangChain)),
  };
}

function langChainClear() {
  const countOf = rememberedCount(fromLangChain);
  const edit = new ClearToolUsesEdit({ trigger: { tokens: timedBudget }, keep: { messages: 3 } });
  return {
    name: "LangChain ClearToolUsesEdit",
    convert: toLangChain,
    start: () => async (messages) => {
      const copy = [...messages];
      const countTokens = (list) =>
        Promise.resolve(list.reduce((sum, message) => sum + countOf(message), 0));
      await edit.apply({ messages: copy, model: undefined, countTokens });
      return copy;
    },
    judge: (messages) => judged(messages.map(fromLangChain)),
  };
}

function aiSdkPrune() {
  return {
    name: "AI SDK pruneMessages",
    convert: toAiSdk,
    start: () => (messages) =>
      pruneMessages({ messages, toolCalls: "before-last-3-messages", emptyMessages: "remove" }),
    judge: (messages) => judged(messages.map(fromAiSdk)),
  };
}

function judged(messages) {
  return { tokens: counter.countMessages(messages), fault: operationErrorOf(messages) };
}

function rememberedCount(back) {
  const base = counter.countMessages([]);
  const known = new WeakMap();
  return (message) => {
    let tokens = known.get(message);
    if (tokens === undefined)
      known.set(message, (tokens = counter.countMessages([back(message)]) - base));
    return tokens;
  };
}

/** Turns of a question, a call, its result of about 250 tokens and an answer. */
function longHistory(count) {
  const messages = [{ role: "system", content: words(300, 1) }];
  for (let turn = 0; messages.length < count; turn++) {
    const records = Array.from({ length: 10 }, (_, at) => ({
      record_id: `R-${turn}-${at}`,
      size: at * turn,
      name: `n${at}`,
    }));
    messages.push(
      { role: "user", content: `Please check R-${5_000 + turn}. ${words(20, turn)}` },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: `c${turn}`, name: "look_up", arguments: `{"id":"R-${turn}"}` }],
      },
      { role: "tool", toolCallId: `c${turn}`, content: JSON.stringify(records) },
      { role: "assistant", content: words(30, turn) },
    );
  }
  return messages.slice(0, count - ((count - 1) % 4));
}

function words(count, seed) {
  return Array.from({ length: count }, (_, index) => `word${(index * 7 + seed) % 97}`).join(" ");
}

async function elapsed(action) {
  const startedAt = performance.now();
  const value = await action();
  return { ms: performance.now() - startedAt, value };
}

const warmUpMs = 500;
const measuredMs = 1_500;

/** The median of rounds over 1.5 s, after a warm-up of 0.5 s. At least three rounds, after at least one. */
async function warmMedian(action) {
  for (let spent = 0; spent < warmUpMs;) spent += (await elapsed(action)).ms;
  const times = [];
  for (let spent = 0; spent < measuredMs || times.length < 3; spent += times.at(-1)) {
    times.push((await elapsed(action)).ms);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

async function median(rounds, action) {
  const times = [];
  for (let round = 0; round < rounds; round++) times.push((await elapsed(() => action(round))).ms);
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)];
}

function heapBytes() {
  v8.setFlagsFromString("--expose-gc");
  vm.runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
