import type { ChatMessage } from "@ccl/core";
import type { ContextEntry } from "./working-context.ts";

/** How far back a message's own entry is looked for; what lies between was dropped. */
const nearEntries = 64;

/** The entries of the messages that a cut left, each with the events of the message that it shows whole or shortened. */
export function alignEntries(
  messages: readonly ChatMessage[],
  entries: readonly ContextEntry[],
): readonly ContextEntry[] {
  let leading = 0;
  while (leading < messages.length && entries[leading]?.message === messages[leading]) leading += 1;
  if (leading === messages.length && leading === entries.length) return entries;
  const aligned: ContextEntry[] = [];
  let next = entries.length - 1;
  for (let at = messages.length - 1; at >= leading; at -= 1) {
    const message = messages[at];
    if (message === undefined) continue;
    const isMark = message.source?.startsWith("ccl:") === true;
    const found = isMark ? -1 : findEntry(message, entries, next);
    const entry = entries[found];
    if (entry !== undefined) next = found - 1;
    aligned.push(entry?.message === message ? entry : { message, eventIds: entry?.eventIds ?? [] });
    // Behind a mark lies whatever was dropped, so that the next kept message may be far back.
    if (isMark && at > leading) next = findSame(messages[at - 1], entries, next) ?? next;
  }
  return entries.slice(0, leading).concat(aligned.reverse());
}

function findEntry(message: ChatMessage, entries: readonly ContextEntry[], from: number): number {
  const to = Math.max(0, from - nearEntries);
  for (let at = from; at >= to; at -= 1) if (entries[at]?.message === message) return at;
  for (let at = from; at >= to; at -= 1) {
    const original = entries[at]?.message;
    if (original === undefined) return -1;
    if (isVersionOf(message, original)) return at;
    if (endsSearch(message, original)) return -1;
  }
  return -1;
}

function findSame(
  message: ChatMessage | undefined,
  entries: readonly ContextEntry[],
  from: number,
): number | undefined {
  let at = from;
  while (at >= 0 && entries[at]?.message !== message) at -= 1;
  return at < 0 ? undefined : at;
}

/** One that makes or answers the same call, or says something in the same role, shown repaired or shorter. */
function isVersionOf(message: ChatMessage, original: ChatMessage): boolean {
  const isAlike = original.role === message.role && original.toolCallId === message.toolCallId;
  return (
    isAlike && original.toolCalls?.[0]?.id === message.toolCalls?.[0]?.id && !isBlank(original)
  );
}

/** Nothing further back can be the message: an answer does not stand before its call, and only blank messages are left out. */
function endsSearch(message: ChatMessage, original: ChatMessage): boolean {
  if (message.toolCallId !== undefined)
    return original.toolCalls?.some(({ id }) => id === message.toolCallId) === true;
  return message.toolCalls === undefined && !isBlank(original);
}

/** A plain message without any text, which no prompt shows. */
function isBlank({ content, toolCalls, toolCallId }: ChatMessage): boolean {
  return (
    toolCalls === undefined &&
    toolCallId === undefined &&
    typeof content === "string" &&
    content.trim() === ""
  );
}
