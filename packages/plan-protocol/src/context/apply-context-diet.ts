import { defaultPlanLimits, type PlanLimits } from "../limits/plan-limits.ts";
import type { ContextBlock } from "./context-block.ts";

/** Figures of the context after the cuts. */
export interface ContextStats {
  files: number;
  /** Blocks that were left out. */
  dropped: number;
  /** Blocks that were cut. */
  truncated: number;
  /** UTF-16 code units of all texts kept, including the markers of cuts. */
  total_chars: number;
}

/** The blocks that fit. */
export interface DietedContext {
  /** In the order given. */
  blocks: ContextBlock[];
  /** Blocks that were left out, in the order given. */
  dropped: ContextBlock[];
  stats: ContextStats;
}

/** The limits that apply to context. */
export type ContextLimits = Pick<
  PlanLimits,
  "maxContextFiles" | "maxContextFileChars" | "maxContextTotalChars" | "maxContextLogChars"
>;

interface Portion {
  block: ContextBlock;
  text: string;
  /** Characters that the block may have. */
  share: number;
  priority: number;
}

/** What a file of priority 0 keeps as long as all such files fit. */
const GUARANTEED_CHARS = 4_000;

/** A block that would be cut below this size says nothing and is left out. */
const MIN_CHARS = 200;

const HEAD_SHARE = 0.6;

/** The order in which types of block are cut. */
const GIVES_WAY: Readonly<Record<ContextBlock["type"], number>> = {
  search: 0,
  logs: 1,
  env: 2,
  read_file: 3,
};

/**
 * Fits context blocks into limits in characters. It cuts search hits first, then logs, then the environment, then
 * files by priority. A cut block keeps its head and tail, 60 to 40, around a marker with the number of characters
 * removed. Files of priority 0 keep 4,000 characters each, or equal shares if they do not all fit.
 */
export function applyContextDiet(
  blocks: readonly ContextBlock[],
  limits: Partial<ContextLimits> = {},
): DietedContext {
  const bounds: ContextLimits = { ...defaultPlanLimits, ...limits };
  const portions = blocks.map((block): Portion => ({
    block,
    text: "",
    priority: block.priority ?? (block.type === "read_file" ? 0 : 1),
    share: Math.min(block.text.length, Math.max(0, bounds.maxContextFileChars)),
  }));
  // Among equals the block that was given first is worth more.
  const byWorth = portions
    .toSorted(
      (a, b) => GIVES_WAY[b.block.type] - GIVES_WAY[a.block.type] || a.priority - b.priority,
    )
    .slice(0, Math.max(0, bounds.maxContextFiles));
  limitLogs(byWorth, bounds.maxContextLogChars);
  shareTotal(byWorth, bounds.maxContextTotalChars);
  for (const portion of byWorth) portion.text = cutMiddle(portion.block.text, portion.share);
  const kept = portions.filter(
    (portion) => byWorth.includes(portion) && (portion.text !== "" || portion.block.text === ""),
  );
  const result = kept.map(({ block, text }) => ({ ...block, text }));
  return {
    blocks: result,
    dropped: portions.filter((portion) => !kept.includes(portion)).map(({ block }) => block),
    stats: {
      files: result.length,
      dropped: blocks.length - result.length,
      truncated: kept.filter(({ block, text }) => text !== block.text).length,
      total_chars: result.reduce((sum, { text }) => sum + text.length, 0),
    },
  };
}

function limitLogs(byWorth: readonly Portion[], maxChars: number): void {
  let left = maxChars;
  for (const portion of byWorth) {
    if (portion.block.type !== "logs") continue;
    portion.share = Math.min(portion.share, Math.max(0, left));
    left -= portion.share;
  }
}

/** Removes the excess from the lowest value up. Guaranteed characters go only when nothing else is left. */
function shareTotal(byWorth: readonly Portion[], maxChars: number): void {
  let excess = byWorth.reduce((sum, { share }) => sum + share, 0) - Math.max(0, maxChars);
  for (const portion of byWorth.toReversed()) {
    if (excess <= 0) return;
    const minChars = isGuaranteed(portion) ? GUARANTEED_CHARS : 0;
    let taken = Math.max(0, Math.min(excess, portion.share - minChars));
    if (portion.share - taken < MIN_CHARS && minChars === 0) taken = portion.share;
    portion.share -= taken;
    excess -= taken;
  }
  if (excess > 0)
    shareEqually(
      byWorth.filter((portion) => portion.share > 0),
      Math.max(0, maxChars),
    );
}

function isGuaranteed({ block, priority }: Portion): boolean {
  return block.type === "read_file" && priority === 0;
}

/** Gives equal shares. Blocks that need less leave the rest to the others. */
function shareEqually(portions: readonly Portion[], maxChars: number): void {
  let left = maxChars;
  const byShare = portions.toSorted((a, b) => a.share - b.share);
  for (const [index, portion] of byShare.entries()) {
    portion.share = Math.min(portion.share, Math.floor(left / (byShare.length - index)));
    left -= portion.share;
  }
}

/** Cuts a text to `maxChars`, with a marker for what is missing. Empty if not even the marker fits. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const roomChars = maxChars - markOf(text.length).length;
  if (roomChars <= 0) return "";
  // The number removed may have one digit less than the text's length.
  const keptChars = maxChars - markOf(text.length - roomChars).length;
  const head = wholeEnd(text, Math.ceil(keptChars * HEAD_SHARE));
  const tail = wholeStart(text, text.length - (keptChars - Math.ceil(keptChars * HEAD_SHARE)));
  return text.slice(0, head) + markOf(tail - head) + text.slice(tail);
}

/** The marker for removed characters. */
function markOf(removed: number): string {
  return `...[TRUNCATED ${removed} chars]...`;
}

// Half of a surrogate pair is not a character.
function wholeEnd(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at - 1 : at;
}

function wholeStart(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "")
    ? at + 1
    : at;
}
