import type { PartKind } from "@ccl/core/tracing";

/** One part of a prompt, in the order in which the model reads it. */
export interface HistoryItem {
  kind: PartKind;
  /** The text that the model reads. The arguments of a call, empty for media. */
  text: string;
  /** The tool of a call or a result. */
  tool?: string | undefined;
  /** Links a call and its results. */
  callId?: string | undefined;
  /** Tokens of content without text. */
  mediaTokens?: number | undefined;
}

/** True for items that a model wrote. Consecutive ones belong to one model call. */
function isOfModel({ kind }: HistoryItem): boolean {
  return kind === "assistant" || kind === "reasoning" || kind === "call";
}

/**
 * Returns the prompt length of every call: before each answer, and at the end if no answer follows.
 */
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
