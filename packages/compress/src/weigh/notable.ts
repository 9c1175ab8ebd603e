/** A trait of a larger share of the rows is not notable. */
const rareShare = 0.04;
const minRows = 8;

/** A table by its cells. */
export interface CellTable {
  rows: number;
  columns: number;
  /** Empty where a row has no such cell. */
  cellAt: (row: number, column: number) => string;
}

/**
 * How unusual each row is among rows of the same columns, 0 for usual: a value that few rows have in a column of few values,
 * a cell that is mostly empty, a number far from the others, a word that no other row has.
 */
export function notableRows(table: CellTable): Float64Array {
  const notable = new Float64Array(table.rows);
  if (table.rows < minRows) return notable;
  for (let column = 0; column < table.columns; column += 1) {
    const read = readColumn(table, column);
    raise(notable, rareValues(read));
    raise(notable, outliers(read));
    raise(notable, rareWords(read));
  }
  return notable;
}

function raise(notable: Float64Array, found: Map<number, number>): void {
  if (found.size > maxNotable(notable.length)) return;
  for (const [row, strength] of found) notable[row] = Math.max(notable[row] ?? 0, strength);
}

function maxNotable(rows: number): number {
  return Math.max(3, rareShare * rows);
}

/** A column by its different cells, in the order of their first rows. */
interface Column {
  values: string[];
  /** The first row of each value, and how many have it. */
  firstRows: number[];
  counts: number[];
  /** The place in `values` of the cell of each row. */
  places: Uint32Array;
  /** Half of the cells differ: those that are equal may be in `values` more than once. */
  isVaried: boolean;
}

/** Where half of so many cells differ, a column is none of few values; where few of them are numbers, none of numbers. */
const sampledRows = 2_000;
const none: Map<number, number> = new Map();
/** The median and the quantiles of more are those of evenly spaced ones. */
const sampledNumbers = 20_000;

function readColumn({ rows, cellAt }: CellTable, column: number): Column {
  const known = new Map<string, number>();
  const [values, firstRows, counts]: [string[], number[], number[]] = [[], [], []];
  const places = new Uint32Array(rows);
  let isVaried = false;
  for (let row = 0; row < rows; row += 1) {
    const cell = cellAt(row, column);
    let place = isVaried ? undefined : known.get(cell);
    if (place === undefined) {
      place = values.push(cell) - 1;
      firstRows.push(row);
      counts.push(0);
      if (!isVaried) known.set(cell, place);
    }
    counts[place] = (counts[place] ?? 0) + 1;
    places[row] = place;
    if (row === sampledRows) isVaried = values.length > row / 2;
  }
  return { values, firstRows, counts, places, isVaried };
}

const rareValueShare = 0.03;

/** Rows whose cell few others have, in a column of few values. */
function rareValues({ values, counts, places, isVaried }: Column): Map<number, number> {
  const rows = places.length;
  if (isVaried || values.length === 1 || values.length > Math.max(4, rows * 0.2)) return none;
  const limit = Math.max(1, rows * rareValueShare);
  const rare = counts.reduce((sum, count) => sum + (count <= limit ? count : 0), 0);
  if (rare > maxNotable(rows)) return none;
  const found = new Map<number, number>();
  for (let row = 0; row < rows; row += 1) {
    const count = counts[places[row] ?? 0] ?? 0;
    if (count <= limit) found.set(row, 1 + 1 / count);
  }
  return found;
}

/** Rows whose number is far from the others, by the median of the distances from the median. */
function outliers({ values, firstRows, places }: Column): Map<number, number> {
  const numbers = new Float64Array(places.length);
  let missing = 0;
  for (let row = 0; row < places.length; row += 1) {
    const place = places[row] ?? 0;
    const first = firstRows[place] ?? 0;
    const value = first === row ? numberIn(values[place] ?? "") : (numbers[first] ?? 0);
    numbers[row] = value;
    if (Number.isNaN(value)) missing += 1;
    const isWords = row === sampledRows && missing > row * 0.9;
    if (isWords || missing > places.length * 0.5) return none;
  }
  const step = Math.ceil(numbers.length / sampledNumbers);
  const known = numbers.filter((value, row) => row % step === 0 && !Number.isNaN(value)).sort();
  const median = known[known.length >> 1] ?? 0;
  const distances = known.map((value) => Math.abs(value - median)).sort();
  const usual = distances[Math.floor(distances.length * 0.5)] ?? 0;
  const wide =
    distances[distances.length - 1 - Math.max(1, Math.ceil(distances.length * 0.05))] ?? 0;
  const limit = Math.max(usual * 6, wide * 1.5);
  const areSigned = (known[Math.max(1, Math.floor(known.length * 0.03))] ?? 0) < 0;
  const found = new Map<number, number>();
  for (let row = 0; row < numbers.length; row += 1) {
    const value = numbers[row] ?? Number.NaN;
    if (Math.abs(value - median) > limit || (value < 0 && !areSigned)) found.set(row, 2);
    if (found.size > maxNotable(numbers.length)) return none;
  }
  return found;
}

/** NaN for what is no number, with or without a unit. */
function numberIn(cell: string): number {
  if (cell.length > 40) return Number.NaN;
  if (/^-?\d+(?:\.\d+)?$/.test(cell)) return Number(cell);
  const found = /^[^\w-]{0,2}(-?\d+(?:\.\d+)?)\s?[a-z%]{0,3}\W{0,2}$/i.exec(cell)?.[1];
  return found === undefined ? Number.NaN : Number(found);
}

const maxCellChars = 2_000;
const sampledWords = 20_000;
const common = -1;

/** Rows with a word that stands in no other row, where rows mostly have the words of others. */
function rareWords({ values, firstRows, counts }: Column): Map<number, number> {
  /** The only row of a word. */
  const rowOf = new Map<string, number>();
  for (let place = 0; place < values.length; place += 1) {
    const cell = values[place] ?? "";
    if (!/[a-z]{3}/i.test(cell)) continue;
    const row = counts[place] === 1 ? (firstRows[place] ?? 0) : common;
    for (const word of wordsOf(cell)) {
      const other = rowOf.get(word);
      if (other === undefined) rowOf.set(word, row);
      else if (other !== row && other !== common) rowOf.set(word, common);
    }
    // Names and ids: the rows to come would have to repeat nearly all of so many words.
    if (place === sampledWords && rowOf.size > place) return none;
  }
  const found = new Map<number, number>();
  for (const row of rowOf.values()) if (row !== common) found.set(row, (found.get(row) ?? 0) + 1);
  for (const [row, rare] of found) found.set(row, Math.min(2, 1 + rare / 4));
  return found;
}

function wordsOf(cell: string): Iterable<string> {
  const read = cell.length > maxCellChars ? cell.slice(0, maxCellChars) : cell;
  return read.toLowerCase().match(/(?<![\w-])[a-z]{3,}(?![\w-])/g) ?? [];
}
