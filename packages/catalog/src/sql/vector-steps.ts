import { insertRows, rowsOf, run, type SqlSteps } from "@ccl/sql";
import { createVectorTable, scoreVectors, type ScoredSlot } from "@ccl/search/engine";

import { damagedIndex } from "../search/search-errors.ts";
import { bytesOfFloats, floatsOfBytes } from "./float-bytes.ts";
import type { IndexStateRow } from "./index-state-row.ts";
import { type SqlDialect } from "./sql-dialect.ts";

/** A vector of a document; undefined takes it away. */
interface NumberedVector {
  number: number;
  unit: Float32Array | undefined;
}

/** Writes and takes away vectors, in the nearest-neighbour index too where there is one. */
export function* writeVectors(
  { inNumbers }: SqlDialect,
  { nearestDimensions }: IndexStateRow,
  vectors: readonly NumberedVector[],
): SqlSteps<void> {
  const gone = JSON.stringify(
    vectors.filter(({ unit }) => unit === undefined).map(({ number }) => number),
  );
  const kept = vectors.flatMap(({ number, unit }) =>
    unit === undefined ? [] : [{ number, unit }],
  );
  if (gone !== "[]") yield* run(`DELETE FROM ccl_search_vectors WHERE document ${inNumbers}`, gone);
  yield* insertRows(
    `INSERT INTO ccl_search_vectors (document, vector) VALUES ROWS
     ON CONFLICT (document) DO UPDATE SET vector = excluded.vector`,
    kept.map(({ number, unit }) => [number, bytesOfFloats(unit)]),
  );
  if (nearestDimensions === 0) return;
  if (gone !== "[]") yield* run(`DELETE FROM ccl_search_nearest WHERE document ${inNumbers}`, gone);
  yield* insertRows(
    `INSERT INTO ccl_search_nearest (document, embedding) VALUES ROWS
     ON CONFLICT (document) DO UPDATE SET embedding = excluded.embedding`,
    kept.map(({ number, unit }) => [number, vectorText(unit)]),
  );
}

/** A vector as pgvector reads it. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(",")}]`;
}

/** What a scan needs. */
export interface VectorScan {
  vector: Float32Array;
  dimensions: number;
  /** Slot of a document that may be found; undefined for others. */
  slotOf(document: number): number | undefined;
  /** The only documents worth reading; all where absent. */
  documents?: readonly number[] | undefined;
}

/** About as many bytes are read at once. */
const batchBytes = 4_000_000;

/** Cosines of all vectors that may be found, in batches. */
export function* scanVectors(
  { inNumbers }: SqlDialect,
  { vector, dimensions, slotOf, documents }: VectorScan,
): SqlSteps<ScoredSlot[]> {
  const size = Math.max(64, Math.floor(batchBytes / (4 * dimensions)));
  const found: ScoredSlot[] = [];
  const isWorthReading = documents === undefined ? "" : `document ${inNumbers} AND`;
  const listed = documents === undefined ? [] : [JSON.stringify(documents)];
  for (let after = -1; ;) {
    const select = `SELECT document, vector FROM ccl_search_vectors WHERE ${isWorthReading} document > ? ORDER BY document LIMIT ?`;
    const rows = yield* rowsOf(select, ...listed, after, size);
    const vectors = { ...createVectorTable("float32"), dimensions };
    for (const row of rows) {
      after = Number(row["document"]);
      const slot = slotOf(after);
      if (slot === undefined) continue;
      const values = floatsOfBytes(row["vector"]);
      if (values?.length !== dimensions)
        throw damagedIndex(`a vector has not the ${dimensions} dimensions of the index`);
      vectors.rows.set(slot, { values, scale: 1 });
    }
    found.push(...scoreVectors(vectors, vector));
    if (rows.length < size) return found;
  }
}

/** How the nearest vectors are sought in a nearest-neighbour index. */
export interface NearestQuery {
  vector: Float32Array;
  limit: number;
  /** The only documents that count, compared exactly; all, through the index, where absent. */
  documents?: readonly number[] | undefined;
}

/** Nearest first, with their cosines. */
export function* findNearest(
  { inNumbers }: SqlDialect,
  { vector, limit, documents }: NearestQuery,
): SqlSteps<{ document: number; score: number }[]> {
  const text = vectorText(vector);
  const cosine = "1 - (embedding <=> ?::vector) AS score";
  if (documents === undefined) {
    // Set for the transaction; the index gives no more than it looks at.
    yield* run(`SET LOCAL hnsw.ef_search = ${Math.min(1000, Math.max(40, limit))}`);
    const select = `SELECT document, ${cosine} FROM ccl_search_nearest ORDER BY embedding <=> ?::vector LIMIT ?`;
    return (yield* rowsOf(select, text, text, limit)).map(scoredOf);
  }
  // The sum keeps the planner from the index, which would look at hidden documents first and stop.
  const select = `SELECT document, ${cosine} FROM ccl_search_nearest WHERE document ${inNumbers}
    ORDER BY (embedding <=> ?::vector) + 0 LIMIT ?`;
  return (yield* rowsOf(select, text, JSON.stringify(documents), text, limit)).map(scoredOf);
}

function scoredOf(row: Record<string, unknown>): { document: number; score: number } {
  return { document: Number(row["document"]), score: Number(row["score"]) };
}
