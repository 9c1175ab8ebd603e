import { isRecord } from "@ccl/core/json";

import type { Unit } from "../unit.ts";
import { rankValue } from "./value-rank.ts";

/**
 * JSON as lines of `key=value` and tables (keys once, rows of scalars, identifiers first); joined by line feeds they say all
 * that the JSON says. Undefined for what nests too deeply. The units are not numbered.
 */
export function jsonUnits(value: object, columns: TableColumns = "varying"): Unit[] | undefined {
  try {
    const units: Unit[] = [];
    addBlock(units, { name: "", value, depth: 0, columns });
    weighTitles(units);
    return units;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Which columns stand in the rows: those that never change can stand once, above them. */
export type TableColumns = "varying" | "all";

/** One row: a label (its key or its group) and its cells by column. */
interface TableRow {
  label: string | undefined;
  cells: Map<string, unknown>;
}

/** Deeper values are written as JSON in one piece. */
const maxDepth = 8;

interface Block {
  name: string;
  value: object;
  depth: number;
  columns: TableColumns;
}

function addBlock(units: Unit[], { name, value, depth, columns }: Block): void {
  if (depth > maxDepth) return addLine(units, `${name}=${JSON.stringify(value)}`, depth);
  const entries = Array.isArray(value) ? [] : Object.entries(value);
  const rows = Array.isArray(value) ? listedRows(value) : keyedRows(entries);
  if (rows !== undefined) addTable(units, { name, rows, columns });
  else if (Array.isArray(value)) addList(units, { name, list: value, depth, columns });
  else addObject(units, { name, entries, depth, columns });
}

/** Rows are numbered when all are known. */
const unnumbered = { from: 0, to: 0 };

function addLine(units: Unit[], text: string, depth: number): void {
  units.push({ text, ...unnumbered, weight: 1 / (1 + depth) });
}

function addObject(
  units: Unit[],
  { name, entries, depth, columns }: Omit<Block, "value"> & { entries: [string, unknown][] },
): void {
  const plain = entries.filter(([, member]) => isInline(member));
  const isIdentifier = ([key, member]: [string, unknown]): boolean =>
    Array.isArray(member) || rankValue(key, member) === 3;
  const ordered = plain.toSorted((a, b) => Number(isIdentifier(b)) - Number(isIdentifier(a)));
  const line = ordered.map(([key, member]) => `${key}=${inlineText(member)}`).join("; ");
  if (line !== "") addLine(units, name === "" ? line : `${name}: ${line}`, depth);
  else if (name !== "" && entries.length > 0) addLine(units, `${name}:`, depth);
  for (const [key, member] of entries) {
    if (typeof member !== "object" || member === null || isInline(member)) continue;
    addBlock(units, { name: joinName(name, key), value: member, depth: depth + 1, columns });
  }
}

function joinName(name: string, key: string): string {
  return name === "" ? key : `${name}.${key}`;
}

function addList(
  units: Unit[],
  { name, list, depth, columns }: Omit<Block, "value"> & { list: unknown[] },
): void {
  if (list.every((item) => typeof item !== "object" || item === null))
    return addLine(units, `${name}=${inlineText(list)}`, depth);
  for (const [index, item] of list.entries()) {
    const label = `${name}[${index}]`;
    if (typeof item === "object" && item !== null)
      addBlock(units, { name: label, value: item, depth: depth + 1, columns });
    else addLine(units, `${label}=${cellText(item)}`, depth + 1);
  }
}

interface Table {
  name: string;
  rows: readonly TableRow[];
  columns: TableColumns;
}

function addTable(units: Unit[], { name, rows, columns }: Table): void {
  const ordered = orderColumns(rows);
  const labelColumn = ordered.find((key) =>
    rows.every(({ label, cells }) => label === cells.get(key)),
  );
  const isConstant = (key: string): boolean => {
    const first = cellText(rows[0]?.cells.get(key));
    return rows.every(({ cells }) => cells.has(key) && cellText(cells.get(key)) === first);
  };
  const constant = columns === "all" ? [] : ordered.filter(isConstant);
  const constants = new Set(constant);
  const inner = ordered.filter((key) => !constants.has(key) && isListColumn(key, rows));
  const varying = ordered.filter(
    (key) => !constants.has(key) && key !== labelColumn && !inner.includes(key),
  );
  const hasLabel = rows.some(({ label }) => label !== undefined);
  const header = hasLabel ? [labelColumn ?? "#", ...varying] : varying;
  const all = constant.map((key) => `${key}=${cellText(rows[0]?.cells.get(key))}`);
  const cellsOf = ({ label, cells }: TableRow): string[] => {
    const texts = varying.map((key) => cellText(cells.get(key)));
    return hasLabel ? [cellText(label), ...texts] : texts;
  };
  const texts = rows.map(cellsOf);
  addRows(units, { name, constant: all, header, rows: texts });
  const labels = labelsOf(texts);
  for (const key of inner)
    addTable(units, {
      name: joinName(name, key),
      rows: rows.flatMap(({ cells }, at) => membersOf(cells.get(key), labels[at])),
      columns,
    });
}

/** Fewer or smaller members stay in the cell of their row. */
const minMembers = 8;
const minMemberKeys = 3;

/** True for a column of lists of objects, which are read better as a table of their own. */
function isListColumn(key: string, rows: readonly TableRow[]): boolean {
  let members = 0;
  let keys = 0;
  for (const { cells } of rows) {
    const value = cells.get(key);
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value) || !value.every(isRecord)) return false;
    members += value.length;
    for (const member of value) keys += Object.keys(member).length;
  }
  return members >= Math.max(minMembers, rows.length) && keys >= members * minMemberKeys;
}

