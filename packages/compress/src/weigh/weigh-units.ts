import { type Layout, noClaim, type Unit } from "../unit.ts";
import { type JoinedUnits, joinUnits, unitsWith } from "./joined-units.ts";
import { groupByForm, type LineForm, maskLines, varyingWords } from "./line-forms.ts";
import { matchQuery, type QueryTerms } from "./match-query.ts";
import { notableRows } from "./notable.ts";
import { reportAt, severityOf } from "./severity.ts";

/** What each unit of a layout is worth, in their order. */
export interface WeighedUnits {
  weights: Float64Array;
  query: QueryTerms;
  /** For the first line of each form: how many lines have it. */
  counts: ReadonlyMap<number, number>;
}

const queryWeight = 6;
/** Errors that more units than this have say little. */
const commonShare = 0.05;
const inherited = 0.6;

/** Weighs by place, by what the question asks for, by what went wrong, and by what is unusual. */
export function weighUnits(layout: Layout, question: string): WeighedUnits {
  const { units } = layout;
  const joined = joinUnits(units);
  const { query, matches: asked } = matchQuery(question, units, joined);
  const weights = new Float64Array(units.length);
  const { masksOf = maskLines, claimOf } = layout;
  const texts = units.map(({ text }) => text);
  const masks = layout.hasForms ? masksOf(texts) : undefined;
  const errors = weighGrades(
    masks !== undefined && claimOf === undefined
      ? gradeMasks(masks)
      : gradeUnits(units, joined, claimOf),
  );
  const notable = new Float64Array(units.length);
  for (const rows of rowsByTable(units))
    scatter(notable, rows, notableRows(rows.map((at) => units[at]?.cells ?? [])));
  const counts = new Map<number, number>();
  const alike = new Uint8Array(units.length);
  if (masks !== undefined)
    weighForms(groupByForm(masks), { layout, masks, weights, errors, notable, counts, alike });
  if (query.terms.length > 0) inheritFromHeads(asked, units);
  for (let at = 0; at < units.length; at += 1) {
    const share = asked[at] ?? 0;
    weights[at] =
      (weights[at] ?? 0) +
      (units[at]?.weight ?? 0) +
      (errors[at] ?? 0) +
      (notable[at] ?? 0) +
      (share > 0 ? queryWeight * share ** 1.5 : 0);
  }
  addEdges(weights, layout);
  return { weights: withContext(weights, layout, { counts, alike }), query, counts };
}

function scatter(target: Float64Array, places: readonly number[], values: Float64Array): void {
  for (const [at, place] of places.entries())
    target[place] = Math.max(target[place] ?? 0, values[at] ?? 0);
}

function gradeMasks(masks: readonly string[]): Uint8Array {
  const known = new Map<string, number>();
  const grades = new Uint8Array(masks.length);
  for (let at = 0; at < masks.length; at += 1) {
    const mask = masks[at] ?? "";
    let grade = known.get(mask);
    if (grade === undefined) {
      grade = severityOf(mask);
      known.set(mask, grade);
    }
    grades[at] = grade;
  }
  return grades;
}

function gradeUnits(
  units: readonly Unit[],
  joined: JoinedUnits,
  claimOf: Layout["claimOf"],
): Uint8Array {
  const grades = new Uint8Array(units.length);
  if (claimOf === noClaim) return grades;
  for (const at of unitsWith(joined, (from) => reportAt(joined.text, from))) {
    const text = units[at]?.text ?? "";
    grades[at] = severityOf(claimOf === undefined ? text : claimOf(text));
  }
  return grades;
}

/** Errors that many units have say little. */
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

/** What stands under a heading, a file or a commit that answers is part of the answer. */
export function inheritFromHeads(worth: Float64Array, units: readonly Unit[]): void {
  for (let at = 0; at < units.length; at += 1) {
    const head = units[at]?.head;
    if (head !== undefined)
      worth[at] = Math.min(1, (worth[at] ?? 0) + inherited * (worth[head] ?? 0));
  }
}

