import { describe, expect, it } from "vitest";

import type { ModelResponse, StreamingModel } from "@ccl/core";

import { createAnthropicModel } from "../anthropic/index.ts";
import { createGeminiModel } from "../gemini/index.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/index.ts";
import { createOpenAiResponsesModel } from "../openai-responses/index.ts";

// What servers send that keep to a format in their own way, by what people report of them.
type Fetch = typeof globalThis.fetch;
type Event = { type: string } & Record<string, unknown>;
interface Play {
  kind: keyof typeof models;
  name: string;
  body: string;
  want: Record<string, unknown>;
}
const models = {
  chat: (fetch: Fetch): StreamingModel =>
    createOpenAiCompatibleModel({ model: "m", baseUrl: "http://localhost/v1", retries: 0, fetch }),
  anthropic: (fetch: Fetch): StreamingModel =>
    createAnthropicModel({ model: "m", apiKey: "k", retries: 0, fetch }),
  responses: (fetch: Fetch): StreamingModel =>
    createOpenAiResponsesModel({ model: "m", apiKey: "k", retries: 0, fetch }),
  gemini: (fetch: Fetch): StreamingModel =>
    createGeminiModel({ model: "m", apiKey: "k", retries: 0, fetch }),
};
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const plays: Play[] = [];
const play = (kind: Play["kind"], name: string, body: string, want: Play["want"]): void =>
  void plays.push({ kind, name, body, want });

function inPieces(text: string, size: number): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size)
    pieces.push(bytes.slice(at, Math.min(bytes.length, at + size)));
  return pieces;
}

async function read({ kind, body }: Play, size: number): Promise<Record<string, unknown>> {
  const said = { text: "", reasoning: "" };
  let last: ModelResponse | undefined;
  const model = models[kind](async () => new Response(ReadableStream.from(inPieces(body, size))));
  try {
    for await (const delta of model.stream({ messages: [{ role: "user", content: "x" }] })) {
      if (delta.type === "text" || delta.type === "reasoning") said[delta.type] += delta.text;
      if (delta.type === "finish") last = delta.response;
    }
  } catch (error) {
    return { error: (error as { code: string }).code, message: (error as Error).message };
  }
  expect([said.text, said.reasoning]).toEqual([last?.text, last?.reasoning ?? ""]);
  return {
    text: last?.text,
    reasoning: last?.reasoning,
    calls: last?.toolCalls.map(({ id, name, arguments: text }) => [id, name, text]),
    finish: last?.finishReason,
    usage: last?.usage && [last.usage.inputTokens, last.usage.outputTokens],
  };
}

const j = JSON.stringify;
const ev = (...list: unknown[]): string =>
  list.map((e) => `data: ${typeof e === "string" ? e : j(e)}\n\n`).join("");
const c = (delta: object, more = {}, root = {}): object => ({
  id: "r",
  object: "chat.completion.chunk",
  ...root,
  choices: [{ index: 0, delta, ...more }],
});
const a = c({ content: "Hé" }),
  b = c({ content: "llo 🎉" }),
  stop = c({}, { finish_reason: "stop" }),
  D = "[DONE]";
