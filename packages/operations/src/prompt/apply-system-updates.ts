import type { ChatMessage, Part } from "@ccl/core";

import type {
  PromptContributor,
  PromptOrigin,
  PromptReport,
  SystemUpdate,
} from "./assembled-prompt.ts";

/** A message and its origin. */
interface WrittenMessage {
  message: ChatMessage;
  origin: PromptOrigin;
}

/** Shared by all unchanged base messages of a report, since there may be very many. */
const untouched: readonly PromptContributor[] = Object.freeze([]);

/** Returns the origin of an unchanged base message. */
export function baseOrigin(messageId: string | undefined): PromptOrigin {
  const origin = { from: "base", contributors: untouched } as const;
  return messageId === undefined ? origin : { ...origin, messageId };
}

/**
 * Applies updates to the leading block in order. They prepend to its first system message, append to its last one, or
 * replace all of them. Updates undone by the last replace are reported as overridden.
 */
export function applySystemUpdates(
  lead: readonly ChatMessage[],
  updates: readonly SystemUpdate[],
  report: PromptReport,
): WrittenMessage[] {
  const written = lead.map((message) => ({ message, origin: baseOrigin(message.id) }));
  if (updates.length === 0) return written;
  const replaceIndex = updates.findLastIndex(({ mode }) => mode === "replace");
  const replace = updates[replaceIndex];
  const block = replace === undefined ? written : replacedBlock(written, replace, report);
  if (replace !== undefined)
    for (const { contributor } of updates.slice(0, replaceIndex))
      report.overridden.push({ contributor, by: replace.contributor });
  if (!block.some(isSystem)) block.unshift(systemMessage("", []));
  for (const update of updates.slice(replaceIndex + 1)) {
    const at =
      update.mode === "prepend" ? block.findIndex(isSystem) : block.findLastIndex(isSystem);
    const target = block[at];
    if (target !== undefined) block[at] = updated(target, update);
  }
  return block.filter((one) => !isSystem(one) || one.message.content.length > 0);
}

function isSystem({ message }: WrittenMessage): boolean {
  return message.role === "system";
}

function systemMessage(content: string, contributors: PromptContributor[]): WrittenMessage {
  return { message: { role: "system", content }, origin: { from: "system", contributors } };
}

/** Replaces all system messages with one, at the place of the first one or at the top if there was none. */
function replacedBlock(
  lead: readonly WrittenMessage[],
  { contributor, content }: SystemUpdate,
  report: PromptReport,
): WrittenMessage[] {
  const messageIds = lead.filter(isSystem).map(({ message }) => message.id);
  if (messageIds.length > 0) report.replaced.push({ messageIds, by: contributor });
  const block = lead.filter((one) => !isSystem(one));
  block.splice(Math.max(0, lead.findIndex(isSystem)), 0, systemMessage(content, [contributor]));
  return block;
}

function updated({ message, origin }: WrittenMessage, update: SystemUpdate): WrittenMessage {
  const contributors = [...origin.contributors, update.contributor];
  return {
    message: { ...message, content: joined(message.content, update) },
    origin: { from: "system", contributors, messageId: origin.messageId },
  };
}

function joined(
  old: string | Part[],
  { mode, content, separator = "" }: SystemUpdate,
): string | Part[] {
  if (old.length === 0) return content;
  const isFirst = mode === "prepend";
  if (typeof old === "string")
    return isFirst ? content + separator + old : old + separator + content;
  return isFirst
    ? [{ type: "text", text: content + separator }, ...old]
    : [...old, { type: "text", text: separator + content }];
}
