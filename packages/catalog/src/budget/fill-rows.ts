import type { TokenCounter } from "@ccl/core";

import { overviewRow, type OverviewRow, type RowInput } from "./overview-row.ts";
import { headerLine, RowLayout, type RenderedRows } from "./row-layout.ts";

/** Rows in rank order, accessed like an array. A row is read only if there may be room for it. */
export interface RowSource {
  length: number;
  at(index: number): RowInput | undefined;
}

/** The room for rows. */
export interface FillRowsOptions {
  counter: TokenCounter;
  /** Tokens of the whole text, including the header. */
  budget: number;
  /** Number of top rows that stay short because their cards follow. */
  shortRows?: number | undefined;
  /** Number of all candidates, if `inputs` holds only the first of them. */
  total?: number | undefined;
  /** Rows for the room that `inputs` leave. Each gets its name before any of them gets fields. */
  others?: RowSource | undefined;
}

/** The rows that fit, and their tokens as rendered. */
export interface FilledRows extends RenderedRows {
  tokens: number;
}

/** The share of the room that goes to the fields of the best rows before the last row gets its name. */
const longShare = 0.25;

/**
 * Adds as many rows as fit, in rank order. A row is short (a name) or long (with fields and a
 * description). A quarter of the room makes the best rows long, and the rest goes to more rows. If
 * room is left when every candidate has a row, more rows become long. The count never exceeds the
 * budget. Undefined if not even the header fits.
 */
export function fillRows(inputs: RowSource, options: FillRowsOptions): FilledRows | undefined {
  const { counter, budget, shortRows = 0 } = options;
  const { others = noRows } = options;
  const total = Math.max(options.total ?? inputs.length, inputs.length) + others.length;
  const kind = commonKind(inputs);
  const layout = new RowLayout(counter, kind);
  const room = budget - counter.count(`${headerLine(inputs.length, total, kind)}\n`);
  const width = room * (1 - longShare);
  const widen = (source: RowSource, from: number, limit: number): number => {
    for (let next = from; next < source.length; next++) {
      const input = source.at(next);
      const part = source === others ? "others" : "best";
      if (input === undefined || !layout.add(rowOf(input), limit - layout.tokens, part))
        return next;
    }
    return source.length;
  };
  const lengthen = (): void => {
    for (let rank = shortRows; rank < layout.size; rank++)
      if (!layout.lengthen(rank, room - layout.tokens)) break;
  };
  const isAmple = others.length > 0 && holdsEveryName(inputs, others, { counter, room });
  const next = widen(inputs, 0, isAmple ? room : width);
  if (isAmple) widen(others, 0, room);
  lengthen();
  if (isAmple) return fitted(layout, { counter, budget, total });
  if (widen(inputs, next, room) === inputs.length && others.length > 0) {
    widen(others, 0, room);
    lengthen();
  }
  return fitted(layout, { counter, budget, total });
}

/** Minimum tokens of a row with only a name. */
export const minRowTokens = 4;

/** True if every row fits by name only. */
export function holdsEveryName(
  inputs: RowSource,
  others: RowSource,
  { counter, room }: { counter: TokenCounter; room: number },
): boolean {
  if ((inputs.length + others.length) * minRowTokens > room) return false;
  const layout = new RowLayout(counter, commonKind(inputs));
  return [inputs, others].every((source) => {
    for (let at = 0; at < source.length; at++) {
      const input = source.at(at);
      const part = source === others ? "others" : "best";
      if (input !== undefined && !layout.add(rowOf(input), room - layout.tokens, part))
        return false;
    }
    return true;
  });
}

export const noRows: RowSource = { length: 0, at: () => undefined };

/**
 * Counts the whole text, because the counts of parts may not add up. Shortens rows, then removes them, until it fits.
 */
function fitted(
  layout: RowLayout,
  { counter, budget, total }: { counter: TokenCounter; budget: number; total: number },
): FilledRows | undefined {
  for (let step = 1; ; step *= 2) {
    const rendered = layout.render({ total });
    const tokens = counter.count(rendered.text);
    if (tokens <= budget) return { ...rendered, tokens };
    if (layout.size === 0) return undefined;
    const target = layout.tokens - (tokens - budget) * Math.min(step, 1_024);
    do layout.reduce();
    while (layout.size > 0 && layout.tokens > target);
  }
}

const rows = new WeakMap<RowInput, OverviewRow>();

/** Caches rows. Inputs are immutable, and successive calls often show the same ones. */
function rowOf(input: RowInput): OverviewRow {
  const known = rows.get(input);
  if (known !== undefined) return known;
  const row = overviewRow(input);
  rows.set(input, row);
  return row;
}

/** The commonest kind among the first 50 rows. Ties are decided by code units. */
function commonKind(inputs: RowSource): string {
  const counts = new Map<string, number>();
  for (let at = 0; at < Math.min(50, inputs.length); at++) {
    const kind = inputs.at(at)?.kind;
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  let best = "";
  for (const kind of [...counts.keys()].sort())
    if ((counts.get(kind) ?? 0) > (counts.get(best) ?? 0)) best = kind;
  return best === "" ? "" : overviewRow({ id: "", kind: best, title: "" }).kind;
}
