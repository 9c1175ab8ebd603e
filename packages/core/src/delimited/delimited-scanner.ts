/** What separates the cells of a row. */
export type Delimiter = "," | ";" | "\t" | "|";

/** Reads rows from pieces of a text; a piece may end anywhere, also within a cell. */
export interface DelimitedScanner {
  /** The rows that are complete after this piece. */
  push(piece: string): string[][];
  /** The last row, where no line end closed it. Nothing may be pushed after it. */
  end(): string[][];
  /** True while a quoted cell is open: at the end of a text its closing quote is missing. */
  readonly isInQuotes: boolean;
  /** Characters of the row that is not complete yet. */
  readonly pendingChars: number;
}

/** Where the scanner stands: at the start of a cell, within one, within quotes, or behind a quote within quotes. */
type Place = "start" | "bare" | "quoted" | "quote";

/**
 * Scans delimited text (RFC 4180): quoted cells hold delimiters, line ends and doubled quotes; CRLF, LF and CR end rows.
 * Lenient where files in the wild are: a quote within a bare cell is itself, text behind a closing quote belongs to the
 * cell, empty lines and a byte order mark are left out. Linear in the text.
 */
export function createDelimitedScanner(delimiter: Delimiter): DelimitedScanner {
  const special = new RegExp(`[${delimiter}\\r\\n]`, "g");
  let rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let place: Place = "start";
  let isFirst = true;
  /** A line feed that follows belongs to the carriage return before it. */
  let isAfterReturn = false;
  let pendingChars = 0;

  const endCell = (): void => {
    row.push(cell);
    cell = "";
    place = "start";
  };
  const endRow = (): void => {
    endCell();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    pendingChars = 0;
  };
  /** Takes what lies within quotes; returns where it stopped. */
  const takeQuoted = (text: string, at: number): number => {
    const quote = text.indexOf('"', at);
    cell += text.slice(at, quote < 0 ? undefined : quote);
    if (quote < 0) return text.length;
    place = "quote";
    return quote + 1;
  };
  /** Takes what lies outside of quotes, with the delimiter or the line end behind it. */
  const takeBare = (text: string, at: number): number => {
    special.lastIndex = at;
    const end = special.exec(text)?.index;
    cell += text.slice(at, end);
    place = "bare";
    if (end === undefined) return text.length;
    if (text[end] === delimiter) {
      endCell();
      return end + 1;
    }
    isAfterReturn = text[end] === "\r";
    endRow();
    return end + 1;
  };
  /** Takes whole rows up to the next quote; returns where it stopped. */
  const takePlainRows = (text: string, from: number): number => {
    const quote = text.indexOf('"', from);
    const limit = quote < 0 ? text.length : quote;
    let at = from;
    for (let end = text.indexOf("\n", at); end >= 0 && end < limit; end = text.indexOf("\n", at)) {
      const line = text.slice(at, text[end - 1] === "\r" ? Math.max(at, end - 1) : end);
      if (line !== "") rows.push(line.split(delimiter));
      at = end + 1;
    }
    return at;
  };
  const step = (text: string, at: number): number => {
    const isLineFeed = isAfterReturn && text[at] === "\n";
    isAfterReturn = false;
    if (isLineFeed) return at + 1;
    if (place === "quoted") return takeQuoted(text, at);
    if (text[at] === '"' && place !== "bare") {
      if (place === "quote") cell += '"';
      place = "quoted";
      return at + 1;
    }
    return takeBare(text, at);
  };

  return {
    push(piece) {
      const text = isFirst && piece.startsWith("\uFEFF") ? piece.slice(1) : piece;
      isFirst &&= piece === "";
      const endsByLineFeeds = !/\r(?!\n)/.test(text);
      for (let at = 0; at < text.length;) {
        if (endsByLineFeeds && row.length === 0 && place === "start" && !isAfterReturn)
          at = takePlainRows(text, at);
        if (at === text.length) break;
        const next = step(text, at);
        pendingChars += row.length === 0 && cell === "" && place === "start" ? 0 : next - at;
        at = next;
      }
      const complete = rows;
      rows = [];
      return complete;
    },
    end() {
      if (row.length > 0 || place !== "start") endRow();
      return rows.splice(0);
    },
    get isInQuotes() {
      return place === "quoted";
    },
    get pendingChars() {
      return pendingChars;
    },
  };
}
