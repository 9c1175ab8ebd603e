import { isSameJson } from "@ccl/core/json";
import { advance, openFrame } from "./grammar.ts";
import { COST, type Grammar, MODES, type Reading } from "./reading.ts";
import { punctuationAt } from "./marks.ts";
import { build } from "./parts.ts";
import type { Repair } from "./repair.ts";
import { scanKeyWord, scanString, scanWord } from "./scan-text.ts";
import type { TextView } from "./text-view.ts";

/** Limits for a tolerant parse. */
export interface ParseBudget {
  maxDepth: number;
  maxRepairs: number;
  /** Numbers become strings as written. */
  keepsDigits?: boolean | undefined;
}

/** Result of a tolerant parse. */
export type TolerantParse =
  | { status: "complete"; value: unknown; end: number; repairs: Repair[] }
  /** The cheapest reading needs more text. */
  | { status: "truncated" }
  | { status: "failed"; position: number; reason: string; isOverBudget: boolean };

/**
 * Search steps allowed per character, so that it does not block other work. A list of short rows with inner quotes takes
 * 0.4.
 */
const STEPS_PER_CHARACTER = 0.5;
const FEWEST_STEPS = 10_000;
/** Readings this many tokens behind the foremost one are dropped, which keeps the search linear. */
const MAX_LAG = 32;
const MAX_SEEN = 16_384;
/** Maximum characters considered after a value. */
const MAX_TAIL = 512;
/** A reading that has consumed nothing. */
const UNOPENED = {
  mode: "value",
  cost: 0,
  frame: undefined,
  links: undefined,
  styles: 0,
  mark: "",
  inner: 0,
  isKey: false,
  before: undefined,
  root: undefined,
} as const;
const KINDS = { object: 1, array: 2, paren: 3 } as const;

/**
 * Reads one bracketed value that is nearly JSON. Of all readings that the grammar allows, takes the one with the
 * cheapest repairs. Fails if two differ at equal cost, or if the cheapest reading is incomplete.
 */
export function parseTolerant(view: TextView, start: number, budget: ParseBudget): TolerantParse {
  const search = createSearch();
  const { text } = view;
  const shapes = new Map<number, number>();
  const grammar: Grammar = {
    view,
    maxDepth: budget.maxDepth,
    keepsDigits: budget.keepsDigits === true,
    isTooDeep: false,
    push: (reading) => {
      const { mode, cost, position } = reading;
      search.push(
        mode === "done" ? { ...reading, cost: cost + tailCost(view, position) } : reading,
      );
    },
    shapeOf: (parent, kind) => {
      const key = parent * 4 + KINDS[kind];
      const known = shapes.get(key) ?? shapes.size + 1;
      shapes.set(key, known);
      return known;
    },
  };
  openFrame(grammar, { ...UNOPENED, position: start, start }, punctuationAt(text, start));
  const failed = (reason: string, isOverBudget: boolean): TolerantParse => ({
    status: "failed",
    position: Math.min(search.front(), text.length),
    reason,
    isOverBudget,
  });
  let best: (Reading & { root: NonNullable<Reading["root"]> }) | undefined;
  let result: ReturnType<typeof build> | undefined;
  for (let steps = 1; ; steps += 1) {
    const reading = search.pop();
    if (reading === undefined || (best !== undefined && reading.cost > best.cost)) break;
    if (reading.mode === "cut") {
      if (best === undefined && reading.inner === 0) return { status: "truncated" };
    } else if (reading.mode === "done" && reading.root !== undefined) {
      const other = build(text, reading.root, reading.links);
      if (other.isAmbiguous || (result !== undefined && !isSameJson(result.value, other.value)))
        return failed("It can be read in two ways", false);
      best ??= { ...reading, root: reading.root };
      result ??= other;
    } else follow(grammar, reading);
    if ((reading.links?.count ?? 0) > budget.maxRepairs)
      return failed(`It needs more than ${budget.maxRepairs} repairs`, true);
    if (steps > FEWEST_STEPS + (search.front() - start) * STEPS_PER_CHARACTER)
      return failed(`It takes more than ${steps - 1} steps to repair`, true);
  }
  if (best === undefined || result === undefined)
    return grammar.isTooDeep
      ? failed(`It is nested deeper than ${budget.maxDepth}`, true)
      : failed("No repair makes it JSON", false);
  if (result.repairs.length > budget.maxRepairs)
    return failed(`It needs more than ${budget.maxRepairs} repairs`, true);
  const { value, repairs } = result;
  return { status: "complete", end: best.position, value, repairs };
}

