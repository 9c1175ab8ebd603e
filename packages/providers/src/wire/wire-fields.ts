import type {
  ChatMessage,
  MediaPart,
  ModelUsage,
  Part,
  ProviderFields,
  ProviderPart,
  ReasoningPart,
  TextPart,
  ToolCall,
} from "@ccl/core";
import {
  arrayAt,
  isRecord,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  toBase64,
  withoutUndefined,
} from "@ccl/core/json";

import { formOf, withForm } from "./original-form.ts";

/** Returns the fields that a converter does not know, as `providerMetadata` under the wire format's name. */
export function unknownFields(
  format: string,
  record: JsonRecord,
  known: readonly string[],
): { [format: string]: JsonRecord } | undefined {
  const rest = Object.entries(record).filter(
    ([key, value]) => value !== undefined && !known.includes(key),
  );
  return rest.length === 0 ? undefined : { [format]: Object.fromEntries(rest) };
}

/** Returns the fields of a message, part or call that are specific to this wire format. */
export function fieldsFor(format: string, owner: ProviderFields): JsonRecord {
  return recordAt(owner.providerMetadata, format);
}

/** Adds metadata, if not empty. */
export function withMetadata<Owner extends object>(
  owner: Owner,
  providerMetadata: ProviderFields["providerMetadata"],
): Owner {
  return providerMetadata === undefined ? owner : { ...owner, providerMetadata };
}

/** Merges a message's own fields into the converter's. The converter's take precedence. */
export function joinFields(written: JsonRecord, own: JsonRecord): JsonRecord {
  return Object.keys(own).length === 0 ? written : { ...written, ...own, ...written };
}

/** Wraps a part without a counterpart. The provider's own tool calls share a `pairId` with their results. */
export function opaquePart(provider: string, raw: unknown): ProviderPart {
  const pairId = pairKeys.map((key) => stringAt(raw, key)).find((id) => id !== undefined);
  return withoutUndefined({ type: "provider", provider, raw, pairId });
}

const pairKeys = [
  "approvalId",
  "tool_use_id",
  "call_id",
  "approval_request_id",
  "toolCallId",
  "id",
];

/** The part that was read, the fields it was read from, and fields that it stores elsewhere. */
interface ReadPart {
  part: TextPart | MediaPart | ReasoningPart;
  known: readonly string[];
  others?: JsonRecord;
}

/** Maps part types to readers. A reader returns undefined if a required field is missing. */
export type PartReaders = Record<string, ((wire: JsonRecord) => ReadPart | undefined) | undefined>;

/** Creates a reader for parts with text in this field. */
export function textReader(field: string): (wire: JsonRecord) => ReadPart | undefined {
  return (wire) => {
    const text = stringAt(wire, field);
    return text === undefined
      ? undefined
      : { part: { type: "text", text }, known: ["type", field] };
  };
}

/** Reads a part, and keeps the fields that the reader does not know. A part without a counterpart becomes opaque. */
export function readPart(format: string, wire: unknown, readers: PartReaders): Part {
  const read = isRecord(wire) ? entryOf(readers, wire["type"])?.(wire) : undefined;
  if (read === undefined || !isRecord(wire)) return opaquePart(format, wire);
  const { part, known, others } = read;
  return withMetadata(part, unknownFields(format, { ...others, ...wire }, known));
}

/** Wraps a message whose role has no counterpart in a user message. */
export function opaqueMessage(provider: string, raw: unknown): ChatMessage {
  return { role: "user", content: [opaquePart(provider, raw)] };
}

/** Returns the wire message that `opaqueMessage` wrapped. */
export function wholeMessage(provider: string, { content }: ChatMessage): JsonRecord | undefined {
  const [only] = content;
  if (typeof content === "string" || content.length !== 1 || typeof only !== "object")
    return undefined;
  if (only.type !== "provider" || only.provider !== provider || !isRecord(only.raw))
    return undefined;
  return typeof only.raw["role"] === "string" ? only.raw : undefined;
}

/** Returns the content as parts. Empty text has no parts. */
export function partsOf({ content }: ChatMessage): Part[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** Converts parts to content. A single plain text becomes a string, as applications usually write it. */
export function contentOf(parts: Part[]): string | Part[] {
  const [only] = parts;
  const isPlain =
    parts.length === 1 && only?.type === "text" && only.providerMetadata === undefined;
  return isPlain ? only.text : parts;
}

/** Returns the parts and calls of an assistant turn. A call before a part records how many parts precede it. */
export function partsAndCalls(
  format: string,
  steps: readonly (ToolCall | Part[])[],
): { parts: Part[]; toolCalls: ToolCall[] | undefined } {
  const parts = steps.flatMap((step) => (Array.isArray(step) ? step : []));
  const calls: ToolCall[] = [];
  let at = 0;
  for (const step of steps) {
    if (Array.isArray(step)) at += step.length;
    else calls.push(at < parts.length ? withForm(format, step, { at }) : step);
  }
  return { parts, toolCalls: unlessEmpty(calls) };
}

/**
 * Writes an assistant's calls and merges them with its parts in their original order. Puts calls without a recorded
 * position last.
 */
export function interleaved<Item>(
  format: string,
  parts: readonly Item[],
  calls: readonly ToolCall[] | undefined = [],
  write: (call: ToolCall) => Item,
): Item[] {
  const places = calls.map((call) => formOf(format, call)["at"]);
  const written = calls.map(write);
  const items: Item[] = [];
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const later = places.findIndex((at) => typeof at !== "number" || at > index);
    const to = later < 0 ? written.length : Math.max(from, later);
    items.push(...written.slice(from, to), part);
    from = to;
  }
  return [...items, ...written.slice(from)];
}

/** Returns the records among the written values, as the format's own type. */
export function asWire<Wire extends object>(written: readonly unknown[]): Wire[] {
  return written.filter((value): value is Wire => isRecord(value));
}

/** Returns the list item with index 0 or without an index. It may not be the first in the list. */
export function firstIn(body: JsonRecord, list: string): JsonRecord | undefined {
  return arrayAt(body, list)
    .filter(isRecord)
    .find((item) => (numberAt(item, "index") ?? 0) === 0);
}

/** Returns the bytes of media as a `data:` URL. Undefined without bytes. */
export function dataUrlOf({ mimeType, data }: MediaPart): string | undefined {
  return data && `data:${mimeType};base64,${toBase64(data)}`;
}

/** Converts token counts to core's form. Returns undefined if the server sent neither input nor output tokens. */
export function tokenUsage(counts: Record<string, number | undefined>): ModelUsage | undefined {
  const { inputTokens, outputTokens } = counts;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return withoutUndefined({
    ...counts,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
  });
}

/** Looks up an untrusted name in a table. Only finds the table's own entries. */
export function entryOf<Value>(
  table: Record<string, Value | undefined>,
  name: unknown,
): Value | undefined {
  return typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Removes the named fields, and those that are undefined or null. */
export function without(record: JsonRecord, ...keys: string[]): JsonRecord {
  const known = new Set(keys);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([key, value]) => !known.has(key) && value !== undefined && value !== null,
    ),
  );
}

/** Returns the list or record itself. Undefined if it is empty. */
export function unlessEmpty<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** Returns `{ [provider]: fields }`. Undefined if there are no fields. */
export function metadataOf(provider: string, fields: JsonRecord): JsonRecord | undefined {
  const present = Object.entries(fields).filter(
    ([, value]) => value !== undefined && !(isRecord(value) && Object.keys(value).length === 0),
  );
  return present.length === 0 ? undefined : { [provider]: Object.fromEntries(present) };
}
