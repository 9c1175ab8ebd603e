import type { TokenCounter } from "@ccl/core";

/** Number of strings whose counts are cached. A row has about 100 bytes. */
const maxTexts = 30_000;

const memos = new WeakMap<TokenCounter, Map<string, number>>();

/** Counts tokens, and caches the counts of short strings for as long as the counter lives. */
export function countMemoized(counter: TokenCounter, text: string): number {
  let memo = memos.get(counter);
  if (memo === undefined) memos.set(counter, (memo = new Map()));
  const known = memo.get(text);
  if (known !== undefined) return known;
  const tokens = counter.count(text);
  if (memo.size >= maxTexts) memo.clear();
  memo.set(text, tokens);
  return tokens;
}
