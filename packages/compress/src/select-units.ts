import type { TokenCounter } from "@ccl/core";

import { clipAround, clipMiddle } from "./clip.ts";
import { renderUnits } from "./render-units.ts";
import type { Layout, Unit, Units } from "./unit.ts";
import { errorAt } from "./weigh/severity.ts";
import { queryAt } from "./weigh/match-query.ts";
import type { WeighedUnits } from "./weigh/weigh-units.ts";

/** The units of a layout that are shown. */
interface Selection {
  text: string;
  tokens: number;
  /** Places of the shown units, in order. */
  places: number[];
}

interface SelectOptions {
  budget: number;
  counter: TokenCounter;
  /** The first line of the text. */
  title?: string | undefined;
  /** Number of units that should fit. By default 12, or more if there are many forms. */
  wanted?: number | undefined;
}

/**
 * Selects as many of the best units as fit. They are shown in order, with marks between them for
 * what was left out.
 */
export function selectUnits(
  layout: Layout,
  weighed: WeighedUnits,
  { budget, counter, title, wanted = wantedUnits(layout, weighed) }: SelectOptions,
): Selection {
  const order = rankUnits(layout.units, weighed.weights, budget * maxUnitsPerToken);
  const isBrief = isScarce(layout, weighed, budget);
  const maxChars = Math.max(isBrief ? briefChars : 70, Math.floor((budget * 3) / wanted));
  const foremost = foremostOf(order, weighed.weights, wanted);
  const textOf = (at: number): string =>
    shortText(layout.units.at(at), {
      weighed,
      maxChars: foremost.has(at) ? maxChars * foremostShare : maxChars,
      briefOf: isBrief ? layout.briefOf : undefined,
      sourceOf: layout.sourceOf,
    });
  const { briefOf, sourceOf } = layout;
  const sourceAt =
    isBrief && briefOf !== undefined && sourceOf !== undefined
      ? (at: number): string => clipMiddle(sourceOf(briefOf(layout.units.at(at)?.text ?? "")), 40)
      : undefined;
  const limit = affordable(order, layout.units, { maxChars, maxTotal: budget * 10 });
  const take = (count: number): Selection => {
    const places = withHeads(order.slice(0, count), layout.units);
    const { counts } = weighed;
    const text = renderUnits(places, layout, { textOf, sourceAt, counts, isBrief, title });
    return { text, tokens: counter.count(text), places };
  };
  let best: Selection = { text: "", tokens: 0, places: [] };
  let low = 0;
  let high = limit;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const selection = take(middle);
    if (selection.tokens <= budget) {
      best = selection;
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return best;
}

const briefChars = 60;
const foremostShare = 3;
/** Maximum number of units per token, since even the shortest line takes part of a token. */
const maxUnitsPerToken = 4;

/**
 * Returns the few units with a much higher weight than the others, which are shown at greater
 * length.
 */
function foremostOf(
  order: readonly number[],
  weights: Float64Array,
  wanted: number,
): ReadonlySet<number> {
  const limit = 0.6 * (weights[order[0] ?? 0] ?? 0);
  const few = Math.ceil(wanted / 6);
  const first = order.slice(0, few + 1).filter((at) => (weights[at] ?? 0) >= limit);
  return new Set(first.length > few ? [] : first);
}

/**
 * Returns the places of the best units, best first. There are only slightly more than could be
 * shown.
 */
function rankUnits(units: Units, weights: Float64Array, max: number): number[] {
  const byWeight = (a: number, b: number): number => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b;
  let places: number[] = [];
  let floor = 0;
  for (let at = 0; at < units.length; at += 1) {
    if ((weights[at] ?? 0) <= floor || units.at(at)?.isHeader === true) continue;
    places.push(at);
    if (places.length < 4 * max) continue;
    places = places.sort(byWeight).slice(0, Math.ceil(max));
    floor = weights[places.at(-1) ?? 0] ?? 0;
  }
  return places.sort(byWeight);
}

/**
 * Counts the units that may be tried. Their total length is limited, so that no trial takes long.
 */
function affordable(
  order: readonly number[],
  units: Units,
  { maxChars, maxTotal }: { maxChars: number; maxTotal: number },
): number {
  let chars = 0;
  for (let count = 0; count < order.length; count += 1) {
    const at = order[count] ?? 0;
    chars += Math.min(maxChars, units.at(at)?.text.length ?? 0);
    if (chars > maxTotal) return count + 1;
  }
  return order.length;
}

function wantedUnits({ units, hasForms }: Layout, { counts }: WeighedUnits): number {
  const wanted = hasForms ? Math.max(12, Math.min(120, counts.size)) : 12;
  return Math.max(1, Math.min(wanted, units.length));
}

/** True if the budget is too small for one line of each form with its time. */
function isScarce({ units, briefOf }: Layout, { counts }: WeighedUnits, budget: number): boolean {
  if (briefOf === undefined || counts.size === 0) return briefOf !== undefined;
  let chars = 0;
  for (const at of counts.keys()) chars += units.at(at)?.text.length ?? 0;
  return chars > budget * 2;
}

/** Returns the places of the units and of all their heads, in order. */
function withHeads(chosen: readonly number[], units: Units): number[] {
  const places = new Set<number>();
  for (const at of chosen) {
    let next: number | undefined = at;
    while (next !== undefined && !places.has(next)) {
      places.add(next);
      next = units.at(next)?.head;
    }
  }
  return [...places].toSorted((a, b) => a - b);
}

/** Minimum number of characters that a cut must save to be worth its mark. */
const slack = 12;

/**
 * Matches the part of a line that the reader needs to understand it: the file and line that a
 * compiler or a search names first, its sign, or its test.
 */
const location =
  /^[^\s:(]{1,100}?(?:[:-]\d+){1,2}[:-]|^[^\s:(]{1,100}\(\d+,\d+\)|^@@ [^@]{1,60}@@|^[-+]|^\s*<testcase [^>]{0,20}name="[^"]{0,80}"/;

interface Shortening {
  weighed: WeighedUnits;
  maxChars: number;
  briefOf: Layout["briefOf"];
  sourceOf: Layout["sourceOf"];
}

/**
 * Returns the text of a unit, shortened so that neither a cell nor the whole exceeds its share.
 * Keeps the important part.
 */
function shortText(
  unit: Unit | undefined,
  { weighed, maxChars, briefOf, sourceOf }: Shortening,
): string {
  if (unit === undefined) return "";
  const brief = briefOf?.(unit.text) ?? unit.text;
  const whole = briefOf === undefined ? brief : brief.slice(sourceOf?.(brief).length ?? 0);
  const clip = (text: string, max: number): string => {
    if (text.length <= max + slack) return text;
    if (briefOf !== undefined)
      return clipAround(text, max, Math.max(0, queryAt(text, weighed.query)));
    const place = location.exec(text)?.[0] ?? "";
    const rest = text.slice(place.length);
    const matchPlace = queryAt(rest, weighed.query);
    const at = matchPlace >= 0 ? matchPlace : errorAt(rest);
    const room = max - place.length;
    return place + (at < 0 ? clipMiddle(rest, room) : clipAround(rest, room, at));
  };
  if (unit.cells === undefined || unit.text.length <= maxChars) return clip(whole, maxChars);
  return clipCells(unit.cells, maxChars, clip).join("|");
}

/** Shortens cells. Short ones stay whole, and long ones share the rest. */
function clipCells(
  cells: readonly string[],
  maxChars: number,
  clip: (text: string, max: number) => string,
): string[] {
  const lengths = cells.map(({ length }) => length).toSorted((a, b) => a - b);
  let room = maxChars;
  let remaining = lengths.length;
  let limit = Math.floor(room / Math.max(1, remaining));
  for (const length of lengths) {
    if (length > limit) break;
    room -= length;
    remaining -= 1;
    limit = Math.floor(room / Math.max(1, remaining));
  }
  return cells.map((cell) => clip(cell, Math.max(24, limit)));
}
