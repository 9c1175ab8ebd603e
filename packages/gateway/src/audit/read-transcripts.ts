import {
  arrayAt,
  isRecord,
  jsonText,
  type JsonRecord,
  numberAt,
  parseJson,
  recordAt,
  stringAt,
} from "@ccl/core/json";

import { type HistoryItem, promptEnds } from "../history/history-item.ts";
import { readRequest, readUsage } from "../history/read-request.ts";
import { readLines } from "../json/read-lines.ts";
import { newTranscript, type Transcript } from "./transcript.ts";

/**
 * Reads the sessions of a file: a log of Claude Code or Codex, an export of opencode, or messages of any of the three
 * APIs as one JSON document or JSON lines. Empty for anything else. Skips lines that cannot be parsed. If the file
 * records no calls, assumes one before each answer, and one at the end if no answer follows.
 */
export function readTranscripts(text: string): Transcript[] {
  return readSessions(text).map((transcript) => {
    const { items, calls } = transcript;
    return calls.length > 0
      ? transcript
      : { ...transcript, calls: promptEnds(items).map((end) => ({ end })) };
  });
}

function readSessions(text: string): Transcript[] {
  const whole =
    text.trimStart().startsWith("{") || text.trimStart().startsWith("[")
      ? parseJson(text)
      : undefined;
  if (whole !== undefined) return readDocument(whole);
  const lines = readLines(text, isRecord);
  if (lines.some((line) => "payload" in line)) return readCodex(lines);
  if (lines.some((line) => Array.isArray(line["messages"]) || Array.isArray(line["input"])))
    return lines.flatMap(readDocument);
  return readClaudeCode(lines);
}

function readDocument(value: unknown): Transcript[] {
  if (Array.isArray(value)) return readMessages({ messages: value });
  if (!isRecord(value)) return [];
  if (Array.isArray(value["loglines"])) return readClaudeCode(value["loglines"].filter(isRecord));
  if (arrayAt(value, "messages").some((one) => isRecord(one) && Array.isArray(one["parts"])))
    return readOpencode(arrayAt(value, "messages"));
  if ("payload" in value) return readCodex([value]);
  return "message" in value ? readClaudeCode([value]) : readMessages(value);
}

function readMessages(body: JsonRecord): Transcript[] {
  const read = readRequest(body);
  if (read === undefined || read.items.length === 0) return [];
  return [{ ...newTranscript("messages"), model: read.model, items: read.items }];
}

/** Appends the items of messages. A result gets the tool name of its call. */
function append(transcript: Transcript, body: JsonRecord): void {
  const read = readRequest(body);
  for (const item of read?.items ?? []) {
    const tool = item.tool ?? toolOf(transcript.items, item);
    transcript.items.push({ ...item, tool });
  }
}

function toolOf(items: readonly HistoryItem[], { kind, callId }: HistoryItem): string | undefined {
  if (kind !== "result" || callId === undefined) return undefined;
  return items.findLast((item) => item.kind === "call" && item.callId === callId)?.tool;
}

const timeOf = (line: JsonRecord): number | undefined => {
  const time = Date.parse(stringAt(line, "timestamp") ?? "");
  return Number.isNaN(time) ? undefined : time;
};

function readClaudeCode(lines: readonly JsonRecord[]): Transcript[] {
  const threads = new Map<string, Transcript[]>();
  let lastAnswer: string | undefined;
  for (const line of lines) {
    const isSide = line["isSidechain"] === true;
    const key = isSide ? `side ${stringAt(line, "agentId") ?? ""}` : "main";
    const thread = threads.get(key) ?? [newTranscript("claude-code")];
    threads.set(key, thread);
    const isCompaction =
      line["isCompactSummary"] === true || stringAt(line, "subtype") === "compact_boundary";
    if (isCompaction && thread.at(-1)?.items.length !== 0)
      thread.push(newTranscript("claude-code", true));
    const transcript = thread.at(-1);
    const message = recordAt(line, "message");
    if (transcript === undefined || message["role"] === undefined) continue;
    if (message["role"] === "assistant") {
      const id = stringAt(message, "id");
      const model = stringAt(message, "model");
      if (id === undefined || id !== lastAnswer) {
        const usage = readUsage(message["usage"]);
        transcript.calls.push({ end: transcript.items.length, atMs: timeOf(line), model, usage });
      }
      lastAnswer = id;
      if (model !== "<synthetic>") transcript.model = model ?? transcript.model;
    }
    append(transcript, { messages: [message] });
  }
  return [...threads.values()].flat().filter(({ items }) => items.length > 0);
}

