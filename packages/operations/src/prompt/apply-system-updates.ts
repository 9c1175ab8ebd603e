import type { ChatMessage, Part } from "@ccl/core";

import type { PromptContributor, PromptOrigin, PromptReport } from "./assembled-prompt.ts";
import type { SystemUpdate } from "./prompt-insert.ts";

/** A message and where it comes from. */
export interface WrittenMessage {
  message: ChatMessage;
  origin: PromptOrigin;
}

/** Shared by all base messages of a report: there are as many of them as messages. */
const untouched: readonly PromptContributor[] = Object.freeze([]);

/** Of a base message that stands as it did. */
export function baseOrigin(messageId: string | undefined): PromptOrigin {
  return messageId === undefined
    ? { from: "base", contributors: untouched }
    : { from: "base", messageId, contributors: untouched };
}

/** A base message as it stands in the base. */
function baseMessage(message: ChatMessage): WrittenMessage {
  return { message, origin: baseOrigin(message.id) };
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
  if (updates.length === 0) return lead.map(baseMessage);
  const replaceIndex = updates.findLastIndex(({ mode }) => mode === "replace");
  const replace = updates[replaceIndex];
  for (const { contributor } of updates.slice(0, Math.max(0, replaceIndex))) {
    if (replace !== undefined) report.overridden.push({ contributor, by: replace.contributor });
  }
  const system = replace === undefined ? [...lead] : replacedBlock(lead, replace, report);
  if (system.every(({ role }) => role !== "system"))
    system.unshift({ role: "system", content: "" });
  const written = system.map(baseMessage);
  const isSystem = ({ message }: WrittenMessage): boolean => message.role === "system";
  if (replace !== undefined) {
    const at = written.findIndex(isSystem);
    const message = written[at]?.message;
    if (message !== undefined) {
      written[at] = { message, origin: { from: "system", contributors: [replace.contributor] } };
    }
  }
  for (const update of updates.slice(replaceIndex + 1)) {
    const at =
      update.mode === "prepend" ? written.findIndex(isSystem) : written.findLastIndex(isSystem);
    const target = written[at];
    if (target !== undefined) written[at] = updated(target, update);
  }
  return written.filter(({ message }) => message.role !== "system" || message.content.length > 0);
}

/** One system message where the first one stood, at the top where there was none. */
function replacedBlock(
  lead: readonly ChatMessage[],
  replace: SystemUpdate,
  report: PromptReport,
): ChatMessage[] {
  const first = lead.findIndex(({ role }) => role === "system");
  const messageIds = lead.filter(({ role }) => role === "system").map(({ id }) => id);
  if (messageIds.length > 0) report.replaced.push({ messageIds, by: replace.contributor });
  const block = lead.filter(({ role }) => role !== "system");
  block.splice(Math.max(0, first), 0, { role: "system", content: replace.content });
  return block;
}

function updated({ message, origin }: WrittenMessage, update: SystemUpdate): WrittenMessage {
  const content = joined(message.content, update);
  const { messageId } = origin;
  const contributors = [...origin.contributors, update.contributor];
  return {
    message: { ...message, content },
    origin: { from: "system", contributors, messageId },
  };
}

function joined(old: string | Part[], { mode, content, separator }: SystemUpdate): string | Part[] {
  if (old.length === 0) return content;
  if (typeof old === "string")
    return mode === "prepend" ? content + separator + old : old + separator + content;
  return mode === "prepend"
    ? [{ type: "text", text: content + separator }, ...old]
    : [...old, { type: "text", text: separator + content }];
}
