import { type Delimiter, offsetOfRows, readDelimitedRow } from "./read-delimited.ts";

/** Reads rows from pieces of text. A piece may end anywhere, even within a cell. */
interface DelimitedScanner {
  /** Returns the rows that this piece completes. Rows of several megabytes may come later. */
  push(piece: string): string[][];
  /** Returns the remaining rows. Nothing may be pushed afterwards. */
  end(): string[][];
  /** True while a quoted cell is open. After `end`, this means that its closing quote is missing. */
  readonly isInQuotes: boolean;
  /** Characters of the incomplete row. */
  readonly pendingChars: number;
}

/** A longer incomplete row is read again only once its text has doubled, so that reading takes linear time. */
const longRowChars = 2 ** 20;

/**
 * Creates a scanner of delimited text (RFC 4180). Quoted cells may contain delimiters, line ends
 * and doubled quotes. CRLF, LF and CR end rows. It accepts common deviations: a quote within a bare
 * cell is literal, text after a closing quote belongs to the cell, and empty lines, a byte order
 * mark and a first line such as `sep=;` are skipped. Takes linear time.
 */
export function createDelimitedScanner(delimiter: Delimiter): DelimitedScanner {
  let pending = "";
  let isFirst = true;
  let isInQuotes = false;
  let readFrom = 0;
  const read = (isWhole: boolean): string[][] => {
    const rows: string[][] = [];
    let start = isFirst ? offsetOfRows(pending) : 0;
    isInQuotes = false;
    while (start < pending.length) {
      const { cells, end, isOpen } = readDelimitedRow(pending, start, delimiter);
      isInQuotes = isOpen;
      if (end === pending.length && !isWhole) break;
      if (cells.length > 1 || cells[0] !== "") rows.push(cells);
      start = end + 1;
    }
    isFirst &&= rows.length === 0;
    pending = pending.slice(start);
    readFrom = pending.length > longRowChars ? 2 * pending.length : 0;
    return rows;
  };
  return {
    push(piece) {
      pending += piece;
      return pending.length < readFrom ? [] : read(false);
    },
    end: () => read(true),
    get isInQuotes() {
      return isInQuotes;
    },
    get pendingChars() {
      return pending.length;
    },
  };
}
