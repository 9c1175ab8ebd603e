import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PostgresClient, PostgresSession } from "../postgres/postgres-client.ts";
import { createPostgresSession } from "../postgres/postgres-session.ts";
import { transaction } from "./transaction.ts";

const url = process.env["CCL_POSTGRES_URL"];
const kinds = ["PGlite", ...(url === undefined ? [] : ["pg.Pool", "pg.Client"])];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: PGlite only, without pg's pool and client.");

describe.each(kinds)("transaction on %s", (kind) => {
  const table = `ccl_sql_${kind.toLowerCase().replace(/\W/g, "_")}`;
  let client: PostgresClient;
  let close: () => Promise<void>;
  let session: PostgresSession;
  const values = async (on: PostgresSession = session): Promise<unknown[]> =>
    (await on.query(`SELECT a FROM ${table} ORDER BY a`)).map((row) => row["a"]);
  const insert = (on: PostgresSession, value: number) =>
    on.query(`INSERT INTO ${table} VALUES ($1)`, [value]);

  beforeAll(async () => {
    const connectionString = url ?? "";
    if (kind === "PGlite") {
      const lite = await PGlite.create();
      [client, close] = [lite, () => lite.close()];
    } else if (kind === "pg.Pool") {
      const pool = new pg.Pool({ connectionString, max: 3 });
      [client, close] = [pool, () => pool.end()];
    } else {
      const single = new pg.Client({ connectionString });
      await single.connect();
      [client, close] = [single, () => single.end()];
    }
    session = createPostgresSession(client);
  });
  afterAll(() => close());
  beforeEach(() =>
    session.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (a BIGINT UNIQUE)`),
  );
  afterEach(() => session.exec(`DROP TABLE ${table}`));

  it("commits what its action wrote, and returns its value", async () => {
    expect(await transaction(client, async (tx) => (await insert(tx, 1)).length)).toBe(0);
    expect(await values()).toEqual([1]);
  });

  it("rolls everything back when its action throws, and passes on its error", async () => {
    await expect(transaction(client, async (tx) => (await insert(tx, 1), fail()))).rejects.toThrow(
      "wanted",
    );
    await expect(transaction(client, () => fail())).rejects.toThrow("wanted");
    expect(await values()).toEqual([]);
  });

  it("rejects text that would be changed, before the server sees it", async () => {
    for (const text of ["a\u0000b", "a\ud83d", "\udc00\ud800"]) {
      await expect(session.query("SELECT $1::text", [text])).rejects.toMatchObject({
        code: "invalid_input",
      });
      await transaction(client, async (tx) => {
        await expect(tx.query("SELECT $1::text", [text])).rejects.toMatchObject({
          code: "invalid_input",
        });
      });
    }
    expect(await session.query("SELECT $1::text AS echo", ["a\u{1f600}"])).toEqual([
      { echo: "a\u{1f600}" },
    ]);
  });

  it("fails if an action continues after a failed statement, instead of silently committing nothing", async () => {
    const running = transaction(client, async (tx) => {
      await insert(tx, 1);
      await tx.query("SELECT 1/0").catch(() => undefined);
    });
    await expect(running).rejects.toMatchObject({ code: "statement_failed" });
    expect(await values()).toEqual([]);
  });

  it("nests as savepoints: an inner failure rolls back only the inner part", async () => {
    await transaction(client, async (outer) => {
      await insert(outer, 1);
      await expect(
        transaction(outer, async (inner) => (await insert(inner, 2), insert(inner, 1))),
      ).rejects.toMatchObject({
        code: "constraint",
      });
      await transaction(outer, async (inner) => {
        await insert(inner, 3);
        await Promise.all([4, 5].map((value) => transaction(inner, (deep) => insert(deep, value))));
      });
    });
    expect(await values()).toEqual([1, 3, 4, 5]);
  });

  it("isolates concurrent transactions", async () => {
    const run = (value: number) =>
      transaction(client, async (tx) => {
        await insert(tx, value);
        await tx.query("SELECT 1");
        if (value % 2 === 0) fail();
      }).catch(() => undefined);
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map(run));
    expect(await values()).toEqual([1, 3, 5, 7]);
  });

  it("does not include statements of another session", async () => {
    let beside: Promise<unknown> = Promise.resolve();
    const running = transaction(client, async (tx) => {
      await insert(tx, 1);
      beside = insert(session, 2);
      await transaction(tx, (inner) => insert(inner, 3));
      fail();
    });
    await expect(running).rejects.toThrow("wanted");
    await beside;
    expect(await values()).toEqual([2]);
  });

  it("runs statements that are not awaited one at a time", async () => {
    await transaction(
      client,
      async (tx) => void (await Promise.all([1, 2, 3].map((value) => insert(tx, value)))),
    );
    expect(await values()).toEqual([1, 2, 3]);
  });

  it("rejects writes in mode read, and use after the end", async () => {
    const writing = transaction(client, (tx) => insert(tx, 1), { mode: "read" });
    await expect(writing).rejects.toMatchObject({ code: "read_only" });
    let kept: PostgresSession | undefined;
    await transaction(client, (tx) => void (kept = tx));
    await expect(kept?.query("SELECT 1")).rejects.toMatchObject({ code: "closed" });
  });

  it("is rolled back when aborted", async () => {
    const controller = new AbortController();
    const action = async (tx: PostgresSession): Promise<void> => {
      await insert(tx, 1);
      controller.abort();
    };
    await expect(transaction(client, action, { signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    await expect(
      transaction(client, action, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
    expect(await values()).toEqual([]);
  });

  it("reads values the same way through every client", async () => {
    const [row] = await session.query(
      `SELECT 1::int2 AS small, 2::int4 AS middle, 3::int8 AS large, 9007199254740993::int8 AS huge, true AS yes,
        1.5::float8 AS float, 'é'::text AS text, 'v'::varchar AS varchar, $1::bytea AS bytes, NULL::bytea AS nothing,
        '{"a":[1]}'::jsonb AS jsonb, '[2]'::json AS json, 'd1b0b0a0-0000-4000-8000-00000000000a'::uuid AS uuid`,
      [new Uint8Array([0, 1, 255])],
    );
    expect(row).toEqual({
      small: 1,
      middle: 2,
      large: 3,
      huge: 9007199254740993n,
      yes: true,
      float: 1.5,
      text: "é",
      varchar: "v",
      bytes: new Uint8Array([0, 1, 255]),
      nothing: null,
      jsonb: { a: [1] },
      json: [2],
      uuid: "d1b0b0a0-0000-4000-8000-00000000000a",
    });
    expect(row?.["bytes"]?.constructor).toBe(Uint8Array);
  });

  it("accepts bigints, and reports violated constraints", async () => {
    await session.query(`INSERT INTO ${table} VALUES ($1)`, [9007199254740993n]);
    expect(await values()).toEqual([9007199254740993n]);
    await expect(
      session.query(`INSERT INTO ${table} VALUES ($1)`, [9007199254740993n]),
    ).rejects.toMatchObject({
      code: "constraint",
    });
  });

  // The other clients have only one connection.
  if (kind !== "pg.Pool") return;

  it("reports the loss of its connection", async () => {
    const running = transaction(client, async (tx) => {
      const [row] = await tx.query("SELECT pg_backend_pid() AS pid");
      await session.query("SELECT pg_terminate_backend($1)", [Number(row?.["pid"])]);
      await insert(tx, 1);
    });
    await expect(running).rejects.toMatchObject({ code: "connection_failed" });
    await transaction(client, (tx) => insert(tx, 2));
    expect(await values()).toEqual([2]);
  });

  it("releases every connection, whatever happens", async () => {
    const pool = client instanceof pg.Pool ? client : undefined;
    for (let round = 0; round < 10; round += 1) {
      await transaction(client, (tx) => tx.query("no sql")).catch(() => undefined);
    }
    expect(pool?.idleCount).toBe(pool?.totalCount);
  });
});

function fail(): never {
  throw new Error("wanted");
}
