import { rowsOf, type SqlRow, type SqlSteps } from "@ccl/sql";
import { createVectorTable, removeVector, type VectorTable } from "@ccl/search/engine";

import { damagedIndex } from "../search/search-errors.ts";
import { floatsOfBytes } from "./float-bytes.ts";
import type { IndexStateRow } from "./index-state-row.ts";

/** All vectors at hand by the numbers of their documents, as of a generation of the index. */
export interface ResidentVectors {
  table: VectorTable;
  generation: number;
}

/** More than this is read from the database at each search, as it stands there. */
const maxBytes = 256 * 1024 * 1024;
const bytesAtOnce = 4_000_000;

/** Nothing yet. */
export function createResidentVectors(): ResidentVectors {
  return { table: createVectorTable("float32"), generation: 0 };
}

/** Whether so many vectors may be kept at hand. */
export function canHoldVectors(documents: number, dimensions: number): boolean {
  return documents * dimensions * 4 <= maxBytes;
}

/** Brings the vectors at hand up to what the transaction sees: only those of changed documents are read. */
export function* followVectors(
  resident: ResidentVectors,
  state: IndexStateRow,
): SqlSteps<VectorTable> {
  if (state.generation > resident.generation) {
    const rows: SqlRow[] = [];
    const size = Math.max(64, Math.floor(bytesAtOnce / (4 * state.dimensions)));
    const since = resident.generation;
    for (let after = -1, isMore = true; isMore;) {
      const page = yield* rowsOf(
        `SELECT d.document AS document, v.vector AS vector FROM ccl_search_documents d
         LEFT JOIN ccl_search_vectors v ON v.document = d.document
         WHERE d.changed > ? AND d.document > ? ORDER BY d.document LIMIT ?`,
        since,
        after,
        size,
      );
      rows.push(...page);
      after = Number(page.at(-1)?.["document"]);
      isMore = page.length === size;
    }
    takeIn(resident, rows, state);
  }
  return resident.table;
}

function takeIn(
  resident: ResidentVectors,
  rows: readonly SqlRow[],
  { generation, dimensions }: IndexStateRow,
): void {
  // Another search may have taken in a later state meanwhile.
  if (generation <= resident.generation) return;
  const vectors = rows.map((row): [number, Float32Array | undefined] => {
    const bytes = row["vector"];
    const values = bytes === null ? undefined : floatsOfBytes(bytes);
    if (bytes !== null && values?.length !== dimensions)
      throw damagedIndex(`a vector has not the ${dimensions} dimensions of the index`);
    return [Number(row["document"]), values];
  });
  const { table } = resident;
  for (const [document] of vectors) removeVector(table, document);
  table.dimensions = dimensions;
  for (const [document, values] of vectors)
    if (values !== undefined) table.rows.set(document, { values, scale: 1 });
  resident.generation = generation;
}
