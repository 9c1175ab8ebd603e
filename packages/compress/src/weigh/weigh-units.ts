import { RowUnit, valueText } from "../json/row-unit.ts";
import { type JoinedTexts, type Layout, noClaim, type Units } from "../unit.ts";
import { joinUnits, unitsWith } from "./joined-units.ts";
import {
  findWords,
  groupByForm,
  type LineForm,
  type LineMasks,
  maskUnits,
  varyingWords,
} from "./line-forms.ts";
import { matchQuery, type QueryTerms } from "./match-query.ts";
import { type CellTable, notableRows } from "./notable.ts";
import { reportAt, severityOf } from "./severity.ts";

/** The weight of each unit of a layout, in order. */
export interface WeighedUnits {
  weights: Float64Array;
  query: QueryTerms;
  /** Number of lines of each form, by the place of its first line. */
  counts: ReadonlyMap<number, number>;
}

const queryWeight = 6;
/** Share of the units above which an error carries little information. */
const commonShare = 0.05;
const inherited = 0.6;

/** Weighs units by their place, their matches with the question, failures, and unusual values. */
export function weighUnits(layout: Layout, question: string): WeighedUnits {
  const { units } = layout;
  const joined = joinUnits(units);
  const { query, matches } = matchQuery(question, units, joined);
  const weights = new Float64Array(units.length);
  const { claimOf } = layout;
  const masked = layout.hasForms ? maskUnits(layout) : undefined;
  const errors = weighGrades(
    masked !== undefined && claimOf === undefined
      ? gradeMasks(masked)
      : gradeUnits(units, joined, claimOf),
  );
  const notable = new Float64Array(units.length);
  for (const rows of rowsByTable(units))
    scatter(notable, rows, notableRows(cellTable(rows, units)));
  const counts = new Map<number, number>();
  const alike = new Uint8Array(units.length);
  const forms = new Float64Array(units.length);
  if (masked !== undefined)
    weighForms(masked, { layout, worth: forms, errors, notable, counts, alike });
  if (query.terms.length > 0) inheritFromHeads(matches, units);
  for (let at = 0; at < units.length; at += 1) {
    const share = matches[at] ?? 0;
    weights[at] =
      ((units.at(at)?.weight ?? 0) + (errors[at] ?? 0) + (notable[at] ?? 0)) *
        (alike[at] === 1 ? formShare : 1) +
      (share > 0 ? queryWeight * share ** 1.5 : 0);
  }
  addEdges(weights, layout);
  const all = withContext(weights, layout, { counts, alike });
  for (let at = 0; at < all.length; at += 1) all[at] = (all[at] ?? 0) + (forms[at] ?? 0);
  return { weights: all, query, counts };
}

function scatter(target: Float64Array, places: readonly number[], values: Float64Array): void {
  for (const [at, place] of places.entries())
    target[place] = Math.max(target[place] ?? 0, values[at] ?? 0);
}

function gradeMasks({ masks, maskAt }: LineMasks): Uint8Array {
  const grades = masks.map(severityOf);
  const all = new Uint8Array(maskAt.length);
  for (let at = 0; at < all.length; at += 1) all[at] = grades[maskAt[at] ?? 0] ?? 0;
  return all;
}

function gradeUnits(units: Units, joined: JoinedTexts, claimOf: Layout["claimOf"]): Uint8Array {
  const grades = new Uint8Array(units.length);
  if (claimOf === noClaim) return grades;
  for (const at of unitsWith(joined, (from) => reportAt(joined.text, from))) {
    const text = units.at(at)?.text ?? "";
    grades[at] = severityOf(claimOf === undefined ? text : claimOf(text));
  }
  return grades;
}

