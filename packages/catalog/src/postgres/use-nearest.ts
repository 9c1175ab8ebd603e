import { insertRows, rowsOf, run, type SqlSteps } from "@ccl/sql";
import { CatalogError } from "../catalog-error.ts";
import { damagedIndex } from "../search/search-errors.ts";
import { floatsOfBytes } from "../sql/float-bytes.ts";
import { lockState, saveState, type IndexStateRow } from "../sql/index-state-row.ts";
import { vectorText } from "../sql/vector-steps.ts";

/** pgvector indexes no longer ones. */
const mostIndexed = 2_000;
const rowsAtOnce = 500;

/**
 * Makes the table of pgvector where the extension is there and the table is not, and fills it with the vectors that are
 * kept. From then on every writer keeps it up to date, whatever it was opened with.
 */
export function* useNearest(dimensions: number): SqlSteps<void> {
  const state = yield* lockState();
  const [table] = yield* rowsOf("SELECT to_regclass('ccl_search_nearest') IS NOT NULL AS is_there");
  if (table?.["is_there"] === true && state.nearestDimensions === dimensions) return;
  if (table?.["is_there"] === true) throw otherDimensions(dimensions, state.nearestDimensions);
  const [extension] = yield* rowsOf("SELECT 1 FROM pg_extension WHERE extname = 'vector'");
  if (extension === undefined) {
    // The table was dropped, perhaps with its extension: nobody may write to it any more.
    if (state.nearestDimensions !== 0) yield* saveState({ ...state, nearestDimensions: 0 });
    return;
  }
  yield* fillNearest(state, dimensions);
}

function* fillNearest(state: IndexStateRow, dimensions: number): SqlSteps<void> {
  const [row] = yield* rowsOf("SELECT count(*) AS kept FROM ccl_search_vectors");
  const isEmpty = Number(row?.["kept"]) === 0;
  if (!isEmpty && state.dimensions !== dimensions)
    throw otherDimensions(dimensions, state.dimensions);
  yield* run(
    `CREATE TABLE ccl_search_nearest (document INTEGER PRIMARY KEY, embedding vector(${dimensions}) NOT NULL)`,
  );
  for (let after = -1; ;) {
    const select =
      "SELECT document, vector FROM ccl_search_vectors WHERE document > ? ORDER BY document LIMIT ?";
    const rows = yield* rowsOf(select, after, rowsAtOnce);
    const values = rows.map((kept): [number, string] => {
      after = Number(kept["document"]);
      const vector = floatsOfBytes(kept["vector"]);
      if (vector === undefined) throw damagedIndex("a vector is no list of numbers");
      return [after, vectorText(vector)];
    });
    yield* insertRows("INSERT INTO ccl_search_nearest (document, embedding) VALUES ROWS", values);
    if (rows.length < rowsAtOnce) break;
  }
  if (dimensions <= mostIndexed) {
    yield* run(
      "CREATE INDEX ccl_search_nearest_cosine ON ccl_search_nearest USING hnsw (embedding vector_cosine_ops)",
    );
  }
  yield* saveState({ ...state, nearestDimensions: dimensions });
}

function otherDimensions(wanted: number, found: number): CatalogError {
  const message = `\`dimensions\` is ${wanted}, but the index keeps vectors of ${found}; open it with ${found}, or put all records anew.`;
  return new CatalogError("invalid_options", message);
}
