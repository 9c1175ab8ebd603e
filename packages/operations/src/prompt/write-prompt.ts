import type { ChatMessage } from "@ccl/core";

import { baseOrigin, type WrittenMessage } from "./apply-system-updates.ts";
import type { PromptOrigin } from "./assembled-prompt.ts";
import type { BaseLayout, MessageGroup } from "./base-layout.ts";
import type { PlacedInserts } from "./place-inserts.ts";
import type { PromptInsert } from "./prompt-insert.ts";

/** A prompt before it is cut to size. */
export interface PromptDraft {
  base: readonly ChatMessage[];
  layout: BaseLayout;
  /** The leading block after its updates. */
  lead: readonly WrittenMessage[];
  placed: PlacedInserts;
}

/** The mark of what was cut off at the start of the history. */
export function elisionMessage(removedMessages: number): ChatMessage {
  const what =
    removedMessages === 1 ? "1 earlier message was" : `${removedMessages} earlier messages were`;
  return { role: "user", content: `[${what} removed here to save space.]`, source: "ccl:elision" };
}

const none: readonly PromptInsert[] = [];

/** Inserts round a group, in the order in which they stand; `replacement` has the place of its messages. */
export function insertsAt(
  { placed }: PromptDraft,
  { start, end }: MessageGroup,
): readonly PromptInsert[] {
  const before = placed.before.get(start);
  const after = placed.after.get(end - 1);
  const replacement = placed.replacements.get(start);
  if (before === undefined && after === undefined && replacement === undefined) return none;
  return [
    ...(before ?? none),
    ...(replacement === undefined ? none : [replacement]),
    ...(after ?? none),
  ];
}

/** True where an insert goes when its group does. What is bound to a replaced message stays with the replacement. */
export function isDropped(draft: PromptDraft, insert: PromptInsert, group: MessageGroup): boolean {
  return insert.onAnchorTrimmed === "drop" && !draft.placed.replacements.has(group.start);
}

/** How many messages the groups before `keptFrom`, an index into the layout's groups, take with them. */
export function countTrimmed({ layout, placed }: PromptDraft, keptFrom: number): number {
  let removed = 0;
  for (let index = 0; index < keptFrom; index += 1) {
    const group = layout.groups[index];
    if (group !== undefined && !placed.replacements.has(group.start))
      removed += group.end - group.start;
  }
  return removed;
}

/** Messages and, at the same index, where each comes from. */
export interface WrittenPrompt {
  messages: ChatMessage[];
  origins: PromptOrigin[];
}

/** Writes the prompt without the groups before `keptFrom`; their inserts stand where the kept history begins. */
export function writePrompt(draft: PromptDraft, keptFrom: number): WrittenPrompt {
  const { base, layout, placed } = draft;
  const written: WrittenPrompt = { messages: [], origins: [] };
  for (const { message, origin } of draft.lead) push(written, message, origin);
  pushInserts(written, placed.afterLead);
  const removed = countTrimmed(draft, keptFrom);
  if (removed > 0) push(written, elisionMessage(removed), { from: "elision", contributors: [] });
  pushInserts(written, placed.outside);
  const { before, after, replacements } = placed;
  const hasInserts = before.size + after.size + replacements.size > 0;
  for (let index = hasInserts ? 0 : keptFrom; index < layout.groups.length; index += 1) {
    const group = layout.groups[index];
    if (group === undefined) continue;
    const isKept = index >= keptFrom;
    const ahead = before.get(group.start);
    if (ahead !== undefined) pushInserts(written, isKept ? ahead : staying(draft, group, ahead));
    const replacement = replacements.get(group.start);
    if (replacement !== undefined) pushReplacement(written, replacement, base[group.start]?.id);
    else if (isKept) pushBase(written, base, group);
    const behind = after.get(group.end - 1);
    if (behind !== undefined) pushInserts(written, isKept ? behind : staying(draft, group, behind));
  }
  return written;
}

function push(
  { messages, origins }: WrittenPrompt,
  message: ChatMessage,
  origin: PromptOrigin,
): void {
  messages.push(message);
  origins.push(origin);
}

function pushBase(
  written: WrittenPrompt,
  base: readonly ChatMessage[],
  { start, end }: MessageGroup,
): void {
  for (let index = start; index < end; index += 1) {
    const message = base[index];
    if (message !== undefined) push(written, message, baseOrigin(message.id));
  }
}

/** Of a group that is cut off. */
function staying(
  draft: PromptDraft,
  group: MessageGroup,
  inserts: readonly PromptInsert[],
): PromptInsert[] {
  return inserts.filter((insert) => !isDropped(draft, insert, group));
}

function pushInserts(written: WrittenPrompt, inserts: readonly PromptInsert[]): void {
  for (const { message, contributor } of inserts)
    push(written, message, { from: "insert", contributors: [contributor] });
}

function pushReplacement(
  written: WrittenPrompt,
  { message, contributor }: PromptInsert,
  messageId: string | undefined,
): void {
  const origin: PromptOrigin = { from: "insert", contributors: [contributor] };
  push(written, message, messageId === undefined ? origin : { ...origin, messageId });
}
