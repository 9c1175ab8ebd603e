import { canonicalJson, sha256Hex, type ChatMessage } from "@ccl/core";
import { fromBase64, stringAt } from "@ccl/core/json";
import { encodePart } from "./event-input.ts";
import type { ArtifactPart, EventPart, SessionEvent } from "../event/session-event.ts";
import type { Session } from "./session.ts";

/** A message in a session, and its event if it has one. */
export interface RecordedMessage {
  message: ChatMessage;
  event: SessionEvent | undefined;
}

interface Comparison {
  session: Session;
  signal?: AbortSignal | undefined;
}

/** True if the message equals the recorded one, whether payloads are inline or in the artifact store. */
export async function isRecorded(
  message: ChatMessage,
  recorded: RecordedMessage,
  comparison: Comparison,
): Promise<boolean> {
  const { content: before, ...fieldsBefore } = recorded.message;
  const { content, ...fields } = message;
  if (canonicalJson(fields) !== canonicalJson(fieldsBefore)) return false;
  if (textOf(content) === textOf(before)) return true;
  const stored = contentOf(recorded.event);
  return stored !== undefined && holdsPayloads(stored, partsOf(content), comparison);
}

function textOf(content: ChatMessage["content"]): string {
  return canonicalJson(typeof content === "string" ? content : content.map(encodePart));
}

/** Returns the event's parts if any of its content is in the artifact store. */
function contentOf(event: SessionEvent | undefined): EventPart[] | undefined {
  if (event === undefined || !("content" in event.data) || typeof event.data.content !== "object")
    return undefined;
  return event.data.content.some(({ type }) => type === "artifact")
    ? event.data.content
    : undefined;
}

function partsOf(content: ChatMessage["content"]): unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content.map(encodePart);
}

/** Compares payloads the way `externalizeContent` stores them: all text in one artifact, and each file in its own. */
async function holdsPayloads(
  stored: EventPart[],
  parts: unknown[],
  comparison: Comparison,
): Promise<boolean> {
  const text = parts.flatMap((part) => plainTextOf(part) ?? []).join("\n\n");
  let at = 0;
  let isTextStored = false;
  for (const part of parts) {
    const isText = plainTextOf(part) !== undefined;
    if (isText && isTextStored) continue;
    const before = stored[at];
    at += 1;
    if (before === undefined) return false;
    if (before.type !== "artifact") {
      if (canonicalJson(before) !== canonicalJson(part)) return false;
      continue;
    }
    isTextStored ||= isText;
    const base64 = stringAt(part, "dataBase64") ?? "";
    const payload = isText ? new TextEncoder().encode(text) : fromBase64(base64);
    if (payload === undefined || !(await isPayload(before, payload, comparison))) return false;
  }
  return at === stored.length;
}

function plainTextOf(part: unknown): string | undefined {
  return stringAt(part, "type") === "text" ? stringAt(part, "text") : undefined;
}

async function isPayload(
  { artifactId, sizeBytes }: ArtifactPart,
  payload: Uint8Array,
  { session, signal }: Comparison,
): Promise<boolean> {
  if (payload.length !== sizeBytes) return false;
  if (sha256Hex(payload) === artifactId) return true;
  // In an encrypted store, ids are not plain hashes, so compare the bytes.
  const bytes = await session.artifactStore?.retrieve(artifactId, { signal });
  return bytes !== undefined && sha256Hex(bytes) === sha256Hex(payload);
}
