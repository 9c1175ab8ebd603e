// Measures what a model could do with the prompts of long sessions: which of the values that it used next are still
// shown, what the prompts cost with a provider's cache, which labelled evidence they contain, how full they are, and if
// they contain the task. `node bench/session-usefulness.mjs --data DIR [--only mcp,shop,coding,talks,task,incident]
// [--every N --from K]`; the default folder is `CCL_DATA`. Without one, only generated data is measured.
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";

import { createMemoryArtifactStore } from "../packages/artifact-store/dist/index.js";
import * as library from "../packages/context-compiler/dist/index.js";
import { estimatedCounter } from "../packages/core/dist/index.js";
import { createSearchIndex } from "../packages/search/dist/index.js";
import { appendOnly, frozenCut, slidingWindow } from "./lib/context-policies.mjs";
import { joinTraces } from "../examples/long-session/src/recorded-traces.mjs";
import {
  createMessageCounter,
  operationErrorOf,
  replayTrace,
} from "../examples/long-session/src/replay-trace.mjs";
import { generateServiceTrace } from "../examples/long-session/src/service-trace/generate-service-trace.mjs";
import { table } from "./lib/figures.mjs";
import { readCodingTraces, readIncident, readMcpTraces, readTalks } from "./lib/session-sets.mjs";

const { createContextCompiler, createSession, fitMessages, recordMessages } = library;
const counter = { ...estimatedCounter, name: "estimate taken for exact", isExact: true };

const parts = { mcp, shop, coding, talks, task, incident };

/** The section of RESULTS.md. */
export async function run(options = { data: process.env.CCL_DATA }) {
  const { data, only = Object.keys(parts).join(","), every = 1, from = 0 } = options;
  const sample = (list) => list.filter((_, at) => at % every === from);
  const sections = [];
  for (const name of only.split(",")) {
    if (data === undefined && !["shop", "task"].includes(name)) continue;
    sections.push(await parts[name]({ data, sample }));
  }
  return { title: "Usefulness of sessions", markdown: sections.join("\n\n") };
}

/** Prompts by name of the policy: `(trace, budget) => the prompt of each call by the number of messages before it`. */
const fitting = (options) => async (trace, budget) => {
  let state;
  return promptsOf(trace, (messages, tools) => {
    const fitted = fitMessages(messages, { budget, counter, tools, state, ...options });
    state = fitted.state;
    return fitted.messages;
  });
};

const fittingOnce = async (trace, budget) =>
  promptsOf(trace, (messages, tools) => fitMessages(messages, { budget, counter, tools }).messages);

const compiling = (options) => async (trace, budget) => {
  const session = createSession({ counter, artifactStore: createMemoryArtifactStore() });
  const compiler = createContextCompiler({ counter, ...options });
  const prompts = new Map();
  const [first, ...rest] = trace.messages;
  const { systemPrompt, messages } =
    first.role === "system"
      ? { systemPrompt: first.content, messages: rest }
      : { systemPrompt: "", messages: trace.messages };
  const offset = trace.messages.length - messages.length;
  for (const index of callsOf({ messages })) {
    await recordMessages(session, messages.slice(0, index));
    const context = await attempt(() =>
      compiler.compile(session, { budget, systemPrompt, tools: trace.tools }),
    );
    prompts.set(index + offset, context?.toMessages() ?? []);
  }
  return prompts;
};

const control = (start) => async (trace, budget) => {
  const countOf = createMessageCounter(counter);
  const policy = start({ budget, countOf, fixed: counter.countMessages([], trace.tools) })();
  return promptsOf(trace, policy);
};

/** Other libraries, if they are installed; `pnpm bench session-usefulness` installs them. */
async function peers() {
  const { sessionPeers = [] } = await import("./lib/session-peers.mjs").catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    console.error("The peers are not installed, so that their rows are missing.");
    return {};
  });
  return sessionPeers.map(([name, start]) => [name, control((options) => () => start(options))]);
}

const raw = async (trace) => promptsOf(trace, appendOnly());

async function promptsOf(trace, policy) {
  const prompts = new Map();
  for (const index of callsOf(trace)) {
    const before = trace.messages.slice(0, index);
    prompts.set(index, (await attempt(() => policy(before, trace.tools))) ?? []);
  }
  return prompts;
}

