import { rowsOf, type SqlRow, type SqlSteps, textOfSortKey } from "@ccl/sql";
import {
  addDocument,
  createDocumentTable,
  needsCompaction,
  removeDocument,
  type DocumentTable,
} from "@ccl/search/engine";

import type { IndexStateRow } from "./index-state-row.ts";
import { bodyOf } from "./indexed-document.ts";

/** Ids, containers and facets of all documents, as of a generation; postings and vectors stay in the database. */
export interface ResidentDocuments {
  table: DocumentTable;
  generation: number;
  /** Slot by document number; undefined where there is none. */
  slots: (number | undefined)[];
  /** Document number by slot. */
  documents: number[];
}

/** Those of an empty index. */
export function createResidentDocuments(): ResidentDocuments {
  return { table: createDocumentTable(), generation: 0, slots: [], documents: [] };
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

/** Takes changes in, and returns the documents as they are then; the ones before may still be in use. */
export function takeIn(
  before: ResidentDocuments,
  rows: readonly SqlRow[],
  generation: number,
): ResidentDocuments {
  // Another search may have seen a later state meanwhile.
  if (generation <= before.generation) return before;
  for (const row of rows) takeInRow(before, row);
  before.generation = generation;
  return needsCompaction(before.table) ? compacted(before) : before;
}

function takeInRow(resident: ResidentDocuments, row: SqlRow): void {
  const id = textOfSortKey(String(row["id_key"]));
  const document = Number(row["document"]);
  removeDocument(resident.table, id);
  resident.slots[document] = undefined;
  if (row["body"] !== null) add(resident, document, { id, ...bodyOf(row) });
}

function add(
  { table, slots, documents }: ResidentDocuments,
  document: number,
  body: Parameters<typeof addDocument>[1],
): void {
  const slot = addDocument(table, body);
  slots[document] = slot;
  documents[slot] = document;
}

/** The same without the slots of documents that are gone. */
function compacted({ table, generation, documents }: ResidentDocuments): ResidentDocuments {
  const fresh = { ...createResidentDocuments(), generation };
  const containers = new Map([...table.containerNumbers].map(([name, number]) => [number, name]));
  for (const [id, slot] of table.slots) {
    const container = containers.get(table.containers[slot] ?? 0) ?? id;
    add(fresh, documents[slot] ?? 0, {
      id,
      container,
      facets: table.facets[slot] ?? [],
      lengths: table.lengths[slot] ?? [],
    });
  }
  return fresh;
}
