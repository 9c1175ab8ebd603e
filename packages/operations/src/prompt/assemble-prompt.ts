import { type ChatMessage, type Result, success } from "@ccl/core";

import { applySystemUpdates, baseOrigin } from "./apply-system-updates.ts";
import type {
  AssembledPrompt,
  AssemblePromptOptions,
  PromptInsert,
  PromptOrigin,
  PromptReport,
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
  for (const { start, end, before, after, replacement } of layout.groups) {
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
