import type { PartKind } from "@ccl/core/tracing";

/** One part of a prompt. Parts are in the order in which the model reads them. */
export interface HistoryItem {
  kind: PartKind;
  /** The text that the model reads. For a call, its arguments. Empty for media. */
  text: string;
  /** Name of the tool of a call or result. */
  tool?: string | undefined;
  /** Links a call to its results. */
  callId?: string | undefined;
  /** Token count of content that is not text. */
  mediaTokens?: number | undefined;
}

/** Returns true for items that a model wrote. Consecutive ones belong to one model call. */
function isOfModel({ kind }: HistoryItem): boolean {
  return kind === "assistant" || kind === "reasoning" || kind === "call";
}

/** Returns the prompt length of every call: one before each answer, and one at the end if no answer follows. */
export function promptEnds(items: readonly HistoryItem[]): number[] {
  const ends: number[] = [];
  for (const [at, item] of items.entries()) {
    const before = items[at - 1];
    if (before !== undefined && isOfModel(item) && !isOfModel(before)) ends.push(at);
  }
  const last = items.at(-1);
  if (last !== undefined && !isOfModel(last)) ends.push(items.length);
  return ends;
}
