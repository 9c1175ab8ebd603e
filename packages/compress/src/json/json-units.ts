import { isRecord } from "@ccl/core/json";

import type { Unit } from "../unit.ts";
import { cellText, type RowReader, RowUnit, valueText } from "./row-unit.ts";
import { rankValue } from "./value-rank.ts";

/**
 * Splits JSON into lines of `key=value` and tables (keys once, rows of scalars, identifiers first).
 * Joined by line feeds, the units contain everything in the JSON. Undefined if it nests too deeply.
 * The units are not numbered yet.
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

/** The columns that rows show. With `varying`, constant columns are stated once, above the rows. */
export type TableColumns = "varying" | "all";

/** Rows, and the positions of their columns. */
interface Grid {
  columns: Map<string, number>;
  rows: TableRow[];
}

/** A row: a label (its key or group number) and its values by column. A missing value is undefined. */
interface TableRow {
  label: unknown;
  values: unknown[];
  /** Number of values in the row. */
  size: number;
}

/** Values nested more deeply are written as one piece of JSON. */
const maxDepth = 8;

interface Block {
  name: string;
  value: object;
  depth: number;
  columns: TableColumns;
}

function addBlock(units: Unit[], { name, value, depth, columns }: Block): void {
  if (depth > maxDepth) return addLine(units, `${name}=${cellText(value)}`, depth);
  const entries = Array.isArray(value) ? [] : Object.entries(value);
  const grid = Array.isArray(value) ? listedRows(value) : keyedRows(entries);
  if (grid !== undefined) addTable(units, { name, grid, columns });
  else if (Array.isArray(value)) addList(units, { name, list: value, depth, columns });
  else addObject(units, { name, entries, depth, columns });
}

/** The range of a row before all rows are known and can be numbered. */
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
    Array.isArray(member) || rankValue(key, valueText(member)) === 3;
  const ordered = plain.toSorted((a, b) => Number(isIdentifier(b)) - Number(isIdentifier(a)));
  const line = ordered.map(([key, member]) => `${shownKey(key)}=${inlineText(member)}`).join("; ");
  const content = entries.length === 0 ? "{}" : line;
  if (content !== "") addLine(units, name === "" ? content : `${name}: ${content}`, depth);
  else if (name !== "") addLine(units, `${name}:`, depth);
  for (const [key, member] of entries) {
    if (isBlock(member))
      addBlock(units, {
        name: joinName(name, shownKey(key)),
        value: member,
        depth: depth + 1,
        columns,
      });
  }
}

