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
import { newTranscript, type Transcript } from "./transcript.ts";

/** The sessions read from a file. */
export interface ReadTranscripts {
  transcripts: Transcript[];
  /** Why the file, or a part of it, could not be read. */
  unread?: string | undefined;
}

/**
 * Reads the sessions in a file: a Claude Code or Codex log, an opencode export, or requests or messages of any of the
 * three APIs as a JSON document or JSON lines. If the file records no calls, assumes one before each answer, and one at
 * the end if no answer follows.
 */
export function readTranscripts(input: string): ReadTranscripts {
  const text = input.replace(/^\uFEFF/, "");
  const whole = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  const values = whole === undefined ? text.split(/\n\s*/).filter(Boolean).map(parseJson) : [whole];
  const lines = values.filter(isRecord);
  const read = values.length > 1 ? readLines(lines) : readDocument(whole);
  const transcripts = read
    .filter(({ items }) => items.length > 0)
    .map((transcript) =>
      transcript.calls.length > 0
        ? transcript
        : { ...transcript, calls: promptEnds(transcript.items).map((end) => ({ end })) },
    );
  const broken = values.filter((value) => value === undefined).length;
  if (broken === values.length) return { transcripts, unread: "not JSON" };
  const unread =
    transcripts.length === 0
      ? "no messages of Claude Code, Codex, opencode, OpenAI's or Anthropic's API"
      : broken === 0
        ? undefined
        : `${broken} of ${values.length} lines are not JSON`;
  return { transcripts, unread };
}

function readLines(lines: readonly JsonRecord[]): Transcript[] {
  // Until September 2025, Codex wrote the items without a wrapper.
  const isItem = ({ type, role, content }: JsonRecord): boolean =>
    type === "message" && role !== undefined && Array.isArray(content);
  if (lines.some((line) => "payload" in line || isItem(line)))
    return readCodex(
      lines.map((line) => ("payload" in line ? line : { type: "response_item", payload: line })),
    );
  const requests = lines.map(requestOf);
  return requests.every(({ messages, input }) => Array.isArray(messages) || Array.isArray(input))
    ? requests.flatMap(readMessages)
    : readClaudeCode(lines);
}

/** Returns the request in an entry of a batch or request log. */
const requestOf = (value: JsonRecord): JsonRecord =>
  [value["body"], value["request"]].find(isRecord) ?? value;

function readDocument(value: unknown): Transcript[] {
  if (Array.isArray(value)) {
    const read = readMessages({ messages: value });
    return read.length > 0 ? read : readLines(value.filter(isRecord));
  }
  if (!isRecord(value)) return [];
  if (Array.isArray(value["loglines"])) return readClaudeCode(value["loglines"].filter(isRecord));
  if (
    arrayAt(value, "messages").some(
      (message) => isRecord(message) && Array.isArray(message["parts"]),
    )
  )
    return readOpencode(arrayAt(value, "messages"));
  return readLines([value]);
}

function readMessages(body: JsonRecord): Transcript[] {
  const read = readRequest(body);
  // Other programs name the speaker in a different field.
  const isOther = arrayAt(body, "messages").some(
    (message) => stringAt(message, "role") === undefined,
  );
  if (read === undefined || isOther) return [];
  return [{ ...newTranscript("messages"), model: read.model, items: read.items }];
}

/** Appends the items of messages. Sets the tool name of each result from its call. */
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
    // In logs of other agents, this field holds a different type.
    if (transcript === undefined || message["role"] !== line["type"]) continue;
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
  return [...threads.values()].flat();
}

function readCodex(lines: readonly JsonRecord[]): Transcript[] {
  const transcripts = [newTranscript("codex")];
  let model: string | undefined;
  let counted: number | undefined;
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
    if (payload["type"] !== "token_count") continue;
    const info = recordAt(payload, "info");
    const usage = readUsage(info["last_token_usage"]);
    // Codex repeats a call's usage when it writes the account's limits.
    const total = numberAt(info["total_token_usage"], "total_tokens");
    const isRepeated = total !== undefined && total === counted;
    counted = total ?? counted;
    if (usage !== undefined && !isRepeated)
      transcript.calls.push({
        end: startOfAnswer(transcript.items),
        atMs: timeOf(line),
        model,
        usage,
      });
  }
  return transcripts;
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
  return [transcript];
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