/** Undefined if what must stay does not fit, which counts as a prompt that shows nothing. */
async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (error.code === "budget_exceeded") return undefined;
    throw error;
  }
}

const callsOf = ({ messages }) =>
  messages.flatMap(({ role }, index) => (role === "assistant" && index > 0 ? [index] : []));

async function replayAll(traces, makePrompts, budgetOf) {
  const sum = {
    price: 0,
    values: 0,
    supported: 0,
    overBudget: 0,
    invalid: 0,
    refused: 0,
    room: [],
  };
  for (const trace of traces) {
    const budget = budgetOf(trace);
    const prompts = await makePrompts(trace, budget);
    const refused = [...prompts.values()].filter(({ length }) => length === 0).length;
    const onCall = ({ index, tokens }) => {
      const whole = sizeOf(trace.messages.slice(0, index), trace.tools);
      if (whole > budget && prompts.get(index).length > 0) sum.room.push(tokens / budget);
    };
    const policy = (messages) => prompts.get(messages.length);
    const result = replayTrace(trace, { policy, counter, budget, onCall });
    for (const key of ["price", "values", "supported", "overBudget", "invalid"])
      sum[key] += result[key];
    sum.refused += refused;
  }
  sum.room.sort((a, b) => a - b);
  return sum;
}

const countOf = createMessageCounter(counter);
const sizeOf = (messages, tools) =>
  messages.reduce((sum, message) => sum + countOf(message), counter.countMessages([], tools));

const yardstick = "compile, balanced";

const replayHead = [
  "Budget",
  "Policy",
  "price, k",
  `of "${yardstick}"`,
  "support",
  "values",
  "least room used",
  "median room",
  "over",
  "invalid",
  "refused",
];

async function replayRows(traces, budgets, policies) {
  const rows = [];
  const all = [...policies, ...(await peers())];
  for (const [label, budgetOf] of budgets) {
    const sums = [];
    for (const [name, makePrompts] of all)
      sums.push([name, await replayAll(traces, makePrompts, budgetOf)]);
    const own = sums.find(([name]) => name === yardstick)?.[1].price;
    for (const [name, sum] of sums) {
      const { room } = sum;
      rows.push([
        label,
        name,
        (sum.price / 1000).toFixed(0),
        (sum.price / own).toFixed(2),
        percent(sum.supported / sum.values),
        sum.values,
        room.length === 0 ? "-" : percent(room[0]),
        room.length === 0 ? "-" : percent(room[Math.floor(room.length / 2)]),
        sum.overBudget,
        sum.invalid,
        sum.refused,
      ]);
    }
  }
  return table(replayHead, rows, 2);
}

const same = (budget) => [budget.toLocaleString("en"), () => budget];
const largest = (trace) => sizeOf(trace.messages.slice(0, callsOf(trace).at(-1)), trace.tools);

async function mcp({ data, sample }) {
  const traces = sample(readMcpTraces(data));
  const budgets = [
    ["room for all", () => 1_000_000],
    [".65 of the largest prompt", (trace) => Math.max(500, Math.floor(largest(trace) * 0.65))],
    same(16_000),
    same(8_000),
  ];
  const rows = await replayRows(traces, budgets, [
    ["raw", raw],
    ["last messages", control(slidingWindow)],
    ["fitMessages, one shot", fittingOnce],
    ["fitMessages, balanced", fitting({ policy: "balanced" })],
    ["compile, balanced", compiling({})],
    ["compile, economy", compiling({ policy: "economy" })],
  ]);
  return `${traces.length} agent runs over MCP servers\n\n${rows}`;
}

async function shop() {
  const traces = [generateServiceTrace({ seed: 1, dialogues: 15 })];
  const rows = await replayRows(traces, [same(16_000), same(8_000)], policies);
  return `A shop assistant, 15 dialogues of one session\n\n${rows}`;
}

const policies = [
  ["raw", raw],
  ["last messages", control(slidingWindow)],
  ["bare frozen cut", control(frozenCut)],
  ["fitMessages, economy", fitting({ policy: "economy" })],
  ["fitMessages, balanced", fitting({ policy: "balanced" })],
  ["compile, economy", compiling({ policy: "economy" })],
  ["compile, balanced", compiling({})],
];

