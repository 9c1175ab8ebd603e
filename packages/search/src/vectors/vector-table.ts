import { SearchError } from "../search-error.ts";
import type { ScoredSlot } from "../text/select-top.ts";

/** How vectors are stored: exactly, or in a quarter of the memory with a small error. */
export type VectorPrecision = "float32" | "int8";

/** A vector of length 1. */
interface UnitVector {
  values: Float32Array | Int8Array;
  /** Factor by which to multiply the values. 1 for exact vectors. */
  scale: number;
}

/** Unit vectors by slot. */
export interface VectorTable {
  precision: VectorPrecision;
  /** 0 until the first vector is added. */
  dimensions: number;
  rows: Map<number, UnitVector>;
}

const maxInt8 = 127;

/** Creates an empty table. */
export function createVectorTable(precision: VectorPrecision): VectorTable {
  return { precision, dimensions: 0, rows: new Map() };
}

/**
 * Validates a vector.
 * @throws SearchError `invalid_options` unless the vector is finite and has `dimensions` values. 0
 * allows any number.
 */
export function checkVector(vector: Float32Array, dimensions: number, owner: string): void {
  if (vector.length === 0 || (dimensions > 0 && vector.length !== dimensions)) {
    throw new SearchError(
      "invalid_options",
      `The vector of ${owner} has ${vector.length} dimensions, the index ${dimensions}; embed everything with one model.`,
    );
  }
  if (!vector.every(Number.isFinite)) {
    throw new SearchError(
      "invalid_options",
      `The vector of ${owner} holds a value that is not finite.`,
    );
  }
}

/** Scales the vector to length 1. Returns undefined for a zero vector, which has no direction. */
function unitOf(vector: Float32Array): Float32Array | undefined {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const norm = Math.sqrt(sum);
  return norm === 0 ? undefined : vector.map((value) => value / norm);
}

/** Adds a vector. Zero vectors are not stored. */
export function addVector(table: VectorTable, slot: number, vector: Float32Array): void {
  const unit = unitOf(vector);
  if (unit === undefined) return;
  if (table.dimensions === 0) table.dimensions = vector.length;
  if (table.precision === "float32") {
    table.rows.set(slot, { values: unit, scale: 1 });
    return;
  }
  const largest = unit.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const scale = Math.fround(largest / maxInt8);
  const values = Int8Array.from(unit, (value) => Math.round(value / scale));
  table.rows.set(slot, { values, scale });
}

/** Removes a slot's vector. Once the table is empty, it accepts vectors from another model. */
export function removeVector(table: VectorTable, slot: number): void {
  table.rows.delete(slot);
  if (table.rows.size === 0) table.dimensions = 0;
}

/**
 * Computes the cosine similarity of a query to each vector whose slot is visible.
 * @throws SearchError `invalid_options` if the query has another length
 */
export function scoreVectors(
  table: VectorTable,
  query: Float32Array,
  mask?: Uint8Array | undefined,
): ScoredSlot[] {
  if (table.dimensions === 0) return [];
  checkVector(query, table.dimensions, "the query");
  const unit = unitOf(query);
  if (unit === undefined) return [];
  const found: ScoredSlot[] = [];
  for (const [slot, { values, scale }] of table.rows)
    if (mask?.[slot] !== 0) found.push({ slot, score: dot(values, unit) * scale });
  return found;
}

/** Computes the dot product. Keeps four sums, so that the processor can compute them in parallel. */
function dot(values: Float32Array | Int8Array, unit: Float32Array): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const whole = unit.length - (unit.length % 4);
  for (let at = 0; at < whole; at += 4) {
    first += (values[at] ?? 0) * (unit[at] ?? 0);
    second += (values[at + 1] ?? 0) * (unit[at + 1] ?? 0);
    third += (values[at + 2] ?? 0) * (unit[at + 2] ?? 0);
    fourth += (values[at + 3] ?? 0) * (unit[at + 3] ?? 0);
  }
  for (let at = whole; at < unit.length; at += 1) first += (values[at] ?? 0) * (unit[at] ?? 0);
  return first + second + third + fourth;
}
