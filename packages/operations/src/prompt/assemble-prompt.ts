import { type ChatMessage, type Part, type Result, success } from "@ccl/core";

import type {
  AssemblePromptOptions,
  AssembledPrompt,
  PromptContributor,
  PromptInsert,
  PromptOrigin,
  PromptReport,
  SystemUpdate,
} from "./assembled-prompt.ts";
import { baseLayout } from "./base-layout.ts";
import { placeInserts } from "./place-inserts.ts";
import { promptAdditions } from "./prompt-additions.ts";

/**
 * Assembles the prompt of the main call: inclusions by `(order, tag)`, then effects in commit order. Pure: the same
 * input yields the same prompt, and the input is not modified. Linear in the messages.
 *
 * The path of an issue begins with `effects` and the index of the effect, or with `inclusions` and the tag. Its codes:
 * - `anchor_trimmed`: an anchor has `onAnchorTrimmed: "fail"` and its message is not in the base
 * - `invalid_anchor`: there is no message to insert at: no user turn, a depth that is not a whole number of 0 or
 *   less, a system message
 * - `template_render_error`
 */
export function assemblePrompt(options: AssemblePromptOptions): Result<AssembledPrompt> {
  const { base, userMessageId } = options;
  const explain: PromptReport = {
    messages: [],
    trimmed: [],
    overridden: [],
    clamped: [],
    dropped: [],
    shortened: [],
    replaced: [],
  };
  const layout = baseLayout(base, userMessageId);
  const additions = promptAdditions(options, explain);
  if (!additions.ok) return additions;
  const { inserts, updates } = additions.value;
  const { afterLead, issues } = placeInserts(inserts, base, { layout, report: explain });
  if (issues.length > 0) return { ok: false, issues };
  const written = applySystemUpdates(base.slice(0, layout.leadCount), updates, explain);
  const insert = ({ message, contributor }: PromptInsert): void =>
    void written.push({ message, origin: { from: "insert", contributors: [contributor] } });
  for (const added of afterLead) insert(added);
  for (const group of new Set(layout.groupAt)) {
    if (group === undefined) continue;
    const { start, end, before, after, replacement } = group;
    for (const added of before) insert(added);
    if (replacement === undefined)
      for (const message of base.slice(start, end)) written.push(unchanged(message));
    else {
      const { message, contributor } = replacement;
      const messageId = base[start]?.id;
      const origin = { messageId, from: "insert", contributors: [contributor] } as const;
      written.push({ message, origin });
    }
    for (const added of after) insert(added);
  }
  explain.messages = written.map(({ origin }) => origin);
  return success({ messages: written.map(({ message }) => message), explain });
}

/** A message and its origin. */
interface WrittenMessage {
  message: ChatMessage;
  origin: PromptOrigin;
}

/** Shared by all unchanged base messages of a report, since there may be very many. */
const untouched: readonly PromptContributor[] = Object.freeze([]);

/** Returns a base message that is sent unchanged. */
function unchanged(message: ChatMessage): WrittenMessage {
  return { message, origin: { from: "base", messageId: message.id, contributors: untouched } };
}

/**
 * Applies updates to the leading block in order. They prepend to its first system message, append to its last one, or
 * replace all of them. Updates undone by the last replace are reported as overridden.
 */
function applySystemUpdates(
  lead: readonly ChatMessage[],
  updates: readonly SystemUpdate[],
  report: PromptReport,
): WrittenMessage[] {
  let block = lead.map(unchanged);
  if (updates.length === 0) return block;
  const replaceIndex = updates.findLastIndex(({ mode }) => mode === "replace");
  const replace = updates[replaceIndex];
  if (replace !== undefined) {
    const { contributor: by, content } = replace;
    const messageIds = block.filter(isSystem).map(({ message }) => message.id);
    if (messageIds.length > 0) report.replaced.push({ messageIds, by });
    for (const { contributor } of updates.slice(0, replaceIndex))
      report.overridden.push({ contributor, by });
    // One message replaces them, at the place of the first one or at the top if there was none.
    const place = Math.max(0, block.findIndex(isSystem));
    block = block.filter((entry) => !isSystem(entry));
    block.splice(place, 0, systemMessage(content, [by]));
  }
  if (!block.some(isSystem)) block.unshift(systemMessage("", []));
  for (const update of updates.slice(replaceIndex + 1)) {
    const at =
      update.mode === "prepend" ? block.findIndex(isSystem) : block.findLastIndex(isSystem);
    const target = block[at];
    if (target !== undefined) block[at] = updated(target, update);
  }
  return block.filter((entry) => !isSystem(entry) || entry.message.content.length > 0);
}

function isSystem({ message }: WrittenMessage): boolean {
  return message.role === "system";
}

function systemMessage(content: string, contributors: PromptContributor[]): WrittenMessage {
  return { message: { role: "system", content }, origin: { from: "system", contributors } };
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
  const text = isFirst ? content + separator : separator + content;
  if (typeof old === "string") return isFirst ? text + old : old + text;
  const part = { type: "text", text } as const;
  return isFirst ? [part, ...old] : [...old, part];
}