async function coding({ data, sample }) {
  const single = sample(readCodingTraces(data));
  const traces = single.flatMap((_, at) =>
    at % 3 === 0 ? [joinTraces(`three tasks from ${at} on`, single.slice(at, at + 3))] : [],
  );
  const rows = await replayRows(traces, [same(16_000), same(32_000)], policies);
  return `${single.length} runs of coding agents, three tasks a session\n\n${rows}`;
}

const talkBudgets = [4_000, 8_000, 16_000];

async function talks({ data, sample }) {
  const all = readTalks(data);
  const shares = new Map();
  const add = (name, at, share) => {
    const row = shares.get(name) ?? talkBudgets.map(() => []);
    shares.set(name, row);
    row[at].push(share);
  };
  for (const talk of all) {
    const history = talk.turns.map(({ message }) => message);
    const bm25 = createSearchIndex({ fields: { text: 1 } });
    await bm25.put(talk.turns.map(({ id, message }) => ({ id, texts: { text: message.content } })));
    const session = createSession({ counter });
    await recordMessages(session, history);
    const memory = Reflect.get(library, "createSessionMemory")?.({ session });
    const compiler = createContextCompiler({ counter, memory });
    for (const { question, evidence } of sample(talk.questions)) {
      const asked = { role: "user", content: question };
      const share = (prompt) => evidenceShare(talk, evidence, prompt);
      for (const [at, budget] of talkBudgets.entries()) {
        add("the last turns that fit", at, share(lastTurns([...history, asked], budget)));
        add(
          "BM25 in a quarter of the room",
          at,
          share(bestTurns(talk, bm25, question, budget / 4)),
        );
        add(
          "fitMessages",
          at,
          share(fitMessages([...history, asked], { budget, counter }).messages),
        );
      }
      if (memory === undefined) continue;
      await session.record("user_input", { content: question });
      for (const [at, budget] of talkBudgets.entries()) {
        const context = await compiler.compile(session, { budget, systemPrompt: "You remember." });
        add("compile with memory", at, share(context.toMessages()));
      }
    }
  }
  const rows = [...shares].map(([name, row]) => [name, ...row.map((list) => percent(mean(list)))]);
  return `Evidence turns in the prompt\n\n${table(["Policy", ...talkBudgets.map(String)], rows)}`;
}

function lastTurns(messages, budget) {
  let left = budget - counter.countMessages([]);
  let start = messages.length;
  while (start > 0 && countOf(messages[start - 1]) <= left) left -= countOf(messages[--start]);
  return messages.slice(start);
}

function bestTurns(talk, index, question, room) {
  const byId = new Map(talk.turns.map(({ id, message }) => [id, message]));
  let left = room;
  const found = [];
  for (const { id } of index.searchText({ text: question, limit: 200 }).hits) {
    const message = byId.get(id);
    if (countOf(message) > left) break;
    left -= countOf(message);
    found.push(message);
  }
  return found;
}

function evidenceShare(talk, evidence, prompt) {
  const shown = prompt.map(textOf).join("\n");
  const wanted = talk.turns.filter(({ id }) => evidence.includes(id));
  if (wanted.length === 0) return 0;
  return wanted.filter(({ text }) => shown.includes(text)).length / wanted.length;
}

/** A task with three requirements, once in one message and once in three, then 40 follow-ups with calls. */
async function task() {
  const rows = [];
  for (const isSpread of [false, true]) {
    for (const budget of [4_000, 8_000, 16_000, 32_000]) {
      const { messages, requirements } = taskHistory(isSpread, budget);
      const trace = { messages, tools: [] };
      const cells = [];
      for (const prompt of [
        lastTurns(messages, budget),
        fitMessages(messages, { budget, counter }).messages,
        (
          await compiling({})(
            { ...trace, messages: [...messages, { role: "assistant", content: "ok" }] },
            budget,
          )
        ).get(messages.length),
      ]) {
        const shown = prompt.map(textOf).join("\n");
        const kept = requirements.filter((one) => shown.includes(one)).length;
        const room = sizeOf(prompt, []) / budget;
        cells.push(`${kept} of 3`, percent(room), operationErrorOf(prompt) ?? "none");
      }
      rows.push([budget, isSpread ? "three messages" : "one message", ...cells]);
    }
  }
  const of = (name) => [name, "room", "fault"];
  const head = ["Budget", "Stated in", ...of("last turns"), ...of("fitMessages"), ...of("compile")];
  return `Requirements in the prompt after 40 follow-ups\n\n${table(head, rows, 2)}`;
}

