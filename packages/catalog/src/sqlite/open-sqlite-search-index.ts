import { createAnalyzer, type Analyzer, type TextWeights } from "@ccl/search";
import { migrate, type SqliteDatabase } from "@ccl/sql";

import type { SearchField } from "../search/searchable-fields.ts";
import { textWeightsOf } from "../search/text-weights.ts";
import { createSqlSearchIndex, type SqlSearchIndex } from "../sql/create-sql-search-index.ts";
import { claimIndex } from "../sql/index-state-row.ts";
import { indexTables } from "../sql/index-tables.ts";
import { catalogErrorOf, createSqliteRunner } from "../sql/sql-runner.ts";
import { sqliteDialect } from "../sql/sql-dialect.ts";

/** Where the index is kept, and how texts are read. */
export interface SqliteSearchIndexOptions {
  /** As `openSqlite` of @ccl/sql gives it; it stays open when the index is closed. */
  database: SqliteDatabase;
  /** English and Russian, identifiers split, where absent; the same one for the life of the index. */
  analyzer?: Analyzer | undefined;
  /** Those that were measured best where absent. */
  weights?: Partial<TextWeights<SearchField>> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * A search index in SQLite, in tables that are made where they are missing, beside a catalog's or apart. It finds what the
 * index in memory finds, in the same order, and compares vectors one by one.
 * @throws CatalogError `invalid_options` when another analyzer made the index; `index_failed` or `aborted`
 */
export async function openSqliteSearchIndex(
  options: SqliteSearchIndexOptions,
): Promise<SqlSearchIndex> {
  const { database, analyzer = createAnalyzer(), signal } = options;
  const runner = createSqliteRunner(database);
  const migrations = [{ version: 1, up: indexTables(sqliteDialect) }];
  try {
    const call = signal === undefined ? {} : { signal };
    await migrate(database, { component: "catalog_search", migrations, ...call });
    await runner.run(() => claimIndex(analyzer.name), { mode: "write", signal });
  } catch (error) {
    throw catalogErrorOf(error, "index");
  }
  return createSqlSearchIndex({
    runner,
    analyzer,
    weights: textWeightsOf(options.weights),
  });
}
