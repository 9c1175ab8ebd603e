import type { DBOS } from "@dbos-inc/dbos-sdk";
import type pg from "pg";
import { expectTypeOf, test } from "vitest";

import type { DbosSdk, PostgresPool } from "./dbos-sdk.ts";

test("the class DBOS and a pool of pg are what a worker takes", () => {
  expectTypeOf<typeof DBOS>().toExtend<DbosSdk>();
  expectTypeOf<pg.Pool>().toExtend<PostgresPool>();
});
