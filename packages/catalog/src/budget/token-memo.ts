import type { TokenCounter } from "@ccl/core";

/** Texts whose counts are kept; a row has some 100 bytes. */
const maxTexts = 30_000;

const memos = new WeakMap<TokenCounter, Map<string, number>>();

/** Counts with a counter and remembers short texts, for as long as the counter lives. */
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
