import { rowsOf, run, type SqlRow, type SqlSteps } from "@ccl/sql";
import { CatalogError } from "../catalog-error.ts";
import { damagedIndex } from "../search/search-errors.ts";

/** What is known of all documents of an index together. */
export interface IndexStateRow {
  analyzer: string;
  /** Counts up with each change. */
  generation: number;
  /** The number that the next new document gets. */
  nextDocument: number;
  /** Of the vectors; 0 before the first. */
  dimensions: number;
  /** Of the vectors that a nearest-neighbour index keeps too; 0 where there is none. */
  nearestDimensions: number;
}

/** Writes the one row where it is missing. @throws CatalogError `invalid_options` if another analyzer built the index */
export function* claimIndex(analyzer: string): SqlSteps<void> {
  yield* run(
    `INSERT INTO ccl_search_state VALUES (1, ?, 0, 0, 0, 0) ON CONFLICT (only_row) DO NOTHING`,
    analyzer,
  );
  const { analyzer: found } = yield* readState();
  if (found === analyzer) return;
  const message = `The index was built by the analyzer ${JSON.stringify(found)}, not ${JSON.stringify(analyzer)}; drop its tables and put the records again.`;
  throw new CatalogError("invalid_options", message);
}

/** The row as it is. */
export function* readState(): SqlSteps<IndexStateRow> {
  return stateOf(yield* rowsOf("SELECT * FROM ccl_search_state"));
}

/** The row with its generation counted up; others who write wait from now on. */
export function* lockState(): SqlSteps<IndexStateRow> {
  const update =
    "UPDATE ccl_search_state SET generation = generation + 1 WHERE only_row = 1 RETURNING *";
  return stateOf(yield* rowsOf(update));
}

/** Writes the row that was locked. */
export function* saveState(state: IndexStateRow): SqlSteps<void> {
  yield* run(
    "UPDATE ccl_search_state SET next_document = ?, dimensions = ?, nearest_dimensions = ? WHERE only_row = 1",
    state.nextDocument,
    state.dimensions,
    state.nearestDimensions,
  );
}

function stateOf([row]: readonly SqlRow[]): IndexStateRow {
  if (row === undefined) throw damagedIndex("its row of totals is gone");
  return {
    analyzer: String(row["analyzer"]),
    generation: Number(row["generation"]),
    nextDocument: Number(row["next_document"]),
    dimensions: Number(row["dimensions"]),
    nearestDimensions: Number(row["nearest_dimensions"]),
  };
}
