import { defaultPlanLimits, type PlanLimits } from "../limits/plan-limits.ts";
import type { ContextBlock } from "./context-block.ts";

/** Size of the context after cutting. */
export interface ContextStats {
  files: number;
  /** Number of blocks left out. */
  dropped: number;
  /** Number of blocks cut. */
  truncated: number;
  /** UTF-16 code units of all text kept, including the cut markers. */
  total_chars: number;
}

/** The blocks that fit. */
export interface DietedContext {
  /** In the original order. */
  blocks: ContextBlock[];
  /** Blocks left out, in the original order. */
  dropped: ContextBlock[];
  stats: ContextStats;
}

/** Limits that apply to context. */
export type ContextLimits = Pick<
  PlanLimits,
  "maxContextFiles" | "maxContextFileChars" | "maxContextTotalChars" | "maxContextLogChars"
>;

interface Portion {
  block: ContextBlock;
  text: string;
  /** Character budget of the block. */
  share: number;
  priority: number;
}

/** Characters that a priority 0 file keeps as long as all such files fit. */
const GUARANTEED_CHARS = 4_000;

/** A block cut below this size is useless, so it is left out. */
const MIN_CHARS = 200;

const HEAD_SHARE = 0.6;

/** The order in which block types are cut. */
const GIVES_WAY: Readonly<Record<ContextBlock["type"], number>> = {
  search: 0,
  logs: 1,
  env: 2,
  read_file: 3,
};

/**
 * Fits context blocks into character limits. Search hits are cut first, then logs, then the environment, then files by
 * priority. A cut block keeps its head and tail, split 60 to 40, around a marker with the number of characters removed.
 * Files of priority 0 keep 4,000 characters each, or equal shares if they do not all fit.
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
  // Among equals, earlier blocks rank higher.
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

/** Removes the excess, starting with the lowest rank. Guaranteed characters are removed last. */
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

/** Assigns equal shares. Blocks that need less leave the rest to the others. */
function shareEqually(portions: readonly Portion[], maxChars: number): void {
  let left = maxChars;
  const byShare = portions.toSorted((a, b) => a.share - b.share);
  for (const [index, portion] of byShare.entries()) {
    portion.share = Math.min(portion.share, Math.floor(left / (byShare.length - index)));
    left -= portion.share;
  }
}

/** Cuts text to `maxChars`, with a marker for the missing part. Returns an empty string if the marker does not fit. */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const roomChars = maxChars - markOf(text.length).length;
  if (roomChars <= 0) return "";
  // The removed count may have one digit fewer than the text's length.
  const keptChars = maxChars - markOf(text.length - roomChars).length;
  const head = wholeEnd(text, Math.ceil(keptChars * HEAD_SHARE));
  const tail = wholeStart(text, text.length - (keptChars - Math.ceil(keptChars * HEAD_SHARE)));
  return text.slice(0, head) + markOf(tail - head) + text.slice(tail);
}

/** Marker for removed characters. */
function markOf(removed: number): string {
  return `...[TRUNCATED ${removed} chars]...`;
}

// Avoids splitting a surrogate pair.
function wholeEnd(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at - 1 : at;
}

function wholeStart(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "")
    ? at + 1
    : at;
}
