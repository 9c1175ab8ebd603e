import type { PartKind } from "@ccl/core/tracing";

/** One part of a prompt, in the order in which the model reads it. */
export interface HistoryItem {
  kind: PartKind;
  /** As the model reads it; of a call its arguments, of media nothing. */
  text: string;
  /** The tool of a call or a result. */
  tool?: string | undefined;
  /** Joins a call and its results. */
  callId?: string | undefined;
  /** Tokens of what has no text. */
  mediaTokens?: number | undefined;
}

/** True for what a model wrote: a model call ends before the first of a row of these. */
function isOfModel({ kind }: HistoryItem): boolean {
  return kind === "assistant" || kind === "reasoning" || kind === "call";
}

/** The lengths of the prompts of all calls: what stood before each answer, and the whole at its end if no answer follows. */
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
