import { createAnalyzer, type Analyzer, type TextWeights } from "@ccl/search";
import { migrate, type PostgresClient } from "@ccl/sql";

import { CatalogError } from "../catalog-error.ts";
import type { SearchField } from "../search/searchable-fields.ts";
import { textWeightsOf } from "../search/text-weights.ts";
import { createSqlSearchIndex, type SqlSearchIndex } from "../sql/create-sql-search-index.ts";
import { claimIndex } from "../sql/index-state-row.ts";
import { indexTables } from "../sql/index-tables.ts";
import { catalogErrorOf, createPostgresRunner } from "../sql/sql-runner.ts";
import { postgresDialect } from "../sql/sql-dialect.ts";
import { useNearest } from "./use-nearest.ts";

/** Where the index is kept, and how texts are read. */
export interface PostgresSearchIndexOptions {
  /** pg's `Pool` or `Client`, or PGlite; it stays open when the index is closed. */
  client: PostgresClient;
  /**
   * Of the vectors, 1 to 16,000. With it, and where the database has the extension `vector` (`CREATE EXTENSION vector` is
   * yours to run), vectors are found through an HNSW index, from 2,001 on without one; else they are compared one by one.
   */
  dimensions?: number | undefined;
  /** English and Russian, identifiers split, where absent; the same one for the life of the index. */
  analyzer?: Analyzer | undefined;
  /** Those that were measured best where absent. */
  weights?: Partial<TextWeights<SearchField>> | undefined;
  signal?: AbortSignal | undefined;
}

const mostDimensions = 16_000;

/**
 * A search index in PostgreSQL, in tables that are made where they are missing, beside a catalog's or apart. By words it
 * finds what the index in memory finds, in the same order.
 * @throws CatalogError `invalid_options` when another analyzer made the index, or its vectors have other dimensions;
 *   `index_failed` or `aborted`
 */
export async function openPostgresSearchIndex(
  options: PostgresSearchIndexOptions,
): Promise<SqlSearchIndex> {
  const { client, dimensions, analyzer = createAnalyzer(), signal } = options;
  if (
    dimensions !== undefined &&
    !(Number.isSafeInteger(dimensions) && dimensions >= 1 && dimensions <= mostDimensions)
  ) {
    const message = `\`dimensions\` must be a whole number from 1 to ${mostDimensions}, not ${dimensions}.`;
    throw new CatalogError("invalid_options", message);
  }
  const runner = createPostgresRunner(client);
  const migrations = [{ version: 1, up: indexTables(postgresDialect) }];
  try {
    const call = signal === undefined ? {} : { signal };
    await migrate(client, { component: "catalog_search", migrations, ...call });
    await runner.run(() => claimIndex(analyzer.name), { mode: "write", signal });
    if (dimensions !== undefined)
      await runner.run(() => useNearest(dimensions), { mode: "write", signal });
  } catch (error) {
    throw catalogErrorOf(error, "index");
  }
  return createSqlSearchIndex({
    runner,
    analyzer,
    weights: textWeightsOf(options.weights),
  });
}
