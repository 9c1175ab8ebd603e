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
  const messages: ChatMessage[] = [];
  const write = (message: ChatMessage, origin: PromptOrigin): void => {
    messages.push(message);
    explain.messages.push(origin);
  };
  const insert = ({ message, contributor }: PromptInsert): void =>
    write(message, { from: "insert", contributors: [contributor] });
  const lead = applySystemUpdates(base.slice(0, layout.leadCount), updates, explain);
  for (const { message, origin } of lead) write(message, origin);
  for (const added of afterLead) insert(added);
  for (const group of new Set(layout.groupAt)) {
    if (group === undefined) continue;
    const { start, end, before, after, replacement } = group;
    for (const added of before) insert(added);
    if (replacement === undefined)
      for (const message of base.slice(start, end)) write(message, baseOrigin(message.id));
    else {
      const { message, contributor } = replacement;
      write(message, {
        ...baseOrigin(base[start]?.id),
        from: "insert",
        contributors: [contributor],
      });
    }
    for (const added of after) insert(added);
  }
  return success({ messages, explain });
}

/** A message and its origin. */
interface WrittenMessage {
  message: ChatMessage;
  origin: PromptOrigin;
}

/** Shared by all unchanged base messages of a report, since there may be very many. */
const untouched: readonly PromptContributor[] = Object.freeze([]);

/** Returns the origin of an unchanged base message. */
function baseOrigin(messageId: string | undefined): PromptOrigin {
  const origin = { from: "base", contributors: untouched } as const;
  return messageId === undefined ? origin : { ...origin, messageId };
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