/** Places of the rows of each table. */
function rowsByTable(units: readonly Unit[]): Iterable<number[]> {
  const tables = new Map<number, number[]>();
  for (let at = 0; at < units.length; at += 1) {
    const { cells, head } = units[at] ?? {};
    if (cells === undefined || head === undefined) continue;
    const rows = tables.get(head);
    if (rows === undefined) tables.set(head, [at]);
    else rows.push(at);
  }
  return tables.values();
}

interface Weighing {
  masks: readonly string[];
  layout: Layout;
  weights: Float64Array;
  errors: Float64Array;
  notable: Float64Array;
  counts: Map<number, number>;
  alike: Uint8Array;
}

const repeatedShare = 0.1;

/** The first line of each form stands for all; others count by their unusual values. */
function weighForms(
  forms: readonly LineForm[],
  {
    layout: { units, claimOf, hasValues = false },
    masks,
    weights,
    errors,
    notable,
    counts,
    alike,
  }: Weighing,
): void {
  const all = Math.log(Math.max(2, units.length));
  for (const form of forms) {
    const { lines } = form;
    const [first = 0, ...others] = lines;
    if (masks[first] === "") continue;
    weights[first] =
      (weights[first] ?? 0) +
      2.5 -
      Math.log(lines.length) / all -
      Math.min(300, masks[first]?.length ?? 0) / 300;
    counts.set(first, lines.length);
    if (others.length === 0) continue;
    for (const at of others) alike[at] = 1;
    if (hasValues && form.words.length > 1) {
      const varying = varyingWords(form);
      const rows = lines.map((at) => wordsAt(units[at]?.text ?? "", varying));
      scatter(notable, lines, notableRows(rows));
    }
    if (lines.length > 3 && claimOf === undefined)
      for (const at of others) errors[at] = (errors[at] ?? 0) * repeatedShare;
  }
}

function wordsAt(line: string, places: readonly number[]): string[] {
  const isEven = !line.includes("  ") && !line.includes("\t");
  const words = line.trim().split(isEven ? " " : /\s+/, (places.at(-1) ?? -1) + 1);
  return places.map((at) => words[at] ?? "");
}

/** The first units and the last say what a content is about and how it ended; the end of a section says neither. */
function addEdges(weights: Float64Array, { units, style }: Layout): void {
  const first = units.findIndex(({ text }) => text !== "");
  const end = units.findLastIndex(({ text }) => text !== "");
  for (const [step, share] of [0.8, 0.5, 0.3].entries()) {
    if (end - first <= step * 2) return;
    for (const at of [first + step, end - step])
      if (style !== "gaps" || units[at]?.head === undefined)
        weights[at] = (weights[at] ?? 0) + share;
  }
}

const messageShare = 0.25;

/** What follows what went wrong says why. */
function addMessages(weights: Float64Array, own: Float64Array): void {
  for (let at = 1; at < own.length; at += 1) {
    const before = own[at - 1] ?? 0;
    if (before > (own[at] ?? 0)) weights[at] = (weights[at] ?? 0) + messageShare * before;
  }
}

const contextShare = 0.55;
/** Of what stands near: a line whose form is shown already. */
const alikeShare = 0.6;

interface Repeats {
  counts: ReadonlyMap<number, number>;
  /** 1 for lines whose form another line stands for. */
  alike: Uint8Array;
}

/** What stands near a unit that matters, unless it is a line that occurs everywhere. */
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
      const nearest = Math.max(own[at - distance] ?? 0, own[at + distance] ?? 0);
      const near = nearest * share * (alike[at] === 1 ? alikeShare : 1);
      if (near <= (weights[at] ?? 0)) continue;
      const isCommon = (counts.get(at) ?? 0) > units.length * commonShare;
      if (!isCommon) weights[at] = near;
    }
  }
  if (hasForms) addMessages(weights, own);
  return weights;
}
