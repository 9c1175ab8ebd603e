/** What stands between the cells of a line. */
export type Delimiter = "," | ";" | "\t" | "|";

const delimiters: readonly Delimiter[] = [",", ";", "\t", "|"];
const sampledRows = 50;

/**
 * The delimiter under which the first rows have the most cells, as many in each: consistency counts more than number.
 * A comma where the text has one column only.
 */
export function findDelimiter(text: string): Delimiter {
  const sample = text.slice(0, 65_536);
  let best: Delimiter = ",";
  let bestScore = 0;
  for (const delimiter of delimiters) {
    const widths: number[] = [];
    for (const row of readRows(sample, delimiter)) {
      widths.push(row.length);
      if (widths.length >= sampledRows) break;
    }
    const width = widths[0] ?? 1;
    const same = widths.filter((other) => other === width).length / Math.max(1, widths.length);
    const score = width > 1 ? same * same * same * Math.log2(width + 1) : 0;
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

/**
 * Rows of cells (RFC 4180): quoted cells hold delimiters, line ends and doubled quotes. A quote within a bare cell is
 * itself, text behind a closing quote belongs to the cell, empty lines are left out. Linear in the text.
 */
export function* readRows(text: string, delimiter: Delimiter): Generator<string[]> {
  let row: string[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length) {
    const cell = readCell(text, at, delimiter);
    row.push(cell.text);
    at = cell.end;
    if (text[at] === delimiter) {
      at += 1;
      if (at === text.length) row.push("");
    } else {
      at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
      if (row.length > 1 || row[0] !== "") yield row;
      row = [];
    }
  }
  if (row.length > 0) yield row;
}

function readCell(
  text: string,
  start: number,
  delimiter: Delimiter,
): { text: string; end: number } {
  if (text[start] !== '"') return bareCell(text, start, delimiter);
  let cell = "";
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { text: cell + text.slice(at), end: text.length };
    cell += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    cell += '"';
    at += 1;
  }
  const rest = bareCell(text, at, delimiter);
  return { text: cell + rest.text, end: rest.end };
}

function bareCell(
  text: string,
  start: number,
  delimiter: Delimiter,
): { text: string; end: number } {
  let end = start;
  while (end < text.length) {
    const character = text[end];
    if (character === delimiter || character === "\n" || character === "\r") break;
    end += 1;
  }
  return { text: text.slice(start, end), end };
}
