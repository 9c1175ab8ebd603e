import { type Result, success } from "@ccl/core";

import { applySystemUpdates } from "./apply-system-updates.ts";
import type { AssembledPrompt, AssemblePromptOptions, PromptReport } from "./assembled-prompt.ts";
import { baseLayout } from "./base-layout.ts";
import { collectAdditions } from "./collect-additions.ts";
import { placeInserts } from "./place-inserts.ts";
import { writePrompt } from "./write-prompt.ts";

/**
 * The prompt of the main call: inclusions by `(order, tag)`, then effects in commit order. Pure: the same input gives the
 * same prompt, and nothing of the input is changed. Linear in the messages.
 *
 * The path of an issue begins with `effects` and the index of the effect, or with `inclusions` and the tag. Its codes:
 * - `anchor_trimmed`: an anchor says `onAnchorTrimmed: "fail"` and its message is not in the base
 * - `invalid_anchor`: there is no message to insert at: no user turn, a depth that is no whole number of 0 or less, a
 *   system message
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
  const additions = collectAdditions(options, explain);
  if (!additions.ok) return additions;
  const placed = placeInserts(additions.value.inserts, { base, layout, report: explain });
  if (!placed.ok) return placed;
  const lead = applySystemUpdates(
    base.slice(0, layout.leadCount),
    additions.value.updates,
    explain,
  );
  const { messages, origins } = writePrompt({ base, layout, lead, placed: placed.value });
  explain.messages = origins;
  return success({ messages, explain });
}
