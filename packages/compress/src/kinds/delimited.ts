import {
  columnNames,
  type Delimiter,
  detectDelimiter,
  offsetOfRows,
  readDelimited,
  readDelimitedRow,
} from "@ccl/core/delimited";

import { rankedRows, type TableColumns, tableHead } from "../json/json-units.ts";
import { plainText, RowUnit } from "../json/row-unit.ts";
import { rankValue } from "../json/value-rank.ts";
import type { JoinedTexts, Unit, Units } from "../unit.ts";

const sampleRows = 20;

/** True if there is a header and every row has the same number of cells. */
export function looksDelimited(sample: string): boolean {
  const rows = firstRows(sample.slice(0, Math.max(sample.lastIndexOf("\n"), 0)));
  const [header, ...others] = rows;
  if (header === undefined || others.length < 2 || header.length < 2) return false;
  const isEven = others.every(({ length }) => length === header.length);
  return (
    isEven && header.every((name) => /^[\p{L}_#"][\p{L}\p{N}_ .()%/#"-]{0,60}$/u.test(name.trim()))
  );
}

function firstRows(sample: string): string[][] {
  const rows: string[][] = [];
  for (const row of readDelimited(sample, detectDelimiter(sample))) {
    rows.push(row);
    if (rows.length >= sampleRows) break;
  }
  return rows;
}

/** A table with a header. Constant columns are stated once. Rows are read on demand. */
export class DelimitedUnits implements Units {
  readonly length: number;
  readonly #rows: Rows;
  readonly #head: readonly Unit[];
  readonly #read: (row: number) => readonly string[];

  constructor(text: string, columns: TableColumns = "varying") {
    const rows = readRows(text);
    this.#rows = rows;
    const count = Math.max(0, rows.ends.length - 2);
    const names = columnNames(cellsAt(rows, 1), rows.isVarying.length);
    const isVarying = (at: number): boolean => columns === "all" || rows.isVarying[at] === true;
    const ordered = identifiersFirst(names, rows);
    const varying = ordered.filter(isVarying);
    const constant = ordered.filter((at) => !isVarying(at));
    const isAsWritten = varying.length === names.length && varying.every((at, i) => at === i);
    this.#read = (row) => {
      const cells = cellsAt(rows, row + 2);
      if (isAsWritten && cells.length === names.length) return cells;
      return varying.map((at) => cells[at] ?? "");
    };
    const first = cellsAt(rows, 2);
    const head = {
      name: "",
      constant: constant.map((at) => `${names[at]}=${plainText(first[at] ?? "")}`),
      header: varying.map((at) => names[at] ?? ""),
      rows: count,
    };
    this.#head = tableHead(head, 0).map((unit) => ({ ...unit, from: 1, to: 1 }));
    this.length = varying.length === 0 ? 1 : 2 + count;
  }

  at(place: number): Unit | undefined {
    const at = place < 0 ? place + this.length : place;
    if (at < 2 || at >= this.length) return this.#head[at];
    return new RowUnit(at - 2, {
      head: 1,
      read: this.#read,
      textOf: (cell) => plainText(String(cell)),
    });
  }

  /** Returns the table's original text, with an empty line in place of its name. */
  joined(): JoinedTexts {
    return { text: this.#rows.text, ends: Uint32Array.from(this.#rows.ends) };
  }
}

/** Offsets of the rows (0: unused, 1: the header, then the rows), and which columns vary. */
interface Rows {
  /** The text with a line feed before it. */
  text: string;
  delimiter: Delimiter;
  starts: number[];
  ends: number[];
  isVarying: boolean[];
}

function readRows(content: string): Rows {
  const text = `\n${content.slice(offsetOfRows(content))}`;
  const delimiter = detectDelimiter(content);
  const rows: Rows = { text, delimiter, starts: [0], ends: [0], isVarying: [] };
  const { starts, ends, isVarying } = rows;
  let first: readonly string[] | undefined;
  let shortest = Infinity;
  for (let start = 1, next = 1; start < text.length; start = next) {
    const { cells, end } = readDelimitedRow(text, start, delimiter);
    next = end + 1;
    if (cells.length === 1 && cells[0] === "") continue;
    starts.push(start);
    ends.push(end);
    const isName = starts.length === 2;
    if (!isName) {
      first ??= cells;
      shortest = Math.min(shortest, cells.length);
    }
    for (let at = 0; at < cells.length; at += 1)
      isVarying[at] = isVarying[at] === true || (!isName && cells[at] !== (first?.[at] ?? ""));
  }
  for (let at = shortest; at < isVarying.length; at += 1)
    isVarying[at] ||= (first?.[at] ?? "") !== "";
  return rows;
}

function cellsAt({ text, delimiter, starts }: Rows, place: number): string[] {
  return readDelimitedRow(text, starts[place] ?? text.length, delimiter).cells;
}

function identifiersFirst(names: readonly string[], rows: Rows): number[] {
  const identifies = new Set<number>();
  for (let place = 2; place < Math.min(rows.starts.length, rankedRows + 2); place += 1)
    for (const [at, cell] of cellsAt(rows, place).entries())
      if (!identifies.has(at) && rankValue(names[at] ?? "", cell) === 3) identifies.add(at);
  const places = names.map((_, at) => at);
  return places.toSorted((a, b) => Number(identifies.has(b)) - Number(identifies.has(a)));
}
