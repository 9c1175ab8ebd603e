import type { ChatMessage } from "@ccl/core";

import { ContextCompilerError } from "../context-compiler-error.ts";
import type { History } from "./analyze-history.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { FitPolicy } from "./fit-policy.ts";
import { type FrozenCut, droppedRanges } from "./fit-state.ts";
import { textOf } from "./gather-facts.ts";
import type { HistoryUnit } from "./history-unit.ts";
import { isPinned, showAfterCut } from "./show-unit.ts";
import { markerMessage, writeMarker } from "./write-marker.ts";

/** Where the tokens went that may not be dropped; `details` of `budget_exceeded`. */
export interface BudgetBreakdown {
  budget: number;
  /** The budget less the safety margin. */
  usable: number;
  systemPrompt: number;
  /** The tools and the framing of the prompt. */
  tools: number;
  lastUserTurn: number;
  /** Pinned messages, and system messages within the conversation. */
  pinned: number;
  /** The shortest markers of what would be left out. */
  markers: number;
}

/** Chooses what stays, down to the low watermark, newest first. Throws `budget_exceeded` when what must stay does not fit. */
export function cutHistory(history: History, policy: FitPolicy): FrozenCut {
  const { units } = history;
  const required = findRequired(history, policy);
  const room = policy.usable - required.tokens;
  const limitTokens = Math.max(1, Math.floor(room * unitShare));
  const from = findTail(history, { policy, required, limitTokens });
  try {
    return freeze(history, { policy, required, limitTokens, from });
  } catch (error) {
    if (from === units.length || !ContextCompilerError.isInstance(error)) throw error;
    return freeze(history, { policy, required, limitTokens, from: units.length });
  }
}

/** No unit but a user's message takes more of what is left beside what must stay. */
const unitShare = 0.5;
/** What was read and done since the user last spoke may take this share of the room, whatever the low watermark. */
const currentTurnShare = 0.25;
/** What the shortest marker takes, with room to spare. */
const markerReserve = 24;

interface Required {
  units: Set<number>;
  tokens: number;
  breakdown: BudgetBreakdown;
}

function findRequired({ head, units }: History, policy: FitPolicy): Required {
  const { meter } = policy;
  const sum = (messages: readonly ChatMessage[]): number =>
    messages.reduce((total, one) => total + meter.of(one), 0);
  const lastUser = units.findLastIndex(isUser);
  const breakdown: BudgetBreakdown = {
    budget: policy.budget,
    usable: policy.usable,
    systemPrompt: sum(head),
    tools: meter.fixed,
    lastUserTurn: sum(units[lastUser]?.messages ?? []),
    pinned: 0,
    markers: 0,
  };
  const required = new Set<number>(lastUser < 0 ? [] : [lastUser]);
  for (const [at, unit] of units.entries()) {
    if (at === lastUser || (unit.kind !== "system" && !isPinned(unit, policy))) continue;
    required.add(at);
    breakdown.pinned += sum(unit.messages);
  }
  const tokens =
    breakdown.systemPrompt + breakdown.tools + breakdown.lastUserTurn + breakdown.pinned;
  if (tokens > policy.usable) throw exceeded(breakdown);
  return { units: required, tokens, breakdown };
}

interface Choice {
  policy: FitPolicy;
  required: Required;
  limitTokens: number;
}

/** The first unit of the tail that is shown. */
function findTail({ units }: History, { policy, required, limitTokens }: Choice): number {
  const free = policy.usable - required.tokens;
  const room = free - markerReserve * (required.units.size + 1);
  const lastUser = units.findLastIndex(isUser);
  let used = 0;
  let from = units.length;
  for (let at = units.length - 1; at >= 0; at--) {
    const unit = units[at];
    if (unit !== undefined && !required.units.has(at)) {
      used += showAfterCut(unit, limitTokens, policy).tokens;
      const share = at > lastUser ? Math.max(policy.low, currentTurnShare) : policy.low;
      if (used > (at === units.length - 1 ? room : Math.min(room, free * share))) break;
    }
    from = at;
  }
  return from;
}

const isUser = ({ kind }: HistoryUnit): boolean => kind === "user";

function freeze(
  history: History,
  { policy, required, limitTokens, from }: Choice & { from: number },
): FrozenCut {
  const { units } = history;
  const kept = [...required.units].filter((unit) => unit < from).sort((a, b) => a - b);
  const tail = units.slice(from).map((unit) => showAfterCut(unit, limitTokens, policy));
  const used = tail.reduce((sum, { tokens }) => sum + tokens, 0) + required.tokens;
  const doubled = tail.reduce(
    (sum, { tokens }, at) => (required.units.has(from + at) ? sum + tokens : sum),
    0,
  );
  let left = policy.usable - used + doubled;
  const seen = wordsOf(tail.flatMap(({ messages }) => messages));
  const ranges = droppedRanges(from, kept);
  const markers: string[] = [];
  for (const [place, range] of [...ranges.entries()].reverse()) {
    const reserve = place * markerReserve;
    const text = writeMarker(units, range, { policy, seen, maxTokens: left - reserve });
    left -= policy.meter.of(markerMessage(text));
    markers.unshift(text);
  }
  if (left < 0) {
    throw exceeded({
      ...required.breakdown,
      markers: markers.reduce((sum, text) => sum + policy.meter.of(markerMessage(text)), 0),
    });
  }
  return { from, kept, markers, limitTokens, anchor: anchorOf(history, from) };
}

/** The mark of the last unit that the cut left behind, by which it is known to belong to a history. */
export function anchorOf({ units }: History, from: number): string {
  return (units[from - 1]?.messages ?? []).map(fingerprintOf).join(" ");
}

const longestScan = 64_000;

/** The words that a prompt shows anyway, newest messages first, within a bounded length. */
function wordsOf(messages: readonly ChatMessage[]): Set<string> {
  const words = new Set<string>();
  let scanned = 0;
  for (let at = messages.length - 1; at >= 0 && scanned < longestScan; at--) {
    const message = messages[at];
    const text = [textOf(message), ...(message?.toolCalls ?? []).map((call) => call.arguments)]
      .join("\n")
      .slice(0, longestScan);
    scanned += text.length;
    for (const word of text.split(/[\s,;|"=:(){}[\]\\]+/)) words.add(word);
  }
  return words;
}

function exceeded(breakdown: BudgetBreakdown): ContextCompilerError {
  const { budget, usable, systemPrompt, tools, lastUserTurn, pinned, markers } = breakdown;
  const message = `What must stay does not fit ${usable} usable tokens of a budget of ${budget}: system prompt ${systemPrompt}, tools ${tools}, last user turn ${lastUserTurn}, pinned ${pinned}, markers ${markers}. Shorten it or raise the budget.`;
  return new ContextCompilerError("budget_exceeded", message, { details: breakdown });
}
