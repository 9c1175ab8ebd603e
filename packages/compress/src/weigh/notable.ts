/** A trait of a larger share of the rows is not notable. */
const rareShare = 0.04;
const minRows = 8;

/**
 * How unusual each row is among rows of the same columns, 0 for usual: a value that few rows have in a column of few values,
 * a cell that is mostly empty, a number far from the others, a word that no other row has.
 */
export function notableRows(rows: readonly (readonly string[])[]): Float64Array {
  const notable = new Float64Array(rows.length);
  if (rows.length < minRows) return notable;
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0);
  for (let column = 0; column < width; column += 1) {
    const cells = rows.map((row) => row[column] ?? "");
    raise(notable, rareValues(cells));
    raise(notable, outliers(cells));
    raise(notable, rareWords(cells));
  }
  return notable;
}

function raise(notable: Float64Array, found: Map<number, number>): void {
  if (found.size > Math.max(3, rareShare * notable.length)) return;
  for (const [row, strength] of found) notable[row] = Math.max(notable[row] ?? 0, strength);
}

/** Rows whose cell few others have, in a column of few values. */
function rareValues(cells: readonly string[]): Map<number, number> {
  const counts = new Map<string, number>();
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  const found = new Map<number, number>();
  if (counts.size === 1 || counts.size > Math.max(4, cells.length * 0.2)) return found;
  const limit = Math.max(1, cells.length * 0.03);
  for (const [row, cell] of cells.entries()) {
    const count = counts.get(cell) ?? 0;
    if (count <= limit) found.set(row, 1 + 1 / count);
  }
  return found;
}

/** Rows whose number is far from the others, by the median of the distances from the median. */
function outliers(cells: readonly string[]): Map<number, number> {
  const found = new Map<number, number>();
  const numbers = cells.map(numberIn);
  const known = numbers.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  if (known.length < cells.length * 0.5) return found;
  const median = known[known.length >> 1] ?? 0;
  const distances = known.map((value) => Math.abs(value - median)).toSorted((a, b) => a - b);
  const usual = distances[Math.floor(distances.length * 0.5)] ?? 0;
  const wide = distances[Math.floor(distances.length * 0.95)] ?? 0;
  const limit = Math.max(usual * 6, wide * 1.5);
  for (const [row, value] of numbers.entries()) {
    if (value === undefined) continue;
    const isNegative = value < 0 && (known[Math.floor(known.length * 0.03)] ?? 0) >= 0;
    if (Math.abs(value - median) > limit || isNegative) found.set(row, 2);
  }
  return found;
}

function numberIn(cell: string): number | undefined {
  const found = /^[^\w-]{0,2}(-?\d+(?:\.\d+)?)\s?[a-z%]{0,3}\W{0,2}$/i.exec(cell)?.[1];
  return found === undefined ? undefined : Number(found);
}

const maxCellChars = 2_000;

/** Rows with a word that stands in no other row, where rows mostly have the words of others. */
function rareWords(cells: readonly string[]): Map<number, number> {
  const rowsWith = new Map<string, number>();
  const wordsOf = cells.map(
    (cell) =>
      new Set(
        cell
          .slice(0, maxCellChars)
          .toLowerCase()
          .match(/(?<![\w-])[a-z]{3,}(?![\w-])/g),
      ),
  );
  for (const words of wordsOf)
    for (const word of words) rowsWith.set(word, (rowsWith.get(word) ?? 0) + 1);
  const found = new Map<number, number>();
  for (const [row, words] of wordsOf.entries()) {
    let rare = 0;
    for (const word of words) if (rowsWith.get(word) === 1) rare += 1;
    if (rare > 0) found.set(row, Math.min(2, 1 + rare / 4));
  }
  return found;
}