const T = "Héllo 🎉";
const fine = { text: T, finish: "stop" };
play("chat", "plain", ev(a, b, stop, D), fine);
play("chat", "no DONE", ev(a, b, stop), fine);
play("chat", "no finish, DONE", ev(a, b, D), { text: T });
play("chat", "neither", ev(a, b), { error: "network_error" });
play("chat", "last event without blank line", ev(a, b) + `data: ${j(stop)}`, fine);
play("chat", "last event with one line end", ev(a, b) + `data: ${j(stop)}\n`, fine);
play("chat", "DONE without blank", ev(a, b, stop) + `data: [DONE]`, fine);
play("chat", "last event cut", ev(a, stop) + `data: {"id":"r","choices":[{"in`, { text: "Hé" });
play("chat", "CRLF", ev(a, b, stop, D).replaceAll("\n", "\r\n"), fine);
play("chat", "CR", ev(a, b, stop, D).replaceAll("\n", "\r"), fine);
play(
  "chat",
  "keepalives",
  ": OPENROUTER PROCESSING\n\n" +
    ev(a) +
    ": ping\n\n:\n\n" +
    ev(b) +
    "event: ping\ndata:\n\n" +
    ev(stop, D),
  fine,
);
play("chat", "empty data", ev(a) + "data: \n\ndata:\n\n" + ev(b, stop, D), fine);
play("chat", "DONE with space", ev(a, b, stop) + "data: [DONE] \n\n", fine);
play(
  "chat",
  "single line ends",
  [a, b, stop].map((e) => `data: ${j(e)}\n`).join("") + "data: [DONE]\n",
  fine,
);
play(
  "chat",
  "ids and retry",
  ev(a, b, stop, D).replaceAll("data:", "id: 1\nretry: 5\nevent: message\ndata:"),
  fine,
);
play("chat", "no space", ev(a, b, stop, D).replaceAll("data: ", "data:"), fine);
play("chat", "BOM", "\ufeff" + ev(a, b, stop, D), fine);
play(
  "chat",
  "finish empty",
  ev(
    c({ content: "Hé" }, { finish_reason: "" }),
    c({ content: "llo 🎉" }, { finish_reason: "" }),
    c({}, { finish_reason: "stop" }),
    D,
  ),
  fine,
);
play("chat", "finish null after stop", ev(a, b, stop, c({}, { finish_reason: null }), D), fine);
play(
  "chat",
  "finish empty after stop",
  ev(
    a,
    b,
    stop,
    c({}, { finish_reason: "" }, { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    D,
  ),
  { ...fine, usage: [1, 2] },
);
play("chat", "only empty finish", ev(c({ content: T }, { finish_reason: "" })), {
  error: "network_error",
});
play(
  "chat",
  "usage separate",
  ev(a, b, stop, { id: "r", choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }, D),
  { ...fine, usage: [1, 2] },
);
play(
  "chat",
  "usage separate, no DONE",
  ev(a, b, stop, { id: "r", choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
  { ...fine, usage: [1, 2] },
);
play(
  "chat",
  "usage then null",
  ev(
    a,
    b,
    c({}, { finish_reason: "stop" }, { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    { id: "r", choices: [], usage: null },
    D,
  ),
  { ...fine, usage: [1, 2] },
);
play(
  "chat",
  "usage each chunk",
  ev(
    c({ content: "Hé" }, {}, { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
    c({ content: "llo 🎉" }, {}, { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    stop,
    D,
  ),
  { ...fine, usage: [1, 2] },
);
play(
  "chat",
  "groq usage",
  ev(
    a,
    b,
    c(
      {},
      { finish_reason: "stop" },
      { x_groq: { id: "q", usage: { prompt_tokens: 1, completion_tokens: 2 } } },
    ),
    D,
  ),
  { ...fine, usage: [1, 2] },
);
play(
  "chat",
  "usage in choice (moonshot)",
  ev(a, b, c({}, { finish_reason: "stop", usage: { prompt_tokens: 1, completion_tokens: 2 } }), D),
  { ...fine, usage: [1, 2] },
);
play(
  "chat",
  "llama timings",
  ev(a, b, c({}, { finish_reason: "stop" }, { timings: { prompt_n: 1, predicted_n: 2 } }), D),
  fine,
);
play("chat", "azure", ev({ id: "", choices: [], prompt_filter_results: [] }, a, b, stop, D), fine);
play(
  "chat",
  "content null",
  ev(c({ role: "assistant", content: null, tool_calls: null, refusal: null }), a, b, stop, D),
  fine,
);
play(
  "chat",
  "reasoning_content",
  ev(c({ reasoning_content: "hm" }), c({ content: null, reasoning_content: "m" }), a, b, stop, D),
  { ...fine, reasoning: "hmm" },
);
play(
  "chat",
  "both reasoning fields",
  ev(c({ reasoning: "hm", reasoning_content: "hm" }), a, b, stop, D),
  { ...fine, reasoning: "hm" },
);
play(
  "chat",
  "reasoning null+content",
  ev(c({ reasoning_content: null, reasoning: "hm" }), a, b, stop, D),
  { ...fine, reasoning: "hm" },
);
play(
  "chat",
  "reasoning empty + other",
  ev(c({ reasoning_content: "", reasoning: "hm" }), a, b, stop, D),
  { ...fine, reasoning: "hm" },
);
play(
  "chat",
  "reasoning_details only",
  ev(c({ reasoning_details: [{ type: "reasoning.text", text: "hm" }] }), a, b, stop, D),
  { ...fine, reasoning: "hm" },
);
play(
  "chat",
  "reasoning object content parts",
  ev(
    c({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
    c({ content: [{ type: "text", text: T }] }),
    stop,
    D,
  ),
  { ...fine, reasoning: "hm" },
);
play("chat", "error mid", ev(a, { error: { message: "boom", code: 502 } }), {
  error: "provider_error",
  message: /boom/,
});
play("chat", "error string", ev(a, { error: "boom" }), {
  message: /boom/,
  error: "provider_error",
});
play(
  "chat",
  "error event",
  ev(a) + `event: error\ndata: {"message":"boom","type":"server_error"}\n\n`,
  { message: /boom/, error: "provider_error" },
);
play("chat", "error event text", ev(a) + `event: error\ndata: boom\n\n`, {
  message: /boom/,
  error: "provider_error",
});
play(
  "chat",
  "error line llama",
  ev(a) + `error: {"code":500,"message":"boom","type":"server_error"}\n\n`,
  { message: /boom/, error: "provider_error" },
);
play(
  "chat",
  "error in choice",
  ev(a, {
    id: "r",
    choices: [
      { index: 0, delta: {}, finish_reason: "error", error: { message: "boom", code: 502 } },
    ],
  }),
  { message: /boom/ },
);
play(
  "chat",
  "error after DONE-less text without blank",
  ev(a) + `data: {"error":{"message":"boom"}}`,
  { message: /boom/ },
);
play("chat", "finish error", ev(a, c({}, { finish_reason: "error" }), D), {
  error: "provider_error",
});
play("chat", "rate limit in stream", ev({ error: { message: "slow down", code: 429 } }), {
  error: "rate_limited",
});
play("chat", "error null field", ev({ ...a, error: null }, b, stop, D), fine);
play("chat", "error empty", ev({ ...a, error: {} }, b, stop, D), fine);
play("chat", "fastapi detail", j({ detail: "Not Found" }), { message: /Not Found/ });
play("chat", "html", "<html><title>Bad gateway</title></html>", { message: /Bad gateway/ });
play(
  "chat",
  "json body",
  j({ id: "r", choices: [{ index: 0, message: { content: T }, finish_reason: "stop" }] }),
  fine,
);
play(
  "chat",
  "pretty body",
  j({ id: "r", choices: [{ index: 0, message: { content: T }, finish_reason: "stop" }] }, null, 2),
  fine,
);
play("chat", "empty body", "", { error: "network_error" });
play("chat", "only DONE", ev(D), { error: /./ });
play("chat", "after DONE", ev(a, b, stop, D, { error: { message: "late" } }), fine);
play("chat", "ndjson", [a, b, stop].map((e) => j(e)).join("\n") + "\n", fine);
for (const [reason = "", finish] of [
  ["max_tokens", "length"],
  ["MAX_TOKENS", "length"],
  ["model_length", "length"],
  ["end_turn", "stop"],
  ["STOP", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  ["safety", "content_filter"],
  ["eos", "stop"],
  ["length", "length"],
  ["something", "other"],
])
  play("chat", "finish " + reason, ev(a, b, c({}, { finish_reason: reason }), D), {
    text: T,
    finish,
  });
const f = (name: string | undefined, args?: unknown): object => ({
  ...(name === undefined ? {} : { name }),
  ...(args === undefined ? {} : { arguments: args }),
});
const tc = (...calls: object[]): object => c({ tool_calls: calls });
const tstop = c({}, { finish_reason: "tool_calls" });
const one = { calls: [["a", "read", '{"p":1}']], finish: "tool_calls" };
play(
  "chat",
  "call",
  ev(
    tc({ index: 0, id: "a", type: "function", function: f("read", "") }),
    tc({ index: 0, function: f(undefined, '{"p"') }),
    tc({ index: 0, function: f(undefined, ":1}") }),
    tstop,
    D,
  ),
  one,
);
play(
  "chat",
  "call brace with name",
  ev(
    tc({ index: 0, id: "a", function: f("read", "{") }),
    tc({ index: 0, function: f(undefined, '"p":1}') }),
    tstop,
    D,
  ),
  one,
);
play(
  "chat",
  "call nulls",
  ev(
    tc({ index: 0, id: "a", type: "function", function: f("read", null) }),
    tc({ index: 0, id: null, type: null, function: { name: null, arguments: '{"p":1}' } }),
    tstop,
    D,
  ),
  one,
);
play(
  "chat",
  "call empty strings",
  ev(
    tc({ index: 0, id: "a", type: "function", function: f("read", "") }),
    tc({ index: 0, id: "", type: "", function: { name: "", arguments: '{"p":1}' } }),
    tstop,
    D,
  ),
  one,
);
play(
  "chat",
  "call string index",
  ev(
    tc({ index: "0", id: "a", function: f("read", "") }),
    tc({ index: "0", function: f(undefined, '{"p":1}') }),
    tstop,
    D,
  ),
  one,
);
play(
  "chat",
  "call without arguments",
  ev(tc({ index: 0, id: "a", function: f("read") }), tstop, D),
  { calls: [["a", "read", "{}"]] },
);
play(
  "chat",
  "call empty arguments",
  ev(tc({ index: 0, id: "a", function: f("read", "") }), tstop, D),
  { calls: [["a", "read", "{}"]] },
);
play(
  "chat",
  "two, second after empty-argument call",
  ev(
    tc({ index: 0, id: "a", function: f("now", "") }),
    tc({ index: 1, id: "b", function: f("read", '{"p":1}') }),
    tstop,
    D,
  ),
  {
    calls: [
      ["a", "now", "{}"],
      ["b", "read", '{"p":1}'],
    ],
  },
);
play(
  "chat",
  "two no index no args",
  ev(
    tc({ id: "a", function: f("now", "") }),
    tc({ id: "b", function: f("read", '{"p":1}') }),
    tstop,
    D,
  ),
  {
    calls: [
      ["a", "now", "{}"],
      ["b", "read", '{"p":1}'],
    ],
  },
);
play(
  "chat",
  "whole object",
  ev(tc({ index: 0, id: "a", function: f("read", { p: 1 }) }), tstop, D),
  one,
);
play(
  "chat",
  "object repeated whole",
  ev(
    tc({ index: 0, id: "a", function: f("read", { p: 1 }) }),
    tc({ index: 0, id: "a", function: f("read", { p: 1 }) }),
    tstop,
    D,
  ),
  one,
);
play(
  "chat",
  "whole repeated in message at end",
  ev(
    tc({ index: 0, id: "a", function: f("read", '{"p":1}') }),
    {
      id: "r",
      choices: [
        {
          index: 0,
          message: { tool_calls: [{ id: "a", function: f("read", '{"p":1}') }] },
          finish_reason: "tool_calls",
        },
      ],
    },
    D,
  ),
  one,
);
play("chat", "numeric id", ev(tc({ index: 0, id: 7, function: f("read", '{"p":1}') }), tstop, D), {
  finish: "tool_calls",
});
play(
  "chat",
  "stop with calls",
  ev(tc({ index: 0, id: "a", function: f("read", '{"p":1}') }), stop, D),
  one,
);
play("chat", "empty tool_calls list", ev(c({ content: T, tool_calls: [] }), stop, D), {
  ...fine,
  calls: [],
});
play(
  "chat",
  "calls interleaved",
  ev(
    tc(
      { index: 0, id: "a", function: f("read", "") },
      { index: 1, id: "b", function: f("list", "") },
    ),
    tc({ index: 1, function: f(undefined, '{"q"') }),
    tc({ index: 0, function: f(undefined, '{"p"') }),
    tc({ index: 1, function: f(undefined, ":2}") }, { index: 0, function: f(undefined, ":1}") }),
    tstop,
    D,
  ),
  {
    calls: [
      ["a", "read", '{"p":1}'],
      ["b", "list", '{"q":2}'],
    ],
  },
);
play(
  "chat",
  "same id for all (bug of servers)",
  ev(
    tc({ index: 0, id: "x", function: f("read", '{"p":1}') }),
    tc({ index: 1, id: "x", function: f("list", '{"q":2}') }),
    tstop,
    D,
  ),
  {
    finish: "tool_calls",
    calls: [
      ["x", "read", '{"p":1}'],
      ["call_r_1", "list", '{"q":2}'],
    ],
  },
);
play(
  "chat",
  "new id each piece (gemini proxies)",
  ev(
    tc({ index: 0, id: "x1", function: f("read", '{"p"') }),
    tc({ index: 0, id: "x2", function: f(undefined, ":1}") }),
    tstop,
    D,
  ),
  { calls: [["x1", "read", '{"p":1}']] },
);
play(
  "chat",
  "text and call",
  ev(a, tc({ index: 0, id: "a", function: f("read", '{"p":1}') }), tstop, D),
  { text: "Hé", ...one },
);
// anthropic
const m0 = {
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  },
};
const bs = (index: number, content_block: object): Event => ({
    type: "content_block_start",
    index,
    content_block,
  }),
  bd = (index: number, delta: object): Event => ({ type: "content_block_delta", index, delta }),
  be = (index: number): Event => ({ type: "content_block_stop", index });
const md = (stop_reason: string, output_tokens = 5): Event => ({
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens },
  }),
  ms = { type: "message_stop" };
const av = (...l: Event[]): string => l.map((e) => `event: ${e.type}\ndata: ${j(e)}\n\n`).join("");
const at = [
  m0,
  bs(0, { type: "text", text: "" }),
  bd(0, { type: "text_delta", text: "Hé" }),
  bd(0, { type: "text_delta", text: "llo 🎉" }),
  be(0),
];
const afine = { text: T, finish: "stop", usage: [3, 5] };
play("anthropic", "plain", av(...at, md("end_turn"), ms), afine);
play(
  "anthropic",
  "ping",
  av(m0, { type: "ping" }, ...at.slice(1), { type: "ping" }, md("end_turn"), ms),
  afine,
);
play("anthropic", "no event lines", ev(...at, md("end_turn"), ms), afine);
play("anthropic", "no stop", av(...at, md("end_turn")), afine);
play(
  "anthropic",
  "last without blank",
  av(...at) + `event: message_delta\ndata: ${j(md("end_turn"))}`,
  afine,
);
play("anthropic", "cut", av(...at), { error: "network_error" });
play("anthropic", "CRLF", av(...at, md("end_turn"), ms).replaceAll("\n", "\r\n"), afine);
play(
  "anthropic",
  "error",
  av(...at.slice(0, 3), {
    type: "error",
    error: { type: "overloaded_error", message: "Overloaded" },
  }),
  { error: /rate_limited|provider_error/, message: /Overloaded/ },
);
play("anthropic", "no message_start", av(...at.slice(1), md("end_turn"), ms), {
  text: T,
  finish: "stop",
});
play(
  "anthropic",
  "usage all at end",
  av(...at, { ...md("end_turn"), usage: { input_tokens: 3, output_tokens: 5 } }, ms),
  afine,
);
play(
  "anthropic",
  "usage null at start",
  av(
    { ...m0, message: { ...m0.message, usage: null } },
    ...at.slice(1),
    { ...md("end_turn"), usage: { input_tokens: 3, output_tokens: 5 } },
    ms,
  ),
  afine,
);
play(
  "anthropic",
  "usage input 0 at end",
  av(...at, { ...md("end_turn"), usage: { input_tokens: 0, output_tokens: 5 } }, ms),
  afine,
);
play(
  "anthropic",
  "thinking",
  av(
    m0,
    bs(0, { type: "thinking", thinking: "" }),
    bd(0, { type: "thinking_delta", thinking: "hm" }),
    bd(0, { type: "signature_delta", signature: "s" }),
    be(0),
    bs(1, { type: "text", text: "" }),
    bd(1, { type: "text_delta", text: T }),
    be(1),
    md("end_turn"),
    ms,
  ),
  { ...afine, reasoning: "hm" },
);
play(
  "anthropic",
  "tool",
  av(
    m0,
    bs(0, { type: "tool_use", id: "a", name: "read", input: {} }),
    bd(0, { type: "input_json_delta", partial_json: "" }),
    bd(0, { type: "input_json_delta", partial_json: '{"p"' }),
    bd(0, { type: "input_json_delta", partial_json: ":1}" }),
    be(0),
    md("tool_use"),
    ms,
  ),
  one,
);
play(
  "anthropic",
  "tool whole input at start",
  av(
    m0,
    bs(0, { type: "tool_use", id: "a", name: "read", input: { p: 1 } }),
    be(0),
    md("tool_use"),
    ms,
  ),
  one,
);
play(
  "anthropic",
  "tool whole input at start and deltas",
  av(
    m0,
    bs(0, { type: "tool_use", id: "a", name: "read", input: { p: 1 } }),
    bd(0, { type: "input_json_delta", partial_json: '{"p":1}' }),
    be(0),
    md("tool_use"),
    ms,
  ),
  one,
);
play(
  "anthropic",
  "tool no args",
  av(m0, bs(0, { type: "tool_use", id: "a", name: "read", input: {} }), be(0), md("tool_use"), ms),
  { calls: [["a", "read", "{}"]] },
);
play(
  "anthropic",
  "tool only empty delta",
  av(
    m0,
    bs(0, { type: "tool_use", id: "a", name: "read", input: {} }),
    bd(0, { type: "input_json_delta", partial_json: "" }),
    be(0),
    md("tool_use"),
    ms,
  ),
  { calls: [["a", "read", "{}"]] },
);
play(
  "anthropic",
  "index repeated 0",
  av(
    m0,
    bs(0, { type: "tool_use", id: "a", name: "read", input: {} }),
    bd(0, { type: "input_json_delta", partial_json: '{"p":1}' }),
    be(0),
    bs(0, { type: "tool_use", id: "b", name: "list", input: {} }),
    bd(0, { type: "input_json_delta", partial_json: '{"q":2}' }),
    be(0),
    md("tool_use"),
    ms,
  ),
  {
    calls: [
      ["a", "read", '{"p":1}'],
      ["b", "list", '{"q":2}'],
    ],
  },
);
play(
  "anthropic",
  "stop with calls",
  av(
    m0,
    bs(0, { type: "tool_use", id: "a", name: "read", input: { p: 1 } }),
    be(0),
    md("end_turn"),
    ms,
  ),
  one,
);
play(
  "anthropic",
  "block start has text",
  av(
    m0,
    bs(0, { type: "text", text: "Hé" }),
    bd(0, { type: "text_delta", text: "llo 🎉" }),
    be(0),
    md("end_turn"),
    ms,
  ),
  afine,
);
play(
  "anthropic",
  "whole body",
  j({
    id: "m",
    type: "message",
    content: [{ type: "text", text: T }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 5 },
  }),
  afine,
);
play(
  "anthropic",
  "single line ends",
  [...at, md("end_turn"), ms].map((e) => `event: ${e.type}\ndata: ${j(e)}\n`).join(""),
  afine,
);
play("anthropic", "DONE at end", av(...at, md("end_turn"), ms) + "data: [DONE]\n\n", afine);
// responses
const ri = {
  type: "message",
  id: "i",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: T, annotations: [] }],
};
const rfull = (output: object[], more = {}): Event & { response: object } => ({
  type: "response.completed",
  response: {
    id: "r",
    status: "completed",
    output,
    usage: { input_tokens: 3, output_tokens: 5 },
    ...more,
  },
});
const rd = [
  { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: { ...ri, content: [] } },
  { type: "response.output_text.delta", output_index: 0, delta: "Hé" },
  { type: "response.output_text.delta", output_index: 0, delta: "llo 🎉" },
  { type: "response.output_text.done", text: T },
  { type: "response.output_item.done", output_index: 0, item: ri },
];
play("responses", "plain", av(...rd, rfull([ri])), afine);
play("responses", "output empty at end", av(...rd, rfull([])), afine);
play(
  "responses",
  "no output at end",
  av(...rd, {
    type: "response.completed",
    response: { id: "r", status: "completed", usage: { input_tokens: 3, output_tokens: 5 } },
  }),
  afine,
);
play("responses", "no item.done, output empty", av(...rd.slice(0, 5), rfull([])), {
  text: T,
  finish: "stop",
});
play("responses", "cut", av(...rd), { error: "network_error" });
play("responses", "last without blank", av(...rd) + `data: ${j(rfull([ri]))}`, afine);
play(
  "responses",
  "failed",
  av(...rd.slice(0, 3), {
    type: "response.failed",
    response: {
      id: "r",
      status: "failed",
      error: { code: "server_error", message: "boom" },
      output: [],
    },
  }),
  { message: /boom/ },
);
play(
  "responses",
  "error event",
  av(...rd.slice(0, 3), { type: "error", code: "server_error", message: "boom", param: null }),
  { message: /boom/ },
);
play(
  "responses",
  "incomplete",
  av(...rd, {
    type: "response.incomplete",
    response: {
      id: "r",
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [ri],
    },
  }),
  { text: T, finish: "length" },
);
const rc = {
  type: "function_call",
  id: "fc",
  call_id: "a",
  name: "read",
  arguments: '{"p":1}',
  status: "completed",
};
play(
  "responses",
  "call",
  av(
    { type: "response.output_item.added", output_index: 0, item: { ...rc, arguments: "" } },
    {
      type: "response.function_call_arguments.delta",
      output_index: 0,
      item_id: "fc",
      delta: '{"p":1}',
    },
    {
      type: "response.function_call_arguments.done",
      output_index: 0,
      item_id: "fc",
      arguments: '{"p":1}',
    },
    { type: "response.output_item.done", output_index: 0, item: rc },
    rfull([rc]),
  ),
  one,
);
play(
  "responses",
  "call, end without output",
  av(
    { type: "response.output_item.added", output_index: 0, item: { ...rc, arguments: "" } },
    {
      type: "response.function_call_arguments.done",
      output_index: 0,
      item_id: "fc",
      arguments: '{"p":1}',
    },
    { type: "response.output_item.done", output_index: 0, item: rc },
    rfull([]),
  ),
  one,
);
play("responses", "response.done", av(...rd, { ...rfull([ri]), type: "response.done" }), afine);
play("responses", "whole body", j(rfull([ri]).response), afine);
play("responses", "no args", av(rfull([{ ...rc, arguments: "" }])), {
  calls: [["a", "read", "{}"]],
});
play("responses", "DONE after", av(...rd, rfull([ri])) + "data: [DONE]\n\n", afine);
play(
  "responses",
  "reasoning",
  av(
    { type: "response.reasoning_summary_text.delta", delta: "hm" },
    ...rd,
    rfull([{ type: "reasoning", id: "x", summary: [{ type: "summary_text", text: "hm" }] }, ri]),
  ),
  { ...afine, reasoning: "hm" },
);
// gemini
const g = (parts: object[], more = {}, root = {}): object => ({
  responseId: "r",
  candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
  ...root,
});
const gu = { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5 } };
play(
  "gemini",
  "plain",
  ev(g([{ text: "Hé" }]), g([{ text: "llo 🎉" }], { finishReason: "STOP" }, gu)),
  afine,
);
play(
  "gemini",
  "usage after",
  ev(g([{ text: T }], { finishReason: "STOP" }), { responseId: "r", ...gu }),
  afine,
);
play(
  "gemini",
  "usage before and after",
  ev(g([{ text: T }], { finishReason: "STOP" }, { usageMetadata: { promptTokenCount: 3 } }), {
    responseId: "r",
    ...gu,
  }),
  afine,
);
play(
  "gemini",
  "a reason and usage with each chunk",
  ev(
    g([{ text: "Hé" }], { finishReason: "STOP" }, gu),
    g([{ text: "llo 🎉" }], { finishReason: "STOP" }, gu),
  ),
  afine,
);
play(
  "gemini",
  "a call after a reason",
  ev(
    g([{ text: T }], { finishReason: "STOP" }, gu),
    g([{ functionCall: { name: "read", args: { p: 1 } } }], { finishReason: "STOP" }, gu),
  ),
  { text: T, finish: "tool_calls", calls: [["call_r_0", "read", '{"p":1}']] },
);
play(
  "gemini",
  "finish without content",
  ev(g([{ text: T }]), { candidates: [{ finishReason: "STOP" }], ...gu }),
  afine,
);
play(
  "gemini",
  "last without blank",
  ev(g([{ text: "Hé" }])) + `data: ${j(g([{ text: "llo 🎉" }], { finishReason: "STOP" }, gu))}`,
  afine,
);
play(
  "gemini",
  "CRLF",
  ev(g([{ text: T }], { finishReason: "STOP" }, gu)).replaceAll("\n", "\r\n"),
  afine,
);
play("gemini", "cut", ev(g([{ text: T }])), { error: "network_error" });
play(
  "gemini",
  "call",
  ev(g([{ functionCall: { name: "read", args: { p: 1 } } }], { finishReason: "STOP" }, gu)),
  { finish: "tool_calls" },
);
play(
  "gemini",
  "call no args",
  ev(g([{ functionCall: { name: "read" } }], { finishReason: "STOP" }, gu)),
  { finish: "tool_calls", calls: [["call_r_0", "read", "{}"]] },
);
play(
  "gemini",
  "thought",
  ev(g([{ text: "hm", thought: true }]), g([{ text: T }], { finishReason: "STOP" }, gu)),
  { ...afine, reasoning: "hm" },
);
play(
  "gemini",
  "arguments in pieces",
  ev(
    g([{ functionCall: { name: "read", partialArgs: [{ jsonPath: "$.p", stringValue: "a" }] } }]),
    g([], { finishReason: "STOP" }, gu),
  ),
  { message: /do not set streamFunctionCallArguments/ },
);
play("gemini", "blocked", ev({ promptFeedback: { blockReason: "SAFETY" }, ...gu }), {
  error: "content_filtered",
});
play(
  "gemini",
  "error",
  ev(g([{ text: "Hé" }]), { error: { code: 503, message: "boom", status: "UNAVAILABLE" } }),
  { message: /boom/ },
);
play(
  "gemini",
  "array body",
  j([g([{ text: "Hé" }]), g([{ text: "llo 🎉" }], { finishReason: "STOP" }, gu)]),
  afine,
);
play("gemini", "malformed call", ev(g([], { finishReason: "MALFORMED_FUNCTION_CALL" }, gu)), {
  finish: "other",
});

describe("a stream of another server", () => {
  it.each(plays)("of $kind: $name", async (one) => {
    for (const size of [1, 7, Infinity]) {
      const want = Object.entries(one.want).map(([key, value]) => [
        key,
        value instanceof RegExp ? matching(value) : value,
      ]);
      expect(await read(one, size)).toMatchObject(Object.fromEntries(want));
    }
  });
});
