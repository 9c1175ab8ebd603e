import type { SqlDialect } from "./sql-dialect.ts";

/** Documents whose occurrences of a term stand in one row. */
export const blockSize = 1024;

/**
 * The tables of an index. A document keeps its number for good; a removed one keeps its row without a body, so that other
 * processes see by `changed` (the generation of its last change) that it is gone. `entries` is described in `posting-block.ts`.
 */
export function indexTables({ textKey, bytes, keyOrder }: SqlDialect): string {
  return `
CREATE TABLE ccl_search_state (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  analyzer TEXT NOT NULL,
  generation BIGINT NOT NULL,
  next_document INTEGER NOT NULL,
  dimensions INTEGER NOT NULL,
  nearest_dimensions INTEGER NOT NULL
);
CREATE TABLE ccl_search_documents (
  document INTEGER PRIMARY KEY,
  id_key ${textKey} NOT NULL UNIQUE,
  changed BIGINT NOT NULL,
  sha256 TEXT,
  body TEXT,
  terms TEXT
);
CREATE INDEX ccl_search_documents_changed ON ccl_search_documents (changed);
CREATE TABLE ccl_search_postings (
  term ${textKey} NOT NULL,
  block INTEGER NOT NULL,
  entries ${bytes} NOT NULL,
  PRIMARY KEY (term, block)
) ${keyOrder};
CREATE TABLE ccl_search_vectors (document INTEGER PRIMARY KEY, vector ${bytes} NOT NULL);`;
}