const plainKey = /^[^\s"|;=:.[\]{}#](?:[^"|;=:.[\]{}\n\r]*[^\s"|;=:.[\]{}])?$/;

/** Returns a key, quoted if a reader could mistake it for several keys or see its end too early. */
function shownKey(key: string): string {
  return plainKey.test(key) ? key : JSON.stringify(key);
}

function joinName(name: string, key: string): string {
  return name === "" ? key : `${name}.${key}`;
}

function addList(
  units: Unit[],
  { name, list, depth, columns }: Omit<Block, "value"> & { list: unknown[] },
): void {
  if (isInline(list))
    return addLine(units, `${name === "" ? "" : `${name}=`}${inlineText(list)}`, depth);
  for (const [index, item] of list.entries()) {
    const label = `${name}[${index}]`;
    if (isBlock(item)) addBlock(units, { name: label, value: item, depth: depth + 1, columns });
    else addLine(units, `${label}=${inlineText(item)}`, depth + 1);
  }
}

interface Table {
  name: string;
  grid: Grid;
  columns: TableColumns;
}

function addTable(units: Unit[], { name, grid, columns }: Table): void {
  const { rows } = grid;
  const ordered = orderColumns(grid);
  const labelColumn = ordered.find(({ at }) =>
    rows.every(({ label, values }) => label === values[at]),
  );
  const isConstant = ({ at }: Column): boolean => {
    const first = cellText(rows[0]?.values[at]);
    return rows.every(({ values }) => values[at] !== undefined && cellText(values[at]) === first);
  };
  const constant = columns === "all" ? [] : ordered.filter(isConstant);
  const inner = ordered.filter((column) => !constant.includes(column) && isList(column, rows));
  const varying = [
    ...ordered.filter(
      (column) => !constant.includes(column) && column !== labelColumn && !inner.includes(column),
    ),
    ...inner.filter(({ at }) => !rows.every(({ values }) => hasMembers(values[at]))),
  ];
  const hasLabel = rows.some(({ label }) => label !== undefined);
  const names = varying.map(({ key }) => key);
  const read = (row: number): unknown[] => {
    const { label, values = [] } = rows[row] ?? {};
    const cells = varying.map((column) => {
      const value = values[column.at];
      // The members have their own table, below.
      const isBelow = inner.includes(column) && hasMembers(value);
      return isBelow ? `${value.length} below` : value;
    });
    return hasLabel ? [label, ...cells] : cells;
  };
  addRows(units, {
    name,
    constant: constant.map(({ key, at }) => `${key}=${cellText(rows[0]?.values[at])}`),
    header: hasLabel ? [labelColumn?.key ?? "#", ...names] : names,
    rows: rows.length,
    read,
  });
  if (inner.length === 0) return;
  const labels = labelsOf(rows.map((_, row) => read(row)[0]));
  for (const { key, at } of inner)
    addTable(units, {
      name: joinName(name, key),
      grid: gridOf(rows.flatMap(({ values }, row) => membersOf(values[at], labels[row]))),
      columns,
    });
}

/** Minimum number of members that get their own table instead of a cell. */
const minMembers = 8;
const minMemberKeys = 3;

/** True for a column of lists of objects, which are easier to read as a separate table. */
function isList({ at }: Column, rows: readonly TableRow[]): boolean {
  let members = 0;
  let keys = 0;
  for (const { values } of rows) {
    const value = values[at];
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value) || !value.every(isRecord)) return false;
    members += value.length;
    for (const member of value) keys += Object.keys(member).length;
  }
  return members >= Math.max(minMembers, rows.length) && keys >= members * minMemberKeys;
}

