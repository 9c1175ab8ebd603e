import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  hasPostgres,
  openTestDatabase,
  type TestDatabase,
} from "../test-support/open-test-database.ts";
import { killWorkers, requireBuilt, startWorker } from "../test-support/worker-process.ts";

if (!hasPostgres)
  console.warn("PostgreSQL is not installed: workers that open together are not tried.");

describe.skipIf(!hasPostgres)("workers of several processes", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    requireBuilt();
    database = await openTestDatabase();
  });
  afterAll(async () => {
    killWorkers();
    await database.close();
  });

  it("all open at the same time where DBOS has no tables yet", async () => {
    const names = ["first", "second", "third"];
    const workers = await Promise.all(
      names.map((name) => startWorker({ name, url: database.url })),
    );
    expect(workers.map(({ name }) => name)).toEqual(names);
    await Promise.all(workers.map((worker) => worker.close()));
  });
});
