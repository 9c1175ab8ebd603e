import type { SqlDialect } from "./sql-dialect.ts";

/**
 * The tables of a store. `id_key` is the id's code units in hex; a removed resource keeps its row without a record, so
 * that its removal is a change like others. `version` is the store's, counted in one row, which writers lock.
 */
export function storeTables({ textKey, bytes }: SqlDialect): string {
  return `
CREATE TABLE ccl_catalog_state (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), version BIGINT NOT NULL);
INSERT INTO ccl_catalog_state (only_row, version) VALUES (1, 0);
CREATE TABLE ccl_catalog_resources (
  id_key ${textKey} PRIMARY KEY,
  version BIGINT NOT NULL UNIQUE,
  record TEXT,
  sha256 TEXT
);
CREATE TABLE ccl_catalog_history (
  id_key ${textKey} NOT NULL,
  position BIGINT NOT NULL,
  entry TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (id_key, position)
);
CREATE TABLE ccl_catalog_vectors (
  embedder_key ${textKey} NOT NULL,
  hash_key ${textKey} NOT NULL,
  vector ${bytes} NOT NULL,
  PRIMARY KEY (embedder_key, hash_key)
);`;
}
