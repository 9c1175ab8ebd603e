import type { TokenCounter } from "@ccl/core";

import type { OverviewRow } from "./overview-row.ts";
import { headerLine, RowLayout, type RenderedRows } from "./row-layout.ts";

/** A resource that may get a row. */
export interface RowCandidate {
  /** Returns the parts of the row. Called only if the row may fit. */
  row(): OverviewRow;
}

/** Limits and inputs for filling rows. */
export interface FillRowsOptions {
  counter: TokenCounter;
  /** Token limit of the whole text, including the header. */
  budget: number;
  /** Number of top-ranked rows that stay short because their cards follow. */
  shortRows?: number | undefined;
  /** Total number of candidates, if `inputs` contains only the first of them. */
  total?: number | undefined;
  /** Rows for the space that `inputs` leave. Each gets its name before any of them gets fields. */
  others?: readonly RowCandidate[] | undefined;
}

/** The rows that fit, and their token count as rendered. */
export interface FilledRows extends RenderedRows {
  tokens: number;
}

/** Share of the space spent on fields of the best rows before the last row gets its name. */
const longShare = 0.25;

/**
 * Adds as many rows as fit, in rank order. A row is short (a name) or long (with fields and a description). A
 * quarter of the space lengthens the best rows, and the rest adds rows. If space is left once every candidate has
 * a row, more rows become long. The count never exceeds the budget. Returns undefined if not even the header fits.
 */
export function fillRows(
  inputs: readonly RowCandidate[],
  options: FillRowsOptions,
): FilledRows | undefined {
  const { counter, budget, shortRows = 0, others = [] } = options;
  const total = Math.max(options.total ?? inputs.length, inputs.length) + others.length;
  const kind = commonKind(inputs);
  const layout = new RowLayout(counter, kind);
  const room = budget - counter.count(`${headerLine(inputs.length, total, kind)}\n`);
  const width = room * (1 - longShare);
  const widen = (source: readonly RowCandidate[], limit: number): number =>
    addRows(layout, source, { limit, part: source === others ? "others" : "best" });
  const lengthen = (): void => {
    for (let rank = shortRows; rank < layout.size; rank++)
      if (!layout.lengthen(rank, room - layout.tokens)) break;
  };
  const isAmple = others.length > 0 && holdsEveryName(inputs, others, { counter, room });
  const next = widen(inputs, isAmple ? room : width);
  if (isAmple) widen(others, room);
  lengthen();
  const left = inputs.slice(next);
  if (!isAmple && widen(left, room) === left.length && others.length > 0) {
    widen(others, room);
    lengthen();
  }
  return fitted(layout, { counter, budget, total });
}

/** Minimum number of tokens in a row that has only a name. */
export const minRowTokens = 4;

/** True if all rows fit when each shows only its name. */
export function holdsEveryName(
  inputs: readonly RowCandidate[],
  others: readonly RowCandidate[],
  { counter, room }: { counter: TokenCounter; room: number },
): boolean {
  if ((inputs.length + others.length) * minRowTokens > room) return false;
  const layout = new RowLayout(counter, commonKind(inputs));
  return (
    addRows(layout, inputs, { limit: room, part: "best" }) === inputs.length &&
    addRows(layout, others, { limit: room, part: "others" }) === others.length
  );
}

/** Adds rows up to the limit and returns how many were added. */
function addRows(
  layout: RowLayout,
  source: readonly RowCandidate[],
  { limit, part }: { limit: number; part: "best" | "others" },
): number {
  const end = source.findIndex(
    (candidate) => !layout.add(candidate.row(), limit - layout.tokens, part),
  );
  return end < 0 ? source.length : end;
}

/**
 * Counts the whole text, because the counts of the parts may not add up. Shortens and then removes rows until the
 * text fits.
 */
function fitted(
  layout: RowLayout,
  { counter, budget, total }: { counter: TokenCounter; budget: number; total: number },
): FilledRows | undefined {
  for (let step = 1; ; step *= 2) {
    const rendered = layout.render(total);
    const tokens = counter.count(rendered.text);
    if (tokens <= budget) return { ...rendered, tokens };
    if (layout.size === 0) return undefined;
    const target = layout.tokens - (tokens - budget) * Math.min(step, 1_024);
    do layout.reduce();
    while (layout.size > 0 && layout.tokens > target);
  }
}

/** Returns the commonest kind among the first 50 rows. Ties are resolved by code unit order. */
function commonKind(inputs: readonly RowCandidate[]): string {
  const counts = new Map<string, number>();
  for (const input of inputs.slice(0, 50)) {
    const { kind } = input.row();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  let best = "";
  for (const kind of [...counts.keys()].sort())
    if ((counts.get(kind) ?? 0) > (counts.get(best) ?? 0)) best = kind;
  return best;
}
