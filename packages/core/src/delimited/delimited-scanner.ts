/** The character between the cells of a row. */
export type Delimiter = "," | ";" | "\t" | "|";

/** Reads rows from pieces of a text. A piece may end anywhere, even within a cell. */
export interface DelimitedScanner {
  /** Returns the rows that this piece completes. */
  push(piece: string): string[][];
  /** Returns the last row, if no line end closed it. Nothing may be pushed afterwards. */
  end(): string[][];
  /** True while a quoted cell is open. At the end of a text this means that its closing quote is missing. */
  readonly isInQuotes: boolean;
  /** Characters of the incomplete row. */
  readonly pendingChars: number;
}

/**
 * The state of the scanner: at the start of a cell, within a bare cell, within quotes, or after a
 * quote within quotes.
 */
type Place = "start" | "bare" | "quoted" | "quote";

/**
 * Creates a scanner of delimited text (RFC 4180). Quoted cells may contain delimiters, line ends
 * and doubled quotes. CRLF, LF and CR end rows. It accepts common deviations: a quote within a bare
 * cell is literal, text after a closing quote belongs to the cell, and empty lines and a byte order
 * mark are skipped. Takes linear time.
 */
export function createDelimitedScanner(delimiter: Delimiter): DelimitedScanner {
  const special = new RegExp(`[${delimiter}\\r\\n]`, "g");
  let rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let place: Place = "start";
  let isFirst = true;
  /** True after a carriage return, which a following line feed belongs to. */
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
  /** Consumes text within quotes. Returns where it stopped. */
  const takeQuoted = (text: string, at: number): number => {
    const quote = text.indexOf('"', at);
    cell += text.slice(at, quote < 0 ? undefined : quote);
    if (quote < 0) return text.length;
    place = "quote";
    return quote + 1;
  };
  /** Consumes text outside of quotes, including the delimiter or line end after it. */
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
  /** Consumes whole rows up to the next quote. Returns where it stopped. */
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
