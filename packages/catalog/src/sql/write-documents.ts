import { insertRows, rowsOf, run, type SqlRow, type SqlSteps, sortKeyOf } from "@ccl/sql";
import { checkVector, unitOf } from "@ccl/search/engine";

import { CatalogError } from "../catalog-error.ts";
import { blockSize } from "./index-tables.ts";
import { lockState, saveState, type IndexStateRow } from "./index-state-row.ts";
import { keptTermsOf, type IndexedDocument } from "./indexed-document.ts";
import { encodeEntry } from "./posting-block.ts";
import {
  addEntry,
  createPostingEdits,
  dropEntry,
  writePostings,
  type PostingEdits,
} from "./posting-edits.ts";
import { type SqlDialect } from "./sql-dialect.ts";
import { writeVectors } from "./vector-steps.ts";

/** A row of a document that was there before. */
interface KnownDocument {
  document: number;
  /** Undefined for one that was removed. */
  sha256: string | undefined;
  terms: readonly string[];
}

/** A change on its way: the state to be saved, and the postings to be rewritten. */
interface Change {
  state: IndexStateRow;
  edits: PostingEdits;
}

/** Adds or replaces documents; those that are there as they are stay untouched. */
export function* putDocuments(
  dialect: SqlDialect,
  documents: readonly IndexedDocument[],
): SqlSteps<void> {
  const state = yield* lockState();
  const known = yield* readKnown(
    dialect,
    documents.map(({ id }) => id),
  );
  const dimensions = yield* checkVectors(dialect, { documents, known, state });
  const changed = documents.filter(({ id, sha256 }) => known.get(id)?.sha256 !== sha256);
  if (changed.length === 0) return;
  const change = { state: { ...state, dimensions }, edits: createPostingEdits(state.nextDocument) };
  const numbered = changed.map((document) => {
    const before = known.get(document.id);
    if (before?.sha256 !== undefined) forget(change, before);
    const number = before?.document ?? change.state.nextDocument++;
    remember(change, document, number);
    return { document, number };
  });
  yield* writePostings(dialect, change.edits);
  yield* insertRows(
    `INSERT INTO ccl_search_documents (document, id_key, changed, sha256, body, terms) VALUES ROWS
     ON CONFLICT (document) DO UPDATE SET changed = excluded.changed, sha256 = excluded.sha256, body = excluded.body,
       terms = excluded.terms`,
    numbered.map(({ document: { id, sha256, body, text }, number }) => {
      return [
        number,
        sortKeyOf(id),
        state.generation,
        sha256,
        JSON.stringify(body),
        JSON.stringify(text.terms),
      ];
    }),
  );
  const vectors = numbered.map(({ document, number }) => ({
    number,
    unit: document.vector && unitOf(document.vector),
  }));
  yield* writeVectors(dialect, change.state, vectors);
  yield* saveState(change.state);
}

/** Takes documents out; unknown ids are passed over. */
export function* removeDocuments(dialect: SqlDialect, ids: readonly string[]): SqlSteps<void> {
  const state = yield* lockState();
  const known = yield* readKnown(dialect, ids);
  const live = [...known.values()].filter(({ sha256 }) => sha256 !== undefined);
  if (live.length === 0) return;
  const change = { state, edits: createPostingEdits(state.nextDocument) };
  for (const document of live) forget(change, document);
  yield* writePostings(dialect, change.edits);
  yield* run(
    `UPDATE ccl_search_documents SET changed = ?, sha256 = NULL, body = NULL, terms = NULL
     WHERE document ${dialect.inNumbers}`,
    state.generation,
    JSON.stringify(live.map(({ document }) => document)),
  );
  const vectors = live.map(({ document }) => ({ number: document, unit: undefined }));
  yield* writeVectors(dialect, state, vectors);
  yield* saveState(state);
}

function* readKnown(
  { inTexts }: SqlDialect,
  ids: readonly string[],
): SqlSteps<Map<string, KnownDocument>> {
  const select = `SELECT document, id_key, sha256, terms FROM ccl_search_documents WHERE id_key ${inTexts}`;
  const rows = yield* rowsOf(select, JSON.stringify(ids.map(sortKeyOf)));
  const byKey = new Map(rows.map((row) => [row["id_key"], knownOf(row)]));
  return new Map(
    ids.flatMap((id): [string, KnownDocument][] => {
      const known = byKey.get(sortKeyOf(id));
      return known === undefined ? [] : [[id, known]];
    }),
  );
}

function knownOf(row: SqlRow): KnownDocument {
  const document = Number(row["document"]);
  if (row["sha256"] === null) return { document, sha256: undefined, terms: [] };
  return { document, sha256: String(row["sha256"]), terms: keptTermsOf(row) };
}

/** As in memory: a vector must be as long as those that stay, and where none stays, as the first of the batch. */
function* checkVectors(
  { inNumbers }: SqlDialect,
  {
    documents,
    known,
    state,
  }: {
    documents: readonly IndexedDocument[];
    known: ReadonlyMap<string, KnownDocument>;
    state: IndexStateRow;
  },
): SqlSteps<number> {
  const given = documents.filter(({ vector }) => vector !== undefined);
  if (given.length === 0) return state.dimensions;
  const numbers = JSON.stringify([...known.values()].map(({ document }) => document));
  const [row] = yield* rowsOf(
    `SELECT count(*) AS staying FROM ccl_search_vectors WHERE NOT (document ${inNumbers})`,
    numbers,
  );
  let expected = Number(row?.["staying"]) === 0 ? 0 : state.dimensions;
  for (const { id, vector } of given) {
    if (vector === undefined) continue;
    checkVector(vector, expected, `the resource ${JSON.stringify(id.slice(0, 80))}`);
    expected = vector.length;
  }
  if (state.nearestDimensions !== 0 && expected !== state.nearestDimensions) {
    const message = `The vectors have ${expected} dimensions, the database's own vector index ${state.nearestDimensions}; drop the table ccl_search_nearest and open the index with \`dimensions: ${expected}\`.`;
    throw new CatalogError("invalid_options", message);
  }
  return expected;
}

function forget({ edits }: Change, { document, terms }: KnownDocument): void {
  for (const term of terms) dropEntry(edits, term, document);
}

function remember({ edits }: Change, { text }: IndexedDocument, number: number): void {
  text.terms.forEach((term, at) => {
    addEntry(edits, {
      term,
      document: number,
      entry: encodeEntry(number % blockSize, text.occurrences[at] ?? []),
    });
  });
}
