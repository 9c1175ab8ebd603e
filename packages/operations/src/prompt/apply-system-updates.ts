import type { ChatMessage, Part } from "@ccl/core";

import type { PromptContributor, PromptOrigin, PromptReport } from "./assembled-prompt.ts";
import type { SystemUpdate } from "./prompt-additions.ts";

/** A message and where it comes from. */
interface WrittenMessage {
  message: ChatMessage;
  origin: PromptOrigin;
}

/** Shared by all base messages of a report: there are as many of them as messages. */
const untouched: readonly PromptContributor[] = Object.freeze([]);

/** Of a base message that stands as it did. */
export function baseOrigin(messageId: string | undefined): PromptOrigin {
  const origin = { from: "base", contributors: untouched } as const;
  return messageId === undefined ? origin : { ...origin, messageId };
}

/**
 * The leading block after the updates, one after the other: prepended to its first system message, appended to its
 * last, and `replace` in place of all of them. What the last replace undoes is reported as overridden.
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

/** One system message where the first one stood, at the top where there was none. */
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
