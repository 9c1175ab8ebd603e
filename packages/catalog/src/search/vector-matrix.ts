import { CatalogError } from "../catalog-error.ts";
import { createSlotScores, type SlotScores } from "./slot-scores.ts";

/** How vectors are kept: exactly, or in a quarter of the memory with a small error. */
export type VectorPrecision = "float32" | "int8";

/** Unit vectors by row, and the rows of slots. */
export interface VectorMatrix {
  precision: VectorPrecision;
  /** 0 until the first vector. */
  dimensions: number;
  values: Float32Array | Int8Array;
  /** What a row's values are multiplied by; 1 for exact ones. */
  scales: Float32Array;
  /** Row of a slot, or absent. */
  rows: Map<number, number>;
  freeRows: number[];
  rowCount: number;
}

const largestInt8 = 127;

/** A matrix of no vectors. */
export function createVectorMatrix(precision: VectorPrecision): VectorMatrix {
  return {
    precision,
    dimensions: 0,
    values: precision === "int8" ? new Int8Array(0) : new Float32Array(0),
    scales: new Float32Array(0),
    rows: new Map(),
    freeRows: [],
    rowCount: 0,
  };
}

/** Throws `invalid_options` unless the vector is finite and as long as those before. */
export function checkVector(vector: Float32Array, dimensions: number, whose: string): void {
  if (vector.length === 0 || (dimensions > 0 && vector.length !== dimensions)) {
    throw new CatalogError(
      "invalid_options",
      `The vector of ${whose} has ${vector.length} dimensions, the index ${dimensions}; embed everything with one model.`,
    );
  }
  if (!vector.every(Number.isFinite)) {
    throw new CatalogError(
      "invalid_options",
      `The vector of ${whose} holds a value that is not finite.`,
    );
  }
}

/** Adds a vector; one of zeros has no direction and is left out. */
export function addVector(matrix: VectorMatrix, slot: number, vector: Float32Array): void {
  const norm = normOf(vector);
  if (norm === 0) return;
  if (matrix.dimensions === 0) matrix.dimensions = vector.length;
  const unit = Float32Array.from(vector, (value) => value / norm);
  const row = takeRow(matrix, slot);
  if (matrix.precision === "float32") {
    matrix.values.set(unit, row * matrix.dimensions);
    matrix.scales[row] = 1;
    return;
  }
  const scale = Math.fround(
    unit.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / largestInt8,
  );
  matrix.values.set(
    Int8Array.from(unit, (value) => Math.round(value / scale)),
    row * matrix.dimensions,
  );
  matrix.scales[row] = scale;
}

/** Adds a row as it was saved. */
export function addRow(
  matrix: VectorMatrix,
  slot: number,
  saved: { values: ArrayLike<number>; scale: number },
): void {
  const row = takeRow(matrix, slot);
  matrix.values.set(saved.values, row * matrix.dimensions);
  matrix.scales[row] = saved.scale;
}

/** Forgets the vector of a slot. */
export function removeVector(matrix: VectorMatrix, slot: number): void {
  const row = matrix.rows.get(slot);
  if (row === undefined) return;
  matrix.rows.delete(slot);
  matrix.freeRows.push(row);
  // An index without vectors takes those of another model.
  if (matrix.rows.size === 0) Object.assign(matrix, createVectorMatrix(matrix.precision));
}

function takeRow(matrix: VectorMatrix, slot: number): number {
  const row = matrix.freeRows.pop() ?? matrix.rowCount;
  if (row === matrix.rowCount) matrix.rowCount += 1;
  if (matrix.rowCount * matrix.dimensions > matrix.values.length) growRows(matrix);
  matrix.rows.set(slot, row);
  return row;
}

function growRows(matrix: VectorMatrix): void {
  const rows = Math.ceil(matrix.rowCount * 1.5) + 16;
  const size = rows * matrix.dimensions;
  const values = matrix.precision === "int8" ? new Int8Array(size) : new Float32Array(size);
  values.set(matrix.values);
  const scales = new Float32Array(rows);
  scales.set(matrix.scales);
  matrix.values = values;
  matrix.scales = scales;
}

/** Cosine of a query with each row that is visible, by slot. Throws `invalid_options` for a vector of another length. */
export function scoreVectors(
  matrix: VectorMatrix,
  query: { vector: Float32Array; slotCount: number; visible: Uint8Array | undefined },
): SlotScores {
  const found = createSlotScores(query.slotCount);
  if (matrix.dimensions === 0) return found;
  checkVector(query.vector, matrix.dimensions, "the query");
  const norm = normOf(query.vector);
  if (norm === 0) return found;
  const unit = Float32Array.from(query.vector, (value) => value / norm);
  for (const [slot, row] of matrix.rows) {
    if (query.visible !== undefined && query.visible[slot] !== 1) continue;
    found.scores[slot] =
      dot(matrix.values, row * matrix.dimensions, unit) * (matrix.scales[row] ?? 0);
    found.touched[found.size] = slot;
    found.size += 1;
  }
  return found;
}

/** Four sums at once, which lets the processor work on all of them. */
function dot(values: Float32Array | Int8Array, from: number, unit: Float32Array): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const whole = unit.length - (unit.length % 4);
  for (let at = 0; at < whole; at += 4) {
    first += (values[from + at] ?? 0) * (unit[at] ?? 0);
    second += (values[from + at + 1] ?? 0) * (unit[at + 1] ?? 0);
    third += (values[from + at + 2] ?? 0) * (unit[at + 2] ?? 0);
    fourth += (values[from + at + 3] ?? 0) * (unit[at + 3] ?? 0);
  }
  for (let at = whole; at < unit.length; at += 1)
    first += (values[from + at] ?? 0) * (unit[at] ?? 0);
  return first + second + third + fourth;
}

function normOf(vector: Float32Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum);
}
