/** The character between the cells of a row. */
export type Delimiter = "," | ";" | "\t" | "|";

const delimiters: readonly Delimiter[] = [",", ";", "\t", "|"];
const sampleChars = 65_536;
const sampleRows = 50;

/**
 * Lazily yields the rows of a complete text. Returns the same rows as the scanner. An unclosed
 * quote ends with the text.
 */
export function* readDelimited(text: string, delimiter: Delimiter): Generator<string[]> {
  for (let start = offsetOfRows(text); start < text.length;) {
    const { cells, end } = readDelimitedRow(text, start, delimiter);
    if (cells.length > 1 || cells[0] !== "") yield cells;
    start = end + 1;
  }
}

/** A byte order mark, and the line with which spreadsheets declare the delimiter. */
const preamble = /^\uFEFF?(?:sep=([,;\t|])(?:\r?\n|\r))?/i;

/** Returns the offset of the first row, after a byte order mark and a line such as `sep=;`. */
export function offsetOfRows(text: string): number {
  return preamble.exec(text)?.[0].length ?? 0;
}

/** A row of the text. */
interface DelimitedRow {
  cells: string[];
  /** Offset of its line end, or of the end of the text. */
  end: number;
  /** True if its last cell has no closing quote. */
  isOpen: boolean;
}

/**
 * Reads the row that begins at an offset, up to a line end outside quotes or the end of the text.
 * An empty line has one empty cell.
 */
export function readDelimitedRow(text: string, start: number, delimiter: Delimiter): DelimitedRow {
  const lineEnd = endAt(text, start);
  const line = text.slice(start, lineEnd);
  if (!line.includes('"')) return { cells: line.split(delimiter), end: lineEnd, isOpen: false };
  const cells: string[] = [];
  let isOpen = false;
  for (let at = start; ; at += 1) {
    let cell = "";
    if (text[at] === '"') {
      const close = closingQuote(text, at);
      isOpen = close === text.length;
      cell = text.slice(at + 1, close);
      if (cell.includes('"')) cell = cell.replaceAll('""', '"');
      at = Math.min(close + 1, text.length);
    }
    const end = endAt(text, at, delimiter);
    cells.push(end === at ? cell : cell + text.slice(at, end));
    if (text[end] !== delimiter) return { cells, end, isOpen };
    at = end;
  }
}

/**
 * Returns the offset of the quote that closes the one at `open`, or the end of the text if none
 * does.
 */
function closingQuote(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote < 0 ? text.length : quote;
}

const ends = {
  line: /[\r\n]/g,
  ",": /[,\r\n]/g,
  ";": /[;\r\n]/g,
  "\t": /[\t\r\n]/g,
  "|": /[|\r\n]/g,
};

/** Returns the offset of the next line end or the next delimiter. */
function endAt(text: string, from: number, delimiter: Delimiter | "line" = "line"): number {
  const end = ends[delimiter];
  end.lastIndex = from;
  return end.test(text) ? end.lastIndex - 1 : text.length;
}

/**
 * Returns the delimiter that a first line such as `sep=;` declares. Otherwise finds the delimiter
 * that splits the first rows into the largest number of cells, with an equal number in each row.
 * Equal numbers count more than large ones. Returns a comma if the text has only one column.
 */
export function detectDelimiter(text: string): Delimiter {
  const declared = preamble.exec(text)?.[1];
  if (declared !== undefined) return declared as Delimiter;
  const sample = text.slice(0, sampleChars);
  let best: Delimiter = ",";
  let bestScore = 0;
  for (const delimiter of delimiters) {
    const widths: number[] = [];
    for (const row of readDelimited(sample, delimiter)) {
      widths.push(row.length);
      if (widths.length >= sampleRows) break;
    }
    const width = widths[0] ?? 1;
    const evenness = widths.filter((other) => other === width).length / Math.max(1, widths.length);
    const score = width > 1 ? evenness ** 3 * Math.log2(width + 1) : 0;
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

/**
 * Returns column names without blanks and duplicates: blanks become `column_1`, repeats get `_2`,
 * `_3`.
 */
export function columnNames(header: readonly string[], width: number = header.length): string[] {
  const used = new Set<string>();
  const repeats = new Map<string, number>();
  return Array.from({ length: Math.max(width, header.length) }, (_, index) => {
    const title = header[index]?.trim() ?? "";
    const base = title === "" ? `column_${index + 1}` : title;
    let count = repeats.get(base) ?? 1;
    let name = count === 1 ? base : `${base}_${count}`;
    while (used.has(name)) name = `${base}_${++count}`;
    repeats.set(base, count);
    used.add(name);
    return name;
  });
}
