import { type ChatMessage, failure, type Result, success } from "@ccl/core";

import { groupAt } from "./base-layout.ts";
import type { PromptBreakdown } from "./assembled-prompt.ts";
import type { PromptInsert } from "./prompt-insert.ts";
import type { PromptMeter } from "./prompt-meter.ts";
import {
  countTrimmed,
  elisionMessage,
  isDropped,
  type PromptDraft,
  writePrompt,
  type WrittenPrompt,
} from "./write-prompt.ts";

/** A prompt within its budget. */
export interface FittedPrompt {
  written: WrittenPrompt;
  tokens: number;
  /** Index into the layout's groups from which on the history is kept. */
  keptFrom: number;
  breakdown: PromptBreakdown;
}

/**
 * Cuts the history off, oldest groups first, until the whole fits: from the newest group back as far as the tokens
 * reach, then counted as one. The leading block, inserts and the current turn are never cut.
 */
export function fitPrompt(draft: PromptDraft, meter: PromptMeter): Result<FittedPrompt> {
  const costs = fixedCosts(draft, meter);
  const { firstOfTurn } = draft.layout;
  const fitted = (keptFrom: number): FittedPrompt | undefined => {
    const written = writePrompt(draft, keptFrom);
    const tokens = meter.ofAll(written.messages);
    if (tokens > meter.usable) return undefined;
    const removed = countTrimmed(draft, keptFrom);
    const elision = removed === 0 ? 0 : meter.of(elisionMessage(removed));
    // What inserts that are dropped with their anchors take belongs to the history that they stand in.
    const history = Math.max(0, tokens - costs.fixed - elision);
    return { written, tokens, keptFrom, breakdown: { ...costs.breakdown, history, elision } };
  };
  if (costs.fixed <= meter.usable && costs.breakdown.inserts <= meter.usableForInserts) {
    const whole = mayFitWhole(draft, meter) ? fitted(0) : undefined;
    if (whole !== undefined) return success(whole);
    let keptFrom = reach(draft, meter, costs);
    for (let step = 1; keptFrom !== undefined; step *= 2) {
      const prompt = fitted(keptFrom);
      if (prompt !== undefined) return success(prompt);
      // Only a counter whose sum is more than its parts comes here.
      keptFrom = keptFrom === firstOfTurn ? undefined : Math.min(firstOfTurn, keptFrom + step);
    }
  }
  return failure({ code: "budget_exceeded", path: [], message: refusal(costs, meter) });
}

/** Text has four characters a token or fewer in nearly all cases: with more than that the count of the whole is saved. */
const charsPerToken = 4;

function mayFitWhole({ base }: PromptDraft, { usable }: PromptMeter): boolean {
  let chars = 0;
  for (const { content } of base) chars += typeof content === "string" ? content.length : 0;
  return chars <= charsPerToken * usable;
}

interface FixedCosts {
  /** All that cannot be cut, but for the elision marker. */
  fixed: number;
  breakdown: PromptBreakdown;
}

function fixedCosts(draft: PromptDraft, meter: PromptMeter): FixedCosts {
  const { base, layout, lead, placed } = draft;
  const sum = (messages: readonly ChatMessage[]): number =>
    messages.reduce((total, message) => total + meter.of(message), 0);
  const system = sum(lead.map(({ message }) => message));
  const isUpdated =
    lead.length < layout.leadCount || lead.some(({ origin }) => origin.from === "system");
  const additions = isUpdated ? Math.max(0, system - sum(base.slice(0, layout.leadCount))) : 0;
  const inserts = sum(fixedInserts(draft).map(({ message }) => message));
  const turn = layout.groups
    .slice(layout.firstOfTurn)
    .filter(({ start }) => !placed.replacements.has(start));
  const currentTurn = sum(turn.flatMap(({ start, end }) => base.slice(start, end)));
  const removable = countTrimmed(draft, layout.firstOfTurn);
  const elision = removable === 0 ? 0 : meter.of(elisionMessage(removable));
  const { framing, usable } = meter;
  const parts = {
    usable,
    system: system - additions,
    history: 0,
    currentTurn,
    inserts: inserts + additions,
  };
  return {
    fixed: system + inserts + currentTurn + framing,
    breakdown: { ...parts, elision, framing },
  };
}

/** Inserts that stay whatever is cut off. */
function fixedInserts(draft: PromptDraft): PromptInsert[] {
  const { layout, placed } = draft;
  const fixed = [...placed.afterLead, ...placed.outside, ...placed.replacements.values()];
  for (const [index, inserts] of [...placed.before, ...placed.after]) {
    const group = groupAt(layout, index);
    const isTurn = (layout.groupOf[index - layout.leadCount] ?? 0) >= layout.firstOfTurn;
    fixed.push(
      ...inserts.filter(
        (insert) => isTurn || group === undefined || !isDropped(draft, insert, group),
      ),
    );
  }
  return fixed;
}

/** The oldest group that can be kept by the sum of its parts; undefined where not even the fixed parts fit. */
function reach(
  draft: PromptDraft,
  meter: PromptMeter,
  { fixed, breakdown }: FixedCosts,
): number | undefined {
  const { groups, firstOfTurn } = draft.layout;
  let used = fixed;
  let best =
    firstOfTurn === 0 || used + breakdown.elision <= meter.usable ? firstOfTurn : undefined;
  for (let index = firstOfTurn - 1; index >= 0; index -= 1) {
    const group = groups[index];
    if (group === undefined) break;
    used += costOf(draft, index, meter);
    if (used > meter.usable) break;
    if (index === 0 || used + breakdown.elision <= meter.usable) best = index;
  }
  return best;
}

function costOf(draft: PromptDraft, index: number, meter: PromptMeter): number {
  const { base, layout, placed } = draft;
  const group = layout.groups[index];
  if (group === undefined) return 0;
  let tokens = 0;
  for (const inserts of [placed.before.get(group.start), placed.after.get(group.end - 1)]) {
    for (const insert of inserts ?? [])
      if (isDropped(draft, insert, group)) tokens += meter.of(insert.message);
  }
  if (placed.replacements.has(group.start)) return tokens;
  for (let at = group.start; at < group.end; at += 1) {
    const message = base[at];
    if (message !== undefined) tokens += meter.of(message);
  }
  return tokens;
}

function refusal({ fixed, breakdown }: FixedCosts, meter: PromptMeter): string {
  const { system, currentTurn, inserts, elision, framing } = breakdown;
  const parts = `system ${system}, current turn ${currentTurn}, inserts ${inserts}, elision mark ${elision}, tools and framing ${framing}`;
  return inserts > meter.usableForInserts
    ? `Inserts take ${inserts} tokens where ${meter.usableForInserts} may be used for them (${parts}); shorten them or allow more.`
    : `What may not be cut takes ${fixed + elision} tokens where ${meter.usable} may be used (${parts}); shorten it or allow more.`;
}