/** Weighs errors by their severity. An error that many units share counts less. */
function weighGrades(grades: Uint8Array): Float64Array {
  const counts = [0, 0, 0, 0];
  for (let at = 0; at < grades.length; at += 1) {
    const grade = grades[at] ?? 0;
    counts[grade] = (counts[grade] ?? 0) + 1;
  }
  const worth = counts.map((count, grade) => {
    const share = Math.max(count / Math.max(1, grades.length), 1e-9);
    return grade * Math.min(1, Math.sqrt(commonShare / share));
  });
  const weights = new Float64Array(grades.length);
  for (let at = 0; at < grades.length; at += 1) weights[at] = worth[grades[at] ?? 0] ?? 0;
  return weights;
}

/**
 * Adds part of the weight of a heading, a file or a commit to everything below it, which is part of
 * the answer if the head is.
 */
export function inheritFromHeads(worth: Float64Array, units: Units): void {
  for (let at = 0; at < units.length; at += 1) {
    const head = units.at(at)?.head;
    if (head !== undefined)
      worth[at] = Math.min(1, (worth[at] ?? 0) + inherited * (worth[head] ?? 0));
  }
}

/** Returns the places of the rows of each table. */
function rowsByTable(units: Units): Iterable<number[]> {
  const tables = new Map<number, number[]>();
  for (let at = 0; at < units.length; at += 1) {
    const unit = units.at(at);
    if (!(unit instanceof RowUnit)) continue;
    const rows = tables.get(unit.head);
    if (rows === undefined) tables.set(unit.head, [at]);
    else rows.push(at);
  }
  return tables.values();
}

interface Weighing {
  layout: Layout;
  /** Extra weight of a line that represents a form. */
  worth: Float64Array;
  errors: Float64Array;
  notable: Float64Array;
  counts: Map<number, number>;
  alike: Uint8Array;
}

const repeatedShare = 0.1;
/**
 * Extra weight of the line that first shows a form. Among the forms without an error, short ones
 * weigh more.
 */
const [errorForm, plainForm, shorterForm, longForm] = [6, 4, 2, 80];

/**
 * Weighs forms. The first line of each represents it, and the other lines count only by their
 * unusual values.
 */
function weighForms(
  { masks, maskAt }: LineMasks,
  {
    layout: { units, claimOf, bodyOf, hasValues = false },
    worth,
    errors,
    notable,
    counts,
    alike,
  }: Weighing,
): void {
  const bodyAt = (at: number): string => {
    const text = units.at(at)?.text ?? "";
    return bodyOf?.(text) ?? text;
  };
  const forms = groupByForm(masks);
  const { formAt, sizes } = formsOfLines(forms, maskAt);
  /** Lines of each form whose values are examined. */
  const lists: (number[] | undefined)[] = [];
  const variants = new Uint32Array(forms.length);
  const seenMasks = new Uint8Array(masks.length);
  /** Masks without a value. All lines of such a mask are equal. */
  const plain = new Set<number>();
  for (let at = 0; at < formAt.length; at += 1) {
    const place = maskAt[at] ?? 0;
    const mask = masks[place] ?? "";
    if (mask === "") continue;
    const form = formAt[at] ?? 0;
    const size = sizes[form] ?? 0;
    lists[form]?.push(at);
    const variant = seenMasks[place] === 1 ? undefined : (variants[form] ?? 0) + 1;
    if (variant !== undefined) {
      seenMasks[place] = 1;
      variants[form] = variant;
      if (bodyAt(at) === mask) plain.add(place);
      const length = Math.min(longForm, mask.length) / longForm;
      worth[at] = ((errors[at] ?? 0) > 0 ? errorForm : plainForm - shorterForm * length) / variant;
    } else if (plain.has(place)) worth[at] = -formShare * (units.at(at)?.weight ?? 0);
    if (variant === 1) {
      counts.set(at, size);
      if (hasValues && size > 1 && (forms[form]?.words.length ?? 0) > 1) lists[form] = [at];
      continue;
    }
    alike[at] = 1;
    if (size > 3 && claimOf === undefined) errors[at] = (errors[at] ?? 0) * repeatedShare;
  }
  for (const [form, lines] of lists.entries()) {
    const words = varyingWords(forms[form]?.words ?? []);
    if (lines !== undefined) scatter(notable, lines, notableRows(wordTable(lines, bodyAt, words)));
  }
}

