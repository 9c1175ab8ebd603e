import type { DuckDBInstance } from "@duckdb/node-api";
import type { DuckDbModule } from "./duckdb-values.ts";
import { engineError } from "./stream-query.ts";

/** How an instance runs. */
export interface InstanceSettings {
  threads?: number | undefined;
  memoryMiB?: number | undefined;
  /** DuckDB's `default_null_order`. */
  nullOrder?: string | undefined;
}

/** Opens DuckDB in memory with locked settings. It loads no extension and reads only files that `before` allows. */
export async function openInstance(
  duckdb: DuckDbModule,
  { threads = 2, memoryMiB = 512, nullOrder = "NULLS_LAST" }: InstanceSettings,
  before = "",
): Promise<DuckDBInstance> {
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
      `SET temp_directory = ''; ${before} SET enable_external_access = false; SET lock_configuration = true`,
    );
    connection.closeSync();
    return instance;
  } catch (error) {
    instance.closeSync();
    throw engineError(error);
  }
}
