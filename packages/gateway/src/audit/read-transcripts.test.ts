import { expect, it } from "vitest";

import { reportedUsd } from "./audit-transcript.ts";
import { readTranscripts } from "./read-transcripts.ts";

const linesOf = (...values: object[]): string =>
  values.map((value) => JSON.stringify(value)).join("\n");
const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } };
const chat = {
  model: "gpt-5",
  messages: [
    { role: "user", content: "What is here?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "a.ts" },
  ],
};
const responses = [
  { type: "message", role: "user", content: [{ type: "input_text", text: "What is here?" }] },
  { type: "function_call", name: "ls", arguments: "{}", call_id: "c1" },
  { type: "function_call_output", call_id: "c1", output: "a.ts" },
];
const blocks = [
  { role: "user", content: "What is here?" },
  { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "ls", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a.ts" }] },
];
const claude = blocks.map((message) => ({ type: message.role, sessionId: "s", message }));
const meta = { type: "session_meta", payload: { id: "s", cwd: "/" } };

it.each([
  [
    "a log of Claude Code",
    "claude-code",
    linesOf({ type: "summary", summary: "Files" }, ...claude),
  ],
  ["a log of Claude Code as one list", "claude-code", JSON.stringify(claude)],
  ["a log with a byte order mark", "claude-code", `\uFEFF${linesOf(...claude)}`],
  ["requests as one list", "messages", JSON.stringify([{ body: chat }])],
  ["an export with loglines", "claude-code", JSON.stringify({ loglines: claude }, null, 2)],
  [
    "a log of Codex",
    "codex",
    linesOf(meta, ...responses.map((payload) => ({ type: "response_item", payload }))),
  ],
  [
    "a log of an older Codex",
    "codex",
    linesOf({ id: "s", instructions: null }, { record_type: "state" }, ...responses),
  ],
  [
    "an export of opencode",
    "opencode",
    JSON.stringify({
      info: { id: "ses_1" },
      messages: [
        { info: { role: "user" }, parts: [{ type: "text", text: "What is here?" }] },
        {
          info: { role: "assistant", modelID: "gpt-5" },
          parts: [{ type: "tool", tool: "ls", callID: "c1", state: { input: {}, output: "a.ts" } }],
        },
      ],
    }),
  ],
  ["a chat request", "messages", JSON.stringify(chat)],
  ["a list of messages", "messages", JSON.stringify(chat.messages)],
  ["a request of the Responses API", "messages", JSON.stringify({ input: responses })],
  ["a request of Anthropic's API", "messages", JSON.stringify({ messages: blocks })],
  ["a line of a batch", "messages", linesOf({ custom_id: "1", url: "/v1/chat", body: chat })],
  ["a log of requests", "messages", linesOf({ request: chat, response: { choices: [] } })],
])("reads %s", (_, client, text) => {
  const { transcripts, unread } = readTranscripts(text);
  expect(unread).toBeUndefined();
  expect(transcripts.map((one) => one.client)).toEqual([client]);
  const items = transcripts[0]?.items ?? [];
  expect(items.map(({ kind }) => kind)).toEqual(["user", "call", "result"]);
  expect(items[2]).toMatchObject({ text: "a.ts", tool: "ls", callId: "c1" });
});

it("reads each request of a batch as one session", () => {
  const { transcripts } = readTranscripts(linesOf({ body: chat }, { body: chat }));
  expect(transcripts.map(({ calls }) => calls.length)).toEqual([2, 2]);
});

const unknown = "no messages of Claude Code, Codex, opencode, OpenAI's or Anthropic's API";
it.each([
  ["nothing", "", "not JSON"],
  ["plain text", "user: What is here?\nassistant: a.ts", "not JSON"],
  ["a document that is cut off", '{"messages":[{"role":"user"', "not JSON"],
  ["a Codex session without messages", linesOf(meta, { type: "event_msg", payload: {} }), unknown],
  [
    "another agent's messages under type and message",
    linesOf(
      { type: "session", id: "s" },
      { type: "message", message: { role: "user", content: [{ type: "text", text: "Hi" }] } },
      { type: "message", message: { role: "toolResult", toolCallId: "c", content: [] } },
    ),
    unknown,
  ],
  [
    "another agent's stream",
    linesOf({ type: "message", role: "user", text: "Hi" }, { type: "tool_call", name: "ls" }),
    unknown,
  ],
  [
    "messages without a role",
    JSON.stringify({ sessionId: "s", messages: [{ type: "user", content: "Hi" }] }),
    unknown,
  ],
  [
    "messages in parts",
    linesOf(
      { type: "user", message: { role: "user", parts: [{ text: "Hi" }] } },
      { type: "assistant", message: { role: "model", parts: [{ text: "Ho" }] } },
    ),
    unknown,
  ],
  [
    "events of which some have an input",
    linesOf({ type: "metadata" }, { type: "turn.prompt", input: [{ type: "text", text: "Hi" }] }),
    unknown,
  ],
  ["other data", JSON.stringify({ name: "x", version: "1" }), unknown],
])("refuses %s and says why", (_, text, reason) => {
  expect(readTranscripts(text)).toEqual({ transcripts: [], unread: reason });
});

it("counts the usage of a call of Codex once, though its log repeats it with the account's limits", () => {
  const counted = (total_tokens: number, input_tokens: number): object => ({
    type: "event_msg",
    payload: {
      type: "token_count",
      info: { total_token_usage: { total_tokens }, last_token_usage: { input_tokens } },
    },
  });
  const limits = { type: "event_msg", payload: { type: "token_count", info: null } };
  const items = responses.map((payload) => ({ type: "response_item", payload }));
  const text = linesOf(
    { type: "turn_context", payload: { model: "gpt-5" } },
    ...items,
    counted(30_000, 30_000),
    limits,
    counted(30_000, 30_000),
    counted(60_000, 30_000),
  );
  const { transcripts } = readTranscripts(text);
  expect(transcripts[0]?.calls.map(({ usage }) => usage?.total)).toEqual([30_000, 30_000]);
  expect(reportedUsd(transcripts)).toBeCloseTo((60_000 * 1.25) / 1e6);
});

it("reports how many lines of a log it skipped", () => {
  const { transcripts, unread } = readTranscripts(`${linesOf(...claude)}\n{"type":"assi`);
  expect(transcripts[0]?.items).toHaveLength(3);
  expect(unread).toBe("1 of 4 lines are not JSON");
});

it("sums the reported cost if every session has a price", () => {
  const answer = (model: string, input_tokens: number): object => ({
    type: "assistant",
    message: { role: "assistant", id: model, model, usage: { input_tokens }, content: "a.ts" },
  });
  const usdOf = (...lines: object[]): number | undefined =>
    reportedUsd(readTranscripts(linesOf(...claude.slice(0, 1), ...lines)).transcripts);
  const known = answer("claude-sonnet-4-5", 1_000_000);
  expect(usdOf(known, answer("<synthetic>", 0))).toBeCloseTo(3);
  expect(usdOf(known, answer("claude-next", 5))).toBeUndefined();
  expect(usdOf()).toBeUndefined();
});