function taskHistory(isSpread, budget) {
  const requirements = [
    "Amounts are in Swiss francs with two digits.",
    "Nothing may be written to the table of customers.",
    "The report goes to Ms Keller by Thursday noon.",
  ];
  const stated = isSpread
    ? requirements.flatMap((text) => [
        { role: "user", content: text },
        { role: "assistant", content: "Understood." },
      ])
    : [
        {
          role: "user",
          content: `Reconcile the ledgers. ${requirements.join(` ${filler(60, 3)} `)}`,
        },
      ];
  const size = Math.ceil(budget / 8);
  const turns = Array.from({ length: 40 }, (_, at) => [
    { role: "user", content: `Now ledger ${at}, account ${4_000 + at * 7}. ${filler(12, at)}` },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: `c${at}`, name: "read_ledger", arguments: `{"ledger":${at}}` }],
    },
    { role: "tool", toolCallId: `c${at}`, content: filler(size, at) },
    ...(at === 39
      ? []
      : [{ role: "assistant", content: `Ledger ${at} balances. ${filler(20, at)}` }]),
  ]);
  return {
    requirements,
    messages: [{ role: "system", content: "You keep books." }, ...stated, ...turns.flat()],
  };
}

const filler = (count, seed) =>
  Array.from({ length: count }, (_, at) => `word${(at * 7 + seed * 13) % 97}`).join(" ");

async function incident({ data }) {
  const found = readIncident(data);
  if (found === undefined) return "";
  const { messages, errors } = found;
  const rows = [];
  for (const budget of [4_000, 6_000, 8_000, 16_000, 32_000, 40_000, 60_000]) {
    const fitted = fitMessages(messages, { budget, counter });
    const compiled = await firstSight(messages, budget);
    const headTail = errorsIn(lastTurns(messages, budget), errors);
    rows.push([
      budget,
      fitted.tokens,
      `${errorsIn(fitted.messages, errors)} of ${errors.length}`,
      compiled.tokenCount,
      `${errorsIn(compiled.toMessages(), errors)} of ${errors.length}`,
      `${headTail} of ${errors.length}`,
    ]);
  }
  const whole = sizeOf(messages, []);
  const fits = (budget) =>
    errorsIn(fitMessages(messages, { budget, counter }).messages, errors) === errors.length;
  let all = 1_000;
  while (all < whole && !fits(all)) all += 250;
  const own = ["errors shown", "tokens of a session at first sight", "errors shown by it"];
  const head = ["Budget", "tokens", ...own, "by the last messages"];
  return `An incident of ${whole.toLocaleString("en")} tokens

${table(head, rows, 2)}

All errors are shown from ${all.toLocaleString("en")} tokens on, ${(whole / all).toFixed(1)} times fewer. Headroom's README says of an
incident of its own: 65,694 tokens to 5,118, 12.8 times fewer, with all 82 errors (not run here).`;
}

/** What a session shows of results before the model answers them. */
async function firstSight(messages, budget) {
  const session = createSession({ counter, artifactStore: createMemoryArtifactStore() });
  const end = messages.findLastIndex(({ role }) => role === "tool") + 1;
  await recordMessages(session, messages.slice(0, end));
  return createContextCompiler({ counter }).compile(session, { budget, systemPrompt: "" });
}

function errorsIn(prompt, errors) {
  const shown = prompt.map(textOf).join("\n");
  return errors.filter((error) => shown.includes(error)).length;
}

function textOf({ content }) {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}

const mean = (list) => list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
const percent = (share) => `${(share * 100).toFixed(1)} %`;

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const text = { type: "string" };
  const { values } = parseArgs({ options: { data: text, only: text, every: text, from: text } });
  const { data = process.env.CCL_DATA, only, every = "1", from = "0" } = values;
  console.log((await run({ data, only, every: Number(every), from: Number(from) })).markdown);
}