function readCodex(lines: readonly JsonRecord[]): Transcript[] {
  const transcripts = [newTranscript("codex")];
  let model: string | undefined;
  for (const line of lines) {
    const payload = recordAt(line, "payload");
    let transcript = transcripts.at(-1);
    if (transcript === undefined) continue;
    if (line["type"] === "turn_context") model = stringAt(payload, "model") ?? model;
    transcript.model = model;
    if (line["type"] === "compacted" && transcript.items.length > 0) {
      transcript = { ...newTranscript("codex", true), model };
      transcripts.push(transcript);
      append(transcript, {
        input: [{ role: "user", content: stringAt(payload, "message") ?? "" }],
      });
    }
    if (line["type"] === "session_meta") {
      const text = stringAt(payload, "instructions") ?? "";
      if (text !== "") transcript.items.push({ kind: "system", text });
    }
    if (line["type"] === "response_item") append(transcript, { input: [payload] });
    const used = recordAt(recordAt(payload, "info"), "last_token_usage");
    const usage = payload["type"] === "token_count" ? readUsage(used) : undefined;
    if (usage !== undefined)
      transcript.calls.push({
        end: startOfAnswer(transcript.items),
        atMs: timeOf(line),
        model,
        usage,
      });
  }
  return transcripts.filter(({ items }) => items.length > 0);
}

function startOfAnswer(items: readonly HistoryItem[]): number {
  return (
    items.findLastIndex(({ kind }) => kind === "user" || kind === "result" || kind === "system") + 1
  );
}

function readOpencode(messages: readonly unknown[]): Transcript[] {
  const transcript = newTranscript("opencode");
  for (const message of messages) {
    const info = isRecord(message) ? recordAt(message, "info") : {};
    const role = stringAt(info, "role");
    transcript.model = stringAt(info, "modelID") ?? transcript.model;
    if (role === "assistant") {
      const tokens = recordAt(info, "tokens");
      const cached = numberAt(recordAt(tokens, "cache"), "read") ?? 0;
      const written = numberAt(recordAt(tokens, "cache"), "write") ?? 0;
      const input = numberAt(tokens, "input");
      const usage =
        input === undefined ? undefined : { cached, written, total: input + cached + written };
      const atMs = numberAt(recordAt(info, "time"), "created");
      transcript.calls.push({ end: transcript.items.length, atMs, model: transcript.model, usage });
    }
    for (const part of arrayAt(message, "parts")) readOpencodePart(part, role, transcript.items);
  }
  return transcript.items.length === 0 ? [] : [transcript];
}

function readOpencodePart(part: unknown, role: string | undefined, items: HistoryItem[]): void {
  if (!isRecord(part)) return;
  const text = stringAt(part, "text") ?? "";
  if (part["type"] === "text")
    items.push({ kind: role === "assistant" ? "assistant" : "user", text });
  if (part["type"] === "reasoning") items.push({ kind: "reasoning", text });
  if (part["type"] !== "tool") return;
  const state = recordAt(part, "state");
  const [tool, callId] = [stringAt(part, "tool"), stringAt(part, "callID")];
  items.push({ kind: "call", text: jsonText(state["input"] ?? {}), tool, callId });
  const output = stringAt(state, "output") ?? stringAt(state, "error");
  if (output !== undefined) items.push({ kind: "result", text: output, tool, callId });
}
