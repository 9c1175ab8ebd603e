import { expect, it } from "vitest";

import { openSqlite } from "../node/open-sqlite.ts";
import { transaction } from "../transaction/transaction.ts";
import { numberIn } from "./column-values.ts";
import { runSqlSteps } from "./run-sql-steps.ts";
import { rowsOf, type SqlSteps } from "./sql-steps.ts";

function* count(): SqlSteps<number> {
  const [row] = yield* rowsOf("SELECT count(*) AS n FROM t WHERE x > ?", 0);
  return row === undefined ? -1 : numberIn(row, "n");
}

it("reads one statement without a transaction, and no rolled-back data", async () => {
  const database = await openSqlite({ path: ":memory:" });
  database.exec("CREATE TABLE t (x integer)");
  let counted: Promise<number> | undefined;
  const failed = transaction(database, async (on) => {
    on.exec("INSERT INTO t VALUES (1)");
    counted = runSqlSteps(database, count, { mode: "statement" });
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error("rolled back");
  });
  await expect(failed).rejects.toThrow("rolled back");
  expect(await counted).toBe(0);
  database.exec("BEGIN");
  database.exec("INSERT INTO t VALUES (2)");
  expect(await runSqlSteps(database, count, { mode: "statement" })).toBe(1);
  database.exec("COMMIT");
  await transaction(database, async (on) => {
    on.exec("INSERT INTO t VALUES (3)");
    expect(await runSqlSteps(on, count, { mode: "statement" })).toBe(2);
  });
  database.close();
});
