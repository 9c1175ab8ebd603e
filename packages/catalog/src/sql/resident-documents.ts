import { addFacets } from "../search/facet-table.ts";
import {
  createIndexState,
  needsCompaction,
  removeDocument,
  takeSlot,
  type IndexState,
} from "../search/index-state.ts";
import { fieldCount } from "../search/postings.ts";
import type { IndexStateRow } from "./index-state-row.ts";
import { bodyOf } from "./indexed-document.ts";
import { textOfSortKey } from "./sql-keys.ts";
import { rowsOf, type SqlRow, type SqlSteps } from "./sql-steps.ts";

/** Ids, containers and facets of all documents, as of a generation; postings and vectors stay in the database. */
export interface ResidentDocuments {
  state: IndexState;
  generation: number;
  /** Slot by document number; undefined where there is none. */
  slots: (number | undefined)[];
  /** Document number by slot. */
  documents: number[];
}

/** Those of an empty index. */
export function createResidentDocuments(): ResidentDocuments {
  return { state: createIndexState("float32"), generation: 0, slots: [], documents: [] };
}

/** Rows of what has changed since. */
export function* readChanges(
  resident: ResidentDocuments,
  { generation }: IndexStateRow,
): SqlSteps<SqlRow[]> {
  if (generation <= resident.generation) return [];
  const select = "SELECT document, id_key, body FROM ccl_search_documents WHERE changed > ?";
  return yield* rowsOf(select, resident.generation);
}

/** Takes changes in, and gives the documents as they are then; the ones before may still be in use. */
export function takeIn(
  before: ResidentDocuments,
  rows: readonly SqlRow[],
  generation: number,
): ResidentDocuments {
  // Another search may have seen a later state meanwhile.
  if (generation <= before.generation) return before;
  for (const row of rows) takeInRow(before, row);
  before.generation = generation;
  return needsCompaction(before.state) ? compacted(before) : before;
}

const noTerms = new Int32Array(0);

function takeInRow({ state, slots, documents }: ResidentDocuments, row: SqlRow): void {
  const id = textOfSortKey(String(row["id_key"]));
  const document = Number(row["document"]);
  removeDocument(state, id);
  slots[document] = undefined;
  if (row["body"] === null) return;
  const { container, facets } = bodyOf(row);
  const slot = takeSlot(state, id, container);
  addFacets(state.facets, slot, facets);
  reserveLengths(state, slot);
  state.text.slotTerms[slot] = noTerms;
  slots[document] = slot;
  documents[slot] = document;
}

function reserveLengths({ text }: IndexState, slot: number): void {
  if ((slot + 1) * fieldCount <= text.lengths.length) return;
  const grown = new Uint32Array(Math.ceil(text.lengths.length * 1.6) + fieldCount * 2);
  grown.set(text.lengths);
  text.lengths = grown;
}

/** The same without the slots of documents that are gone. */
function compacted({ state, generation, documents }: ResidentDocuments): ResidentDocuments {
  const fresh = { ...createResidentDocuments(), generation };
  const containers = new Map([...state.containerNumbers].map(([name, number]) => [number, name]));
  for (const [id, slot] of state.slots) {
    const facets = Array.from(
      state.facets.ofSlot[slot] ?? [],
      (number) => state.facets.facets[number] ?? (["", ""] as const),
    );
    const next = takeSlot(fresh.state, id, containers.get(state.containers[slot] ?? 0) ?? id);
    addFacets(fresh.state.facets, next, facets);
    reserveLengths(fresh.state, next);
    fresh.state.text.slotTerms[next] = noTerms;
    const document = documents[slot] ?? 0;
    fresh.slots[document] = next;
    fresh.documents[next] = document;
  }
  return fresh;
}
