import { createOperationStores, createRunEngine } from "@ccl/operations";
import { runExecutorConformance } from "../../operations/test-support/run-executor-conformance.ts";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  hasPostgres,
  openTestDatabase,
  type TestDatabase,
} from "../test-support/open-test-database.ts";
import { openDbosWorker, type DbosWorker } from "./open-dbos-worker.ts";

if (!hasPostgres)
  console.warn("PostgreSQL is not installed: the contract of executors is not tried on DBOS.");

describe.skipIf(!hasPostgres)("an executor on DBOS", () => {
  let database: TestDatabase;
  let worker: DbosWorker | undefined;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(async () => {
    await database.close();
  });

  const rules = runExecutorConformance({
    async open(options) {
      const runs = createOperationStores().runs;
      worker = await openDbosWorker({ dbos: DBOS, pool: database.pool, runs });
      const { executor } = worker;
      return { engine: createRunEngine({ ...options, runs, executor }), executor, runs };
    },
    close: async () => worker?.close({ waitMs: 0 }),
  });

  it.each(rules)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
