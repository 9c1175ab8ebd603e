import {
  columnNames,
  createDelimitedScanner,
  type Delimiter,
  detectDelimiter,
} from "@ccl/core/delimited";

import type { RowPage } from "../connector/answer-rows.ts";
import { QueryError } from "../query-error.ts";

const rowsOfPage = 4_096;
const maxRowChars = 16 * 1024 * 1024;
const sampleChars = 65_536;

/** A cell of delimited text. Its class distinguishes it from a JSON value. */
export class Cell {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

interface DelimitedOptions {
  source: string;
  /** Columns to read, with the catalog's names: blank names are numbered and duplicates renamed. */
  columns: readonly string[];
  /** By default, detected from the start of the file. */
  delimiter: Delimiter | undefined;
  /** False if the first row is data. The columns are then `column_1`, `column_2`, and so on. */
  hasHeader: boolean;
}

/**
 * Streams the rows of delimited text in constant memory. Cells missing from a row are null.
 * @throws QueryError `value_invalid` for a missing column, a row that is too long, or an unclosed quote
 */
export async function* delimitedPages(
  text: AsyncIterable<string>,
  options: DelimitedOptions,
): AsyncGenerator<RowPage, void> {
  const { source } = options;
  let places: ReadonlyMap<string, number> | undefined;
  let pending: string[][] = [];
  const take = (rows: readonly string[][]): void => {
    const [first] = rows;
    if (first === undefined) return;
    pending.push(...(places === undefined && options.hasHeader ? rows.slice(1) : rows));
    places ??= placesOf(first, options);
  };
  let sample = "";
  let scanner = options.delimiter && createDelimitedScanner(options.delimiter);
  for await (const piece of text) {
    sample += scanner === undefined ? piece : "";
    if (scanner === undefined && sample.length < sampleChars) continue;
    scanner ??= createDelimitedScanner(detectDelimiter(sample));
    take(scanner.push(sample === "" ? piece : sample));
    sample = "";
    if (scanner.pendingChars > maxRowChars) {
      const message = `${source}: a row is longer than ${maxRowChars} characters; is a quote left open?`;
      throw new QueryError("value_invalid", message);
    }
    if (places === undefined || pending.length < rowsOfPage) continue;
    yield pageOf(pending, places);
    pending = [];
  }
  scanner ??= createDelimitedScanner(detectDelimiter(sample));
  take(scanner.push(sample));
  take(scanner.end());
  if (scanner.isInQuotes) {
    throw new QueryError("value_invalid", `${source}: a quoted cell does not end.`);
  }
  if (places !== undefined && pending.length > 0) yield pageOf(pending, places);
}

function placesOf(
  first: readonly string[],
  { source, columns, hasHeader }: DelimitedOptions,
): ReadonlyMap<string, number> {
  // Rows may be wider than the first. The catalog numbers unnamed columns.
  const numbers = columns.map((name) => Number(/^column_(\d{1,4})$/.exec(name)?.[1] ?? 0));
  const names = columnNames(hasHeader ? first : [], Math.max(first.length, ...numbers));
  const missing = columns.find((column) => !names.includes(column));
  if (missing === undefined) return new Map(names.map((name, index) => [name, index]));
  const message = `${source} has no column ${JSON.stringify(missing)}; does the catalog still fit the file?`;
  throw new QueryError("value_invalid", message);
}

function pageOf(rows: readonly string[][], places: ReadonlyMap<string, number>): RowPage {
  return {
    rowCount: rows.length,
    valueAt: (row, column) => new Cell(rows[row]?.[places.get(column) ?? -1] ?? ""),
  };
}
