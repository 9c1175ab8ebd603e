import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeTransaction } from "./write-transaction.ts";

describe("writeTransaction", () => {
  let client: PGlite;
  beforeAll(async () => {
    client = await PGlite.create();
    await client.exec("CREATE TABLE runs (number integer)");
  });
  afterAll(() => client.close());
  beforeEach(() => client.exec("TRUNCATE runs"));

  /** Fails with a code for the first so many times that it runs. */
  function failing(code: string, times: number): Promise<number> {
    let runs = 0;
    return writeTransaction(
      client,
      async (on) => {
        runs += 1;
        await on.query("INSERT INTO runs VALUES ($1)", [runs]);
        if (runs <= times)
          await on.exec(`DO $$ BEGIN RAISE EXCEPTION 'wanted' USING ERRCODE = '${code}'; END $$`);
        return runs;
      },
      undefined,
    );
  }

  const rows = async (): Promise<unknown[]> => (await client.query("SELECT number FROM runs")).rows;

  it.each(["40P01", "40001"])(
    "is run again after %s, and keeps what its last run wrote",
    async (code) => {
      expect(await failing(code, 4)).toBe(5);
      expect(await rows()).toEqual([{ number: 5 }]);
    },
  );

  it.each([
    ["40P01", 5],
    ["55P03", 1],
    ["23505", 1],
  ])("passes %s on after %d runs", async (code, times) => {
    await expect(failing(code, times)).rejects.toMatchObject({ cause: { code } });
    expect(await rows()).toEqual([]);
  });
});
