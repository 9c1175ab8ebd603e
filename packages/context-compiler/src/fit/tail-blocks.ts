import { findRepeat, type KnownContent } from "@ccl/compress";
import type { ChatMessage } from "@ccl/core";

import type { FitPolicy } from "./fit-policy.ts";
import type { HistoryUnit } from "./history-unit.ts";
import { hasFailed, readableText, textKey, textOf } from "./message-texts.ts";
import { cutText, losslessText, selectText } from "./shorten-text.ts";

/** A message that may be shown in shortened form. */
export interface Block {
  message: ChatMessage;
  /** Index in the input. */
  index: number;
  /** Key of the replacement text in a cut. */
  key: string;
  isResult: boolean;
  /** Tokens of the original and of a shorter lossless text, each counted as a whole message. */
  tokens: number;
  lossless: { text: string; tokens: number } | undefined;
  /** Minimum tokens to which the block may be shortened. */
  floor: number;
  /** How much longer the block stays than others. Below 1, it stays shorter. */
  weight: number;
  query: string;
  /**
   * Replaces the text if a later message repeats it, exactly or nearly. Either a line that refers
   * to that message, or the differences.
   */
  reference: string | undefined;
}

/** Reads the blocks of one history. Computes each lossless text only once. */
export interface BlockReader {
  /** Returns the blocks of a unit. `age` is its distance from the last unit. */
  of(unit: HistoryUnit, age: number): readonly Block[];
  /** Returns a block's text within a limit. Undefined means the original message. */
  show(block: Block, limit: number): string | undefined;
  lossless(block: Block): { text: string; tokens: number };
}

/**
 * Messages other than results are shortened above this many tokens, but never to less than half of
 * it.
 */
const shortSpeech = 400;
/** Shorter results stay unchanged. */
const shortResult = 48;
const speechWeight = 4;
const failureWeight = 0.5;
/** Results of the latest units keep their full weight. */
const recentUnits = 4;
const halfLife = 16;

/**
 * Creates a block reader. `floor` is the minimum number of tokens of a shown result. `query`
 * contains the user's latest message.
 */
export function createBlockReader(
  units: readonly HistoryUnit[],
  { policy, query, floor }: { policy: FitPolicy; query: string; floor: number },
): BlockReader {
  const { meter, restHint } = policy;
  const { counter } = meter;
  const known = new Map<HistoryUnit, readonly Block[]>();
  const references = findReferences(units);
  const read = (unit: HistoryUnit, age: number): Block[] => {
    if (unit.kind === "system") return [];
    const inputs = new Map(
      unit.messages[0]?.toolCalls?.map(({ id, arguments: input }) => [id, input]),
    );
    return unit.messages.flatMap((message, at): Block[] => {
      const index = unit.indexes[at] ?? 0;
      const isResult = message.role === "tool";
      const tokens = meter.of(message);
      if (tokens <= (isResult ? shortResult : shortSpeech)) return [];
      if (hasProviderPart(message)) return [];
      // The result added for an unanswered call is not in any input message.
      if (isResult && index === unit.indexes[0]) return [];
      const text = `${query} ${inputs.get(message.toolCallId ?? "") ?? ""}`;
      const decay = age <= recentUnits ? 1 : 1 / (1 + (age - recentUnits) / halfLife);
      const failure = isResult && age > recentUnits && hasFailed(message) ? failureWeight : 1;
      return [
        {
          message,
          index,
          key: textKey(message, index),
          isResult,
          tokens,
          lossless: undefined,
          floor: isResult ? floor : shortSpeech / 2,
          weight: isResult ? decay * failure : speechWeight * decay,
          query: text.slice(0, 2_000),
          reference: references.get(message),
        },
      ];
    });
  };
  const lossless = (block: Block): { text: string; tokens: number } => {
    if (block.lossless !== undefined) return block.lossless;
    const original = readableText(block.message);
    const text = block.isResult ? losslessText(original, counter) : original;
    const isOther = text !== original || typeof block.message.content !== "string";
    const tokens = isOther
      ? block.tokens - counter.count(original) + counter.count(text)
      : block.tokens;
    block.lossless = { text, tokens: Math.min(tokens, block.tokens) };
    return block.lossless;
  };
  return {
    lossless,
    of(unit, age) {
      const found = known.get(unit) ?? read(unit, age);
      known.set(unit, found);
      return found;
    },
    show(block, limit) {
      const { reference } = block;
      const isShort = reference !== undefined && counter.count(reference) <= limit;
      if (isShort || reference?.includes("\n") === false) return reference;
      if (block.tokens <= limit) return undefined;
      const full = lossless(block);
      if (full.tokens <= limit && full.tokens < block.tokens) return full.text;
      const text = readableText(block.message);
      const framing = Math.max(0, block.tokens - counter.count(text));
      const hint = restHint?.(block.message, block.index) ?? "";
      const maxTokens = Math.max(1, limit - Math.min(framing, 8));
      const options = { counter, maxTokens, query: block.query, hint };
      return block.isResult ? selectText(text, options) : cutText(text, options);
    },
  };
}

/** Provider-specific parts stay whole, along with their other half. */
function hasProviderPart({ content }: ChatMessage): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "provider");
}

const shortestRepeat = 200;
/** A result is shown as differences from a later one if they take no more than this share of it. */
const shorterShare = 0.5;

function differenceFrom(later: readonly KnownContent[], text: string): string | undefined {
  const repeat = findRepeat(text, later);
  const isShort = repeat !== undefined && repeat.text.length < text.length * shorterShare;
  return isShort ? repeat.text : undefined;
}

/**
 * Finds results that a later one repeats, exactly or nearly. Returns each with its replacement
 * text. Equal calls prove nothing: reading the next page, polling and throwing dice are equal calls
 * with different results.
 */
function findReferences(units: readonly HistoryUnit[]): Map<ChatMessage, string> {
  const references = new Map<ChatMessage, string>();
  const texts = new Set<string>();
  /** Later results that are themselves shown. */
  const later: KnownContent[] = [];
  for (let at = units.length - 1; at >= 0; at--) {
    const unit = units[at];
    if (unit?.kind !== "calls") continue;
    for (const message of unit.messages.slice(1).toReversed()) {
      const text = textOf(message);
      if (text.length < shortestRepeat) continue;
      const reference = texts.has(text)
        ? "[Repeated: a later result says the same.]"
        : differenceFrom(later, text);
      if (reference === undefined) later.push({ content: text, name: "a later result" });
      else references.set(message, reference);
      texts.add(text);
    }
  }
  return references;
}

/**
 * Finds a limit at which blocks of these sizes take up to `room` in total, each no less than its
 * floor.
 */
export function findLimit(
  blocks: readonly { size: number; floor: number; weight: number }[],
  room: number,
): (block: { floor: number; weight: number }) => number {
  const limitOf =
    (level: number) =>
    ({ floor, weight }: { floor: number; weight: number }): number =>
      Math.max(floor, Math.floor(level * weight));
  const takes = (level: number): number => {
    const limit = limitOf(level);
    return blocks.reduce((sum, block) => sum + Math.min(block.size, limit(block)), 0);
  };
  let low = 0;
  let high = blocks.reduce((max, { size, weight }) => Math.max(max, size / weight), 1) + 1;
  if (takes(high) <= room) return limitOf(high);
  for (let step = 0; step < 40 && high - low > 1; step++) {
    const middle = (low + high) / 2;
    if (takes(middle) <= room) low = middle;
    else high = middle;
  }
  return limitOf(low);
}
