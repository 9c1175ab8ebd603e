import { type Result, success } from "@ccl/core";

import { applySystemUpdates } from "./apply-system-updates.ts";
import type {
  AssembledPrompt,
  AssemblePromptOptions,
  PromptReport,
  PromptTrim,
} from "./assembled-prompt.ts";
import { baseLayout } from "./base-layout.ts";
import { collectAdditions } from "./collect-additions.ts";
import { fitPrompt } from "./fit-prompt.ts";
import { clamp, placeInserts, trimmedIssue } from "./place-inserts.ts";
import { createPromptMeter } from "./prompt-meter.ts";
import { insertsAt, isDropped, type PromptDraft, writePrompt } from "./write-prompt.ts";

/**
 * The prompt of the main call: inclusions by `(order, tag)`, then effects in commit order, then the history cut to the
 * budget, oldest first. Pure: the same input gives the same prompt, and nothing of the input is changed. Linear in the
 * messages.
 *
 * The path of an issue begins with `effects` and the index of the effect, or with `inclusions` and the tag. Its codes:
 * - `budget_exceeded`: the protected parts alone do not fit, or inserts exceed their own budget; the message holds the
 *   breakdown
 * - `anchor_trimmed`: an anchor says `onAnchorTrimmed: "fail"` and its message is not in the window
 * - `invalid_anchor`: there is no message to insert at: no user turn, a depth that is no whole number of 0 or less, a
 *   system message
 * - `template_render_error`
 */
export function assemblePrompt(options: AssemblePromptOptions): Result<AssembledPrompt> {
  const { base, trim, userMessageId } = options;
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
  const additions = collectAdditions(options, explain);
  if (!additions.ok) return additions;
  const placed = placeInserts(additions.value.inserts, { base, layout, report: explain });
  if (!placed.ok) return placed;
  const lead = applySystemUpdates(
    base.slice(0, layout.leadCount),
    additions.value.updates,
    explain,
  );
  return finished({ base, layout, lead, placed: placed.value }, trim, explain);
}

function finished(
  draft: PromptDraft,
  trim: PromptTrim | undefined,
  explain: PromptReport,
): Result<AssembledPrompt> {
  if (trim === undefined) {
    const { messages, origins } = writePrompt(draft, 0);
    explain.messages = origins;
    return success({ messages, explain });
  }
  const fitted = fitPrompt(draft, createPromptMeter(trim));
  if (!fitted.ok) return fitted;
  const { written, tokens, keptFrom, breakdown } = fitted.value;
  const reported = reportTrimming(draft, keptFrom, explain);
  if (!reported.ok) return reported;
  explain.breakdown = breakdown;
  explain.messages = written.origins;
  return success({ messages: written.messages, tokens, explain });
}

/** Says what was cut off and what became of inserts that were anchored to it. */
function reportTrimming(
  draft: PromptDraft,
  keptFrom: number,
  explain: PromptReport,
): Result<undefined> {
  const issues = [];
  for (const group of draft.layout.groups.slice(0, keptFrom)) {
    if (draft.placed.replacements.has(group.start)) continue;
    explain.trimmed.push({
      messageIds: draft.base.slice(group.start, group.end).map(({ id }) => id),
      reason: "budget",
    });
    for (const insert of insertsAt(draft, group)) {
      if (insert.onAnchorTrimmed === "fail") issues.push(trimmedIssue(insert));
      else if (isDropped(draft, insert, group)) {
        explain.dropped.push({ contributor: insert.contributor, reason: "anchor_trimmed" });
      } else clamp(insert, "anchor_trimmed", explain);
    }
  }
  return issues.length > 0 ? { ok: false, issues } : success(undefined);
}