function follow(grammar: Grammar, reading: Reading): void {
  if (reading.mode === "string") scanString(grammar, reading);
  else if (reading.mode === "word") scanWord(grammar, reading);
  else if (reading.mode === "keyWord") scanKeyWord(grammar, reading);
  else advance(grammar, reading);
}

// Returns the cost of ending there. A value may have ended too early if the text continues without a gap, with a quote,
// or with another key or item. The more strings stay unread, the likelier that is.
function tailCost({ text, skipSpace, skipGap }: TextView, position: number): number {
  const next = skipSpace(position);
  const character = punctuationAt(text, next);
  const isFurther = character === "," && /["'{[]/.test(text.charAt(skipGap(next + 1)));
  const isGlued =
    /["'\]}:]/.test(character) || (next === position && /[\p{L}\p{N}_{[(]/u.test(character));
  const rest = text.slice(next, next + MAX_TAIL);
  const fence = rest.indexOf("```");
  const unread = Math.floor((fence < 0 ? rest : rest.slice(0, fence)).split('"').length / 2);
  return unread + (isFurther || isGlued ? COST.gluedText : 0);
}

/**
 * Orders readings by cost. Of readings with the same position and state, only the cheapest continues, or two if tied.
 */
function createSearch() {
  const byCost: Reading[][] = [];
  let seen = new Map<number, number>();
  let seenBefore = new Map<number, number>();
  const fronts: number[] = [];
  let cheapest = 0;
  const isLate = ({ position }: Reading): boolean =>
    position < (fronts[fronts.length - MAX_LAG] ?? -1);
  // Positions behind the window do not recur. Without this, memory use would grow with the text.
  const forget = (): void => {
    seenBefore = seen;
    seen = new Map();
    for (let cost = cheapest; cost < byCost.length; cost += 1)
      byCost[cost] = byCost[cost]?.filter((reading) => !isLate(reading)) ?? [];
  };
  return {
    push: (reading: Reading): void => {
      (byCost[reading.cost] ??= []).push(reading);
    },
    /** Returns the foremost position. */
    front: (): number => fronts.at(-1) ?? 0,
    /** Removes the cheapest remaining reading. Ties go to the last one pushed. */
    pop: (): Reading | undefined => {
      for (; cheapest < byCost.length; cheapest += 1) {
        const bucket = byCost[cheapest];
        for (let reading = bucket?.pop(); reading !== undefined; reading = bucket?.pop()) {
          if (isLate(reading)) continue;
          const { position, mode } = reading;
          const key = keyOf(reading);
          const before = seen.get(key) ?? seenBefore.get(key);
          // Twice the cost, plus one after a second reading of equal cost.
          if (before !== undefined && before !== reading.cost * 2) continue;
          seen.set(key, reading.cost * 2 + (before === undefined ? 0 : 1));
          if (mode !== "cut" && position > (fronts.at(-1) ?? -1)) fronts.push(position);
          if (seen.size >= MAX_SEEN) forget();
          return reading;
        }
      }
      return undefined;
    },
  };
}

function keyOf({ position, mode, start, mark, isKey, inner, frame }: Reading): number {
  const isText = mode === "string";
  const token =
    mode === "word"
      ? Math.min(position - start, 63)
      : isText
        ? ((mark.charCodeAt(0) % 31) + 1) * 2 + (isKey ? 1 : 0)
        : 0;
  // The next quote's cost depends on the quotes before it.
  const marks = isText ? Math.min(inner, 2) : 0;
  const state = (marks * MODES.length + MODES.indexOf(mode)) * 64 + token;
  return (position * 4096 + state) * 65_536 + (mode === "done" ? 0 : frame.shape % 65_536);
}