/** Returns the form of each line, and how many lines each form has. */
function formsOfLines(
  forms: readonly LineForm[],
  maskAt: Uint32Array,
): { formAt: Uint32Array; sizes: Uint32Array } {
  const formOf: number[] = [];
  for (const [at, { lines }] of forms.entries()) for (const mask of lines) formOf[mask] = at;
  const sizes = new Uint32Array(forms.length);
  const formAt = maskAt.map((mask) => formOf[mask] ?? 0);
  for (const form of formAt) sizes[form] = (sizes[form] ?? 0) + 1;
  return { formAt, sizes };
}

/** Returns the cells of these rows as a table. */
function cellTable(rows: readonly number[], units: Units): CellTable {
  const cellsOf = (row: number): string[] =>
    (units.at(rows[row] ?? 0)?.values ?? []).map(valueText);
  return { rows: rows.length, columns: cellsOf(0).length, cellsOf };
}

/** Returns these words of the lines as a table. */
function wordTable(
  lines: readonly number[],
  bodyAt: (at: number) => string,
  words: readonly number[],
): CellTable {
  const cellsOf = (row: number): string[] => findWords(bodyAt(lines[row] ?? 0), words);
  return { rows: lines.length, columns: words.length, cellsOf };
}

/**
 * Raises the first and last units, which show what the content is about and how it ended. The end
 * of a section shows neither.
 */
function addEdges(weights: Float64Array, { units, style }: Layout): void {
  const first = findUnit(units, 0, 1);
  const end = findUnit(units, units.length - 1, -1);
  for (const [step, share] of [0.8, 0.5, 0.3].entries()) {
    if (end - first <= step * 2) return;
    for (const at of [first + step, end - step])
      if (style !== "gaps" || units.at(at)?.head === undefined)
        weights[at] = (weights[at] ?? 0) + share;
  }
}

/** Finds the first unit with any text, searched from a place in either direction. */
function findUnit(units: Units, from: number, step: 1 | -1): number {
  let at = from;
  while (at >= 0 && at < units.length && units.at(at)?.text === "") at += step;
  return at;
}

const messageShare = 0.25;

/** Raises the unit after a failure, because it often explains the failure. */
function addMessages(weights: Float64Array, own: Float64Array): void {
  for (let at = 1; at < own.length; at += 1) {
    const before = own[at - 1] ?? 0;
    if (before > (own[at] ?? 0)) weights[at] = (weights[at] ?? 0) + messageShare * before;
  }
}

const contextShare = 0.55;
/**
 * The reduced shares for a neighbour that represents a form, and for one whose form is already
 * shown.
 */
const [formShare, alikeShare] = [0.6, 0.3];

interface Repeats {
  counts: ReadonlyMap<number, number>;
  /** 1 for lines whose form is represented by another line. */
  alike: Uint8Array;
}

/** Raises the weight of units near an important one, except lines that occur everywhere. */
export function withContext(
  own: Float64Array,
  { units, context, hasForms }: Layout,
  { counts, alike }: Repeats,
): Float64Array {
  if (context === 0) return own;
  const weights = own.slice();
  for (
    let distance = 1, share = contextShare;
    distance <= context;
    distance += 1, share *= contextShare
  ) {
    for (let at = 0; at < own.length; at += 1) {
      const before = at < distance ? 0 : (own[at - distance] ?? 0);
      const after = at + distance < own.length ? (own[at + distance] ?? 0) : 0;
      const nearest = Math.max(before, after);
      const near = nearest * share * (hasForms ? (alike[at] === 1 ? alikeShare : formShare) : 1);
      if (near <= (weights[at] ?? 0)) continue;
      const isCommon = (counts.get(at) ?? 0) > units.length * commonShare;
      if (!isCommon) weights[at] = near;
    }
  }
  if (hasForms) addMessages(weights, own);
  return weights;
}
