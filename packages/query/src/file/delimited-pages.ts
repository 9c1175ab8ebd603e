import type { RowPage } from "../connector/answer-rows.ts";
import { QueryError } from "../query-error.ts";

/** What stands between the cells of a line. */
export type Delimiter = "," | ";" | "\t" | "|";

const rowsOfPage = 4_096;
const longestCell = 16 * 1024 * 1024;

/** A cell; text decoders tell it from a value of JSON. */
interface Cell {
  cell: string;
}

interface DelimitedOptions {
  source: string;
  /** The columns that will be asked for: each must be in the header. */
  columns: readonly string[];
  delimiter: Delimiter | undefined;
}

/**
 * Rows of a delimited text (RFC 4180) whose first row names the columns, in time and memory that do not grow with the file.
 * @throws QueryError `value_invalid` for a column that the header lacks, a row of another width, a quote that stays open
 */
export async function* delimitedPages(
  text: AsyncIterable<string>,
  options: DelimitedOptions,
): AsyncGenerator<RowPage, void> {
  const scanner = createScanner(options);
  let header: string[] | undefined;
  let places = new Map<string, number>();
  const takeHeader = (): void => {
    header ??= scanner.rows.shift();
    if (header === undefined || places.size > 0) return;
    places = new Map(header.map((name, index) => [name, index]));
    const missing = options.columns.find((column) => !places.has(column));
    if (missing === undefined) return;
    throw new QueryError(
      "value_invalid",
      `${options.source} has no column ${JSON.stringify(missing)}; does the catalog still fit the file?`,
    );
  };
  for await (const piece of text) {
    scanner.push(piece);
    takeHeader();
    if (header !== undefined && scanner.rows.length >= rowsOfPage)
      yield pageOf(scanner.rows.splice(0), places);
  }
  scanner.end();
  takeHeader();
  if (scanner.rows.length > 0) yield pageOf(scanner.rows.splice(0), places);
}

function pageOf(rows: readonly string[][], places: ReadonlyMap<string, number>): RowPage {
  return {
    rowCount: rows.length,
    valueAt(row, column): Cell | undefined {
      const cell = rows[row]?.[places.get(column) ?? -1];
      return cell === undefined ? undefined : { cell };
    },
  };
}

interface Scanner {
  /** Whole rows so far. */
  rows: string[][];
  push(piece: string): void;
  end(): void;
}

/** A state machine over pieces: what a piece ends within goes on in the next. */
function createScanner({ source, delimiter }: DelimitedOptions): Scanner {
  const rows: string[][] = [];
  let separator = delimiter;
  let rest = "";
  let line = 1;
  let width: number | undefined;
  const add = (row: string[]): void => {
    if (row.length === 1 && row[0] === "") return;
    width ??= row.length;
    line += 1;
    if (row.length === width) rows.push(row);
    else
      throw new QueryError(
        "value_invalid",
        `${source}: row ${line - 1} has ${row.length} cells, the header ${width}.`,
      );
  };
  const scan = (text: string, isLast: boolean): string => {
    separator ??= guessDelimiter(text);
    let start = 0;
    for (;;) {
      const read = readRow(text, { start, separator, isLast });
      if (read === undefined) return text.slice(start);
      add(read.cells);
      start = read.end;
      if (start >= text.length) return "";
    }
  };
  return {
    rows,
    push(piece) {
      rest += piece;
      // A row is looked at again only once a line has ended since.
      if (!/[\r\n]/.test(piece) && rest.length < longestCell) return;
      rest = scan(rest, false);
      if (rest.length > longestCell)
        throw new QueryError(
          "value_invalid",
          `${source}: a row is longer than ${longestCell} characters; is a quote left open?`,
        );
    },
    end() {
      if (rest !== "" && scan(rest, true) !== "")
        throw new QueryError("value_invalid", `${source}: a quoted cell does not end.`);
      rest = "";
    },
  };
}

interface RowPlace {
  start: number;
  separator: Delimiter;
  isLast: boolean;
}

/** The row at a place; undefined where the text ends within it. */
function readRow(
  text: string,
  { start, separator, isLast }: RowPlace,
): { cells: string[]; end: number } | undefined {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const cell = text[at] === '"' ? quotedCell(text, at, separator) : bareCell(text, at, separator);
    if (cell === undefined || (cell.end >= text.length && !isLast)) return undefined;
    cells.push(cell.text);
    if (text[cell.end] === separator) {
      at = cell.end + 1;
      continue;
    }
    if (cell.end >= text.length) return { cells, end: text.length };
    const isPair = text[cell.end] === "\r" && text[cell.end + 1] === "\n";
    // A carriage return at the end of a piece may be half of a pair.
    if (text[cell.end] === "\r" && cell.end + 1 === text.length && !isLast) return undefined;
    return { cells, end: cell.end + (isPair ? 2 : 1) };
  }
}

function bareCell(
  text: string,
  start: number,
  separator: Delimiter,
): { text: string; end: number } {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r")
    end += 1;
  return { text: text.slice(start, end), end };
}

/** Quotes within are doubled; text behind the closing one belongs to the cell. */
function quotedCell(
  text: string,
  start: number,
  separator: Delimiter,
): { text: string; end: number } | undefined {
  let cell = "";
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return undefined;
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      let end = quote + 1;
      while (
        end < text.length &&
        text[end] !== separator &&
        text[end] !== "\n" &&
        text[end] !== "\r"
      )
        end += 1;
      return { text: cell + text.slice(quote + 1, end), end };
    }
    cell += '"';
    at = quote + 2;
  }
}

function guessDelimiter(text: string): Delimiter {
  const first =
    text
      .slice(0, 65_536)
      .split(/\r|\n/)[0]
      ?.replace(/"[^"]*"/g, "") ?? "";
  const all: readonly Delimiter[] = [",", ";", "\t", "|"];
  return (
    all.toSorted((left, right) => first.split(right).length - first.split(left).length)[0] ?? ","
  );
}
