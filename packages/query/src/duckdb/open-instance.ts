import type { DuckDBConnection } from "@duckdb/node-api";
import type { DuckDbModule } from "./duckdb-values.ts";
import { engineError } from "./result-chunks.ts";

/** Settings of an instance. */
export interface InstanceSettings {
  threads?: number;
  memoryMiB?: number;
  /** DuckDB's `default_null_order`. */
  nullOrder?: string;
}

/** A database in memory. */
export interface Instance {
  connect(): Promise<DuckDBConnection>;
  /** Waits for connections that are still opening, since opening one on a closed instance crashes the process. */
  close(): Promise<void>;
}

/**
 * Opens an in-memory DuckDB with locked settings. It loads no extensions and reads only files that the statement
 * `allowed` permits.
 */
export async function openInstance(
  duckdb: DuckDbModule,
  { threads = 2, memoryMiB = 512, nullOrder = "NULLS_LAST" }: InstanceSettings,
  allowed = "",
): Promise<Instance> {
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    threads: String(threads),
    memory_limit: `${memoryMiB}MiB`,
    default_null_order: nullOrder,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  try {
    const connection = await instance.connect();
    await connection.run(
      `SET TimeZone = 'UTC'; SET temp_directory = ''; ${allowed} SET enable_external_access = false; SET lock_configuration = true`,
    );
    connection.closeSync();
  } catch (error) {
    instance.closeSync();
    throw engineError(error);
  }
  let opening: Promise<unknown> = Promise.resolve();
  return {
    connect() {
      const connecting = instance.connect();
      opening = Promise.allSettled([opening, connecting]);
      return connecting;
    },
    async close() {
      await opening;
      instance.closeSync();
    },
  };
}