function hasMembers(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

/**
 * Returns the labels that identify each row in the tables of its members: its first cell if all
 * cells differ, otherwise its row number.
 */
function labelsOf(first: unknown[]): unknown[] {
  const texts = first.map(valueText);
  const isName = new Set(texts).size === texts.length && texts.every(({ length }) => length <= 60);
  return isName ? first : first.map((_, at) => at + 1);
}

function membersOf(list: unknown, label: unknown): LabelledRow[] {
  return Array.isArray(list) ? list.filter(isRecord).map((row) => ({ label, row })) : [];
}

/** The name and columns of a table, and its rows. */
interface NamedRows {
  name: string;
  /** `name=value` of each constant column. */
  constant: readonly string[];
  header: readonly string[];
  rows: number;
  read: RowReader;
}

function addRows(units: Unit[], { name, constant, header, rows, read }: NamedRows): void {
  const title = units.length;
  units.push(...tableHead({ name, constant, header, rows }, title));
  if (header.length === 0) return;
  const table = { head: title + 1, read };
  for (let row = 0; row < rows; row += 1) units.push(new RowUnit(row, table));
}

/** Returns the lines with the name of the table at a path and the names of its columns. */
export function tableHead(
  { name, constant, header, rows }: Omit<NamedRows, "read">,
  title: number,
): Unit[] {
  const all = constant.length === 0 ? "" : `, all ${constant.join("; ")}`;
  const text = `${name === "" ? "" : `${name}: `}${rows} rows${all}`;
  const named = { text, ...unnumbered, weight: 2, members: rows };
  if (header.length === 0) return [named];
  const names = header.join("|");
  return [named, { text: names, ...unnumbered, isHeader: true, head: title, weight: 0 }];
}

/** Weighs the names of tables, because many names could fill the budget by themselves. */
function weighTitles(units: readonly Unit[]): void {
  const titles = units.filter(({ members }) => members !== undefined);
  for (const title of titles) title.weight = Math.min(title.weight, 8 / titles.length);
}

/** Number of rows examined to find columns that identify something. */
export const rankedRows = 500;

interface Column {
  key: string;
  at: number;
}

/** Puts columns of identifiers first. */
function orderColumns({ columns, rows }: Grid): Column[] {
  const identifies = ({ key, at }: Column): boolean => {
    let read = 0;
    for (const { values } of rows) {
      const value = values[at];
      if (value === undefined) continue;
      if (typeof value !== "object" && rankValue(key, valueText(value)) === 3) return true;
      read += 1;
      if (read > rankedRows) return false;
    }
    return false;
  };
  const all = [...columns].map(([key, at]) => ({ key, at }));
  const first = all.filter(identifies);
  return [...first, ...all.filter((column) => !first.includes(column))];
}

/**
 * Returns the rows of a list of objects, or of a list of lists of objects (with a group column).
 */
function listedRows(list: unknown[]): Grid | undefined {
  if (list.length < 2) return undefined;
  const isGrouped = Array.isArray(list[0]);
  const groups = isGrouped ? list : [list];
  if (!groups.every(isRecordList)) return undefined;
  const rows = groups.flatMap((group, index) =>
    group.map((row) => ({ label: isGrouped ? index + 1 : undefined, row })),
  );
  return likeRows(rows, 0.1);
}

/** Returns the rows of an object whose members are similar objects. */
function keyedRows(entries: [string, unknown][]): Grid | undefined {
  if (entries.length < 2) return undefined;
  const rows: LabelledRow[] = [];
  for (const [label, row] of entries) {
    if (!isRecord(row)) return undefined;
    rows.push({ label, row });
  }
  return likeRows(rows, 0.6);
}

const wideTable = 40;

/**
 * Returns the rows of similar objects. Undefined unless this share of the table's cells is filled
 * (half of them in a wide table), so that a table is not much larger than its contents.
 */
function likeRows(rows: readonly LabelledRow[], share: number): Grid | undefined {
  const grid = gridOf(rows);
  const columns = grid.columns.size;
  const filled = grid.rows.reduce((sum, { size }) => sum + size, 0);
  const needed = columns > wideTable ? Math.max(share, 0.5) : share;
  return filled >= needed * columns * rows.length ? grid : undefined;
}

interface LabelledRow {
  label: unknown;
  row: Record<string, unknown>;
}

/** Builds the grid of rows. Members of objects inside rows get their own columns. */
function gridOf(labelled: readonly LabelledRow[]): Grid {
  const columns = new Map<string, number>();
  const rows = labelled.map(({ label, row }): TableRow => {
    const values: unknown[] = [];
    let size = 0;
    const visit = (path: string, object: Record<string, unknown>, depth: number): void => {
      for (const key of Object.keys(object)) {
        const value = object[key];
        const keyPath = joinName(path, shownKey(key));
        if (depth < 3 && isRecord(value) && Object.keys(value).length > 0) {
          visit(keyPath, value, depth + 1);
          continue;
        }
        let column = columns.get(keyPath);
        if (column === undefined) columns.set(keyPath, (column = columns.size));
        if (values[column] === undefined) size += 1;
        values[column] = value;
      }
    };
    visit("", row, 1);
    return { label, values, size };
  });
  return { columns, rows };
}

function isRecordList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function isBlock(value: unknown): value is object {
  return typeof value === "object" && !isInline(value);
}

/** True for scalars and lists of scalars, which are written on the line of their object. */
function isInline(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== "object" || item === null);
  return !isRecord(value) || Object.keys(value).length === 0;
}

function inlineText(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(itemText).join(", ")}]` : cellText(value);
}

/** Returns an item of a list, quoted if a reader could mistake it for several items. */
function itemText(item: unknown): string {
  return typeof item === "string" && /[,\]]/.test(item) ? JSON.stringify(item) : cellText(item);
}