/** What names each row in the tables of its members: its first cell where all differ, else its number in its table. */
function labelsOf(rows: readonly (readonly string[])[]): string[] {
  const first = rows.map(([cell = ""]) => cell);
  const isName = new Set(first).size === rows.length && first.every(({ length }) => length <= 60);
  return isName ? first : rows.map((_, at) => String(at + 1));
}

function membersOf(list: unknown, label: string | undefined): TableRow[] {
  return Array.isArray(list)
    ? list.filter(isRecord).map((row) => ({ label, cells: flatten(row) }))
    : [];
}

/** A table of texts: what its name and its columns are, and its rows. */
interface TextTable {
  name: string;
  /** `name=value` of the columns that never change. */
  constant: readonly string[];
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

function addRows(units: Unit[], { name, constant, header, rows }: TextTable): void {
  const title = units.length;
  const all = constant.length === 0 ? "" : `, all ${constant.join("; ")}`;
  units.push({
    text: `${name === "" ? "" : `${name}: `}${rows.length} rows${all}`,
    ...unnumbered,
    weight: 2,
    members: rows.length,
  });
  if (header.length === 0) return;
  units.push({ text: header.join("|"), ...unnumbered, isHeader: true, head: title, weight: 0 });
  const head = title + 1;
  for (const cells of rows)
    units.push({ text: cells.join("|"), cells, from: 0, to: 0, head, weight: 0.05 });
}

/** Of many tables the names alone would fill the room. */
function weighTitles(units: readonly Unit[]): void {
  const titles = units.filter(({ members }) => members !== undefined);
  for (const title of titles) title.weight = Math.min(2, 8 / titles.length);
}

/** Rows of a table of text under these names, as units. */
export function textTableUnits(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  columns: TableColumns = "varying",
): Unit[] {
  const identifies = names.map((name, at) =>
    rows.slice(0, rankedRows).some((row) => rankValue(name, row[at] ?? "") === 3),
  );
  const ordered = [
    ...identifies.flatMap((is, at) => (is ? [at] : [])),
    ...identifies.flatMap((is, at) => (is ? [] : [at])),
  ];
  const textAt = (row: readonly string[] | undefined, at: number): string =>
    cellText(row?.[at] ?? "");
  const isConstant = (at: number): boolean =>
    rows.every((row) => (row[at] ?? "") === (rows[0]?.[at] ?? ""));
  const constant = new Set(columns === "all" ? [] : ordered.filter(isConstant));
  const varying = ordered.filter((at) => !constant.has(at));
  const isAsWritten = varying.length === names.length && varying.every((at, index) => at === index);
  const units: Unit[] = [];
  addRows(units, {
    name: "",
    constant: [...constant].map((at) => `${names[at]}=${textAt(rows[0], at)}`),
    header: varying.map((at) => names[at] ?? ""),
    rows: rows.map((row) =>
      isAsWritten && row.length === names.length && row.every((cell) => plainCell.test(cell))
        ? row
        : varying.map((at) => textAt(row, at)),
    ),
  });
  return units;
}

/** Rows whose values say which columns identify something. */
const rankedRows = 500;

/** Columns of identifiers first. */
function orderColumns(rows: readonly TableRow[]): string[] {
  const identifies = new Map<string, boolean>();
  for (let at = 0; at < rows.length; at += 1) {
    for (const [key, value] of rows[at]?.cells ?? []) {
      const known = identifies.get(key);
      if (known === true || (known === false && at > rankedRows)) continue;
      const isScalar = typeof value !== "object" || value === null;
      identifies.set(key, isScalar && rankValue(key, value) === 3);
    }
  }
  const columns = [...identifies].toSorted(([, a], [, b]) => Number(b) - Number(a));
  return columns.map(([key]) => key);
}

/** Rows of a list of objects, or of a list of lists of objects (with a group column). */
function listedRows(list: unknown[]): TableRow[] | undefined {
  if (list.length < 2) return undefined;
  const isGrouped = Array.isArray(list[0]);
  const groups = isGrouped ? list : [list];
  if (!groups.every(isRecordList)) return undefined;
  const rows = groups.flatMap((group, index) =>
    group.map((row) => ({ label: isGrouped ? String(index + 1) : undefined, cells: flatten(row) })),
  );
  return areAlike(rows, 0.1) ? rows : undefined;
}

/** Rows of an object of like objects. */
function keyedRows(entries: [string, unknown][]): TableRow[] | undefined {
  if (entries.length < 2) return undefined;
  const rows: TableRow[] = [];
  for (const [label, row] of entries) {
    if (!isRecord(row)) return undefined;
    rows.push({ label, cells: flatten(row) });
  }
  return areAlike(rows, 0.6) ? rows : undefined;
}

const wideTable = 40;

/** True when no less than this share of a table's cells is filled, of a wide one half, so that a table is not much larger than what it shows. */
function areAlike(rows: TableRow[], share: number): boolean {
  const columns = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  const filled = rows.reduce((sum, { cells }) => sum + cells.size, 0);
  const needed = columns.size > wideTable ? Math.max(share, 0.5) : share;
  return filled >= needed * columns.size * rows.length;
}

function flatten(row: Record<string, unknown>): Map<string, unknown> {
  const cells = new Map<string, unknown>();
  const visit = (path: string, value: unknown, depth: number): void => {
    if (depth < 3 && isRecord(value) && Object.keys(value).length > 0) {
      for (const [key, member] of Object.entries(value))
        visit(joinName(path, key), member, depth + 1);
    } else {
      cells.set(path, value);
    }
  };
  visit("", row, 0);
  return cells;
}

function isRecordList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

/** Scalars and lists of scalars stand on the line of their object. */
function isInline(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== "object" || item === null);
  return !isRecord(value) || Object.keys(value).length === 0;
}

function inlineText(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(cellText).join(", ")}]` : cellText(value);
}

/** One scalar, unquoted unless it would be misread; deeper values as JSON. */
/** A text that is no other value, and does not end before its cell does. */
const plainCell = /^(?!(?:true|false|null)$)[^\s|;](?:[^\n\r|;]*[^\s|;])?$/;

function cellText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return plainCell.test(value) ? value : JSON.stringify(value);
}
