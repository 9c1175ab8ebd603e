/** Maximum share of the rows that may have a trait for it to be notable. */
const rareShare = 0.04;
const minRows = 8;

/** A table, accessed by row. */
export interface CellTable {
  rows: number;
  columns: number;
  /** The cells of a row. Missing cells at the end may be left out. */
  cellsOf: (row: number) => readonly string[];
}

/**
 * Rates how unusual each row is among rows with the same columns. 0 means usual. Four things make a
 * row unusual: a value that few rows have in a column of few values, a value in a mostly empty
 * column, a number far from the others, and a word that no other row has.
 */
export function notableRows({ rows, columns, cellsOf }: CellTable): Float64Array {
  const notable = new Float64Array(rows);
  if (rows < minRows) return notable;
  const read = Array.from({ length: columns }, () => new Column(rows));
  for (let row = 0; row < rows; row += 1) {
    const cells = cellsOf(row);
    for (let at = 0; at < columns; at += 1) read[at]?.add(row, cells[at] ?? "");
  }
  for (const column of read) {
    raise(notable, rareValues(column));
    raise(notable, column.numbers === undefined ? none : outliers(column.numbers));
    raise(notable, column.rareWords());
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

/**
 * Number of rows after which a column is classified. If half of their cells differ, it is not a
 * column of few values. If few are numbers, it is not a column of numbers.
 */
const sampledRows = 2_000;
const none: Map<number, number> = new Map();
/**
 * Maximum number of numbers for exact quantiles. With more, the median and quantiles come from an
 * evenly spaced sample.
 */
const sampledNumbers = 20_000;
const sampledWords = 20_000;

/** Statistics of a column. Once a trait is ruled out, no more cells are read for it. */
class Column {
  /**
   * Number of rows with each value, in the order of first occurrence, and the index of each row's
   * value.
   */
  readonly counts: number[] = [];
  readonly places: Uint32Array;
  /** True if half of the cells differ. */
  isVaried = false;
  /** The number in each row, NaN if there is none. Undefined if few rows have one. */
  numbers: Float64Array | undefined;
  #missing = 0;
  readonly #known = new Map<string, number>();
  /** Maps a word to the only row that contains it. */
  #rowOf: Map<string, number> | undefined = new Map();
  #different = 0;

  constructor(rows: number) {
    this.places = new Uint32Array(rows);
    this.numbers = new Float64Array(rows);
  }

  add(row: number, cell: string): void {
    const count = this.isVaried ? 1 : this.#count(row, cell);
    if (row === sampledRows) this.isVaried = this.counts.length > row / 2;
    if (this.numbers !== undefined) this.#addNumber(row, numberIn(cell), this.numbers);
    if (this.#rowOf !== undefined && count <= 2)
      this.#addWords(cell, count === 1 ? row : common, this.#rowOf);
  }

  #count(row: number, cell: string): number {
    let place = this.#known.get(cell);
    if (place === undefined) this.#known.set(cell, (place = this.counts.push(0) - 1));
    this.places[row] = place;
    return (this.counts[place] = (this.counts[place] ?? 0) + 1);
  }

  #addNumber(row: number, value: number, numbers: Float64Array): void {
    numbers[row] = value;
    if (!Number.isNaN(value)) return;
    this.#missing += 1;
    const isWords = row >= sampledRows && this.#missing > row * 0.9;
    if (isWords || this.#missing > numbers.length * 0.5) this.numbers = undefined;
  }

  #addWords(cell: string, row: number, rowOf: Map<string, number>): void {
    if (row !== common) this.#different += 1;
    for (const word of wordsOf(cell)) {
      const other = rowOf.get(word);
      if (other === undefined) rowOf.set(word, row);
      else if (other !== row && other !== common) rowOf.set(word, common);
    }
    // The column contains names or ids, since later rows would have to repeat nearly all of these
    // words.
    if (this.#different === sampledWords && rowOf.size > sampledWords) this.#rowOf = undefined;
  }

  /**
   * Returns the rows with a word that no other row has, in a column where rows mostly share their
   * words.
   */
  rareWords(): Map<number, number> {
    const found = new Map<number, number>();
    for (const row of this.#rowOf?.values() ?? [])
      if (row !== common) found.set(row, (found.get(row) ?? 0) + 1);
    for (const [row, rare] of found) found.set(row, Math.min(2, 1 + rare / 4));
    return found;
  }
}

const rareValueShare = 0.03;

/** Returns the rows whose cell occurs in few other rows, in a column of few values. */
function rareValues({ counts, places, isVaried }: Column): Map<number, number> {
  const rows = places.length;
  if (isVaried || counts.length === 1 || counts.length > Math.max(4, rows * 0.2)) return none;
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

/**
 * Returns the rows whose number is far from the others, measured by the median absolute deviation.
 */
function outliers(numbers: Float64Array): Map<number, number> {
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

/** Returns the number in a cell, with or without a unit. NaN if it is not a number. */
function numberIn(cell: string): number {
  if (cell.length > 40) return Number.NaN;
  if (/^-?\d+(?:\.\d+)?$/.test(cell)) return Number(cell);
  const found = /^[^\w-]{0,2}(-?\d+(?:\.\d+)?)\s?[a-z%]{0,3}\W{0,2}$/i.exec(cell)?.[1];
  return found === undefined ? Number.NaN : Number(found);
}

const maxCellChars = 2_000;
const common = -1;

function wordsOf(cell: string): Iterable<string> {
  const read = cell.length > maxCellChars ? cell.slice(0, maxCellChars) : cell;
  if (!/[a-z]{3}/i.test(read)) return [];
  return read.toLowerCase().match(/(?<![\w-])[a-z]{3,}(?![\w-])/g) ?? [];
}
