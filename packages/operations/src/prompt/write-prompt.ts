import type { ChatMessage } from "@ccl/core";

import { baseOrigin, type WrittenMessage } from "./apply-system-updates.ts";
import type { PromptOrigin } from "./assembled-prompt.ts";
import type { BaseLayout, MessageGroup } from "./base-layout.ts";
import type { PlacedInserts } from "./place-inserts.ts";
import type { PromptInsert } from "./prompt-insert.ts";

/** The parts of a prompt. */
interface PromptDraft {
  base: readonly ChatMessage[];
  layout: BaseLayout;
  /** The leading block after its updates. */
  lead: readonly WrittenMessage[];
  placed: PlacedInserts;
}

/** Messages and, at the same index, where each comes from. */
export interface WrittenPrompt {
  messages: ChatMessage[];
  origins: PromptOrigin[];
}

/** Writes the messages of the base with everything that was put in. */
export function writePrompt({ base, layout, lead, placed }: PromptDraft): WrittenPrompt {
  const written: WrittenPrompt = { messages: [], origins: [] };
  for (const { message, origin } of lead) push(written, message, origin);
  pushInserts(written, placed.afterLead);
  pushInserts(written, placed.outside);
  for (const group of layout.groups) {
    pushInserts(written, placed.before.get(group.start));
    const replacement = placed.replacements.get(group.start);
    if (replacement !== undefined) pushReplacement(written, replacement, base[group.start]?.id);
    else pushBase(written, base, group);
    pushInserts(written, placed.after.get(group.end - 1));
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

function pushInserts(written: WrittenPrompt, inserts: readonly PromptInsert[] = []): void {
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
