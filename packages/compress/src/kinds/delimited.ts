import { columnNames, detectDelimiter, readDelimited } from "@ccl/core/delimited";

import { type TableColumns, textTableUnits } from "../json/json-units.ts";
import type { Unit } from "../unit.ts";

const sampleRows = 20;

/** True for rows of as many cells each, under names. */
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

/** A table of names and rows, with a column that never changes said once. */
export function delimitedUnits(text: string, columns?: TableColumns): Unit[] {
  const [header = [], ...rows] = [...readDelimited(text, detectDelimiter(text))].filter(
    (row) => row.length > 1 || row[0] !== "",
  );
  const width = rows.reduce((max, row) => Math.max(max, row.length), header.length);
  return textTableUnits(columnNames(header, width), rows, columns);
}
