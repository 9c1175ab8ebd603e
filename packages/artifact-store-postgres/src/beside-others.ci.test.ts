import type { ArtifactStore } from "@ccl/artifact-store";
import type { PostgresClient, PostgresResult } from "@ccl/sql";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPostgresArtifactStore } from "./index.ts";

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: locks between connections are not tried.");
const source = "tool:test";

describe.skipIf(url === undefined)("a PostgreSQL store beside other connections", () => {
  const options = { connectionString: url, options: "-c search_path=artifact_lock_tests" };
  let pool: pg.Pool;
  let other: pg.Client;
  let store: ArtifactStore;

  beforeAll(async () => {
    pool = new pg.Pool(options);
    await (other = new pg.Client(options)).connect();
    await other.query(
      "DROP SCHEMA IF EXISTS artifact_lock_tests CASCADE; CREATE SCHEMA artifact_lock_tests",
    );
    store = await openPostgresArtifactStore({ client: pool });
  });
  afterAll(async () => {
    await other.end();
    await pool.end();
  });
  afterEach(() => other.query("ROLLBACK"));
  beforeEach(() => other.query("TRUNCATE ccl_artifact_handles, ccl_artifact_blobs"));

  const lockBlob = (artifactId: string) =>
    other.query("SELECT 1 FROM ccl_artifact_blobs WHERE artifact_id = $1 FOR UPDATE", [artifactId]);

  async function untilSomeoneWaits(): Promise<void> {
    const text = "SELECT 1 FROM pg_locks WHERE NOT granted AND $1 = ANY (pg_blocking_pids(pid))";
    for (;;) {
      const { rows } = await other.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      if (((await pool.query(text, [rows[0]?.pid])).rowCount ?? 0) > 0) return;
    }
  }

  it.each(["delete", "evict"])(
    "takes a blob before its handles, so that no two wait for each other: %s",
    async (kind) => {
      const { artifactId } = await store.store("x".repeat(100), { source, sessionId: "s" });
      const tight = await openPostgresArtifactStore({
        client: pool,
        limits: { maxSessionBytes: 100, whenFull: "evict" },
      });
      await other.query("BEGIN");
      await lockBlob(artifactId);
      const call =
        kind === "delete"
          ? store.delete(artifactId)
          : tight.store("y".repeat(100), { source, sessionId: "s" });
      await untilSomeoneWaits();
      const { rowCount } = await other.query(
        "SELECT 1 FROM ccl_artifact_handles FOR UPDATE NOWAIT",
      );
      await other.query("COMMIT");
      expect(rowCount).toBe(1);
      await call;
      expect(await store.getHandles(artifactId)).toEqual([]);
    },
  );

  it("collects what nobody holds, and waits for nobody", async () => {
    const contents = ["held", "free"].map((content) => ({ content, source }));
    const [held, free] = (await store.storeMany(contents)).map(({ artifactId }) => artifactId);
    for (const artifactId of [held, free]) await store.delete(artifactId ?? "");
    await other.query("BEGIN");
    await lockBlob(held ?? "");
    expect((await store.collectGarbage({ graceMs: 0 })).artifactIds).toEqual([free]);
    await other.query("COMMIT");
    expect((await store.collectGarbage({ graceMs: 0 })).artifactIds).toEqual([held]);
  });

  it("counts again before it refuses a put for which others have made room meanwhile", async () => {
    const { artifactId } = await store.store("x".repeat(100), { source });
    let sums = 0;
    const client: PostgresClient = {
      async query(text: string, parameters?: unknown[]): Promise<PostgresResult> {
        const result = await other.query(text, parameters);
        if (text.includes("sum(size_bytes)") && sums++ === 0) {
          await store.delete(artifactId);
          await store.collectGarbage({ graceMs: 0 });
        }
        return result;
      },
    };
    const tight = await openPostgresArtifactStore({
      client,
      limits: { maxStoreBytes: 100, whenFull: "evict" },
    });
    await expect(tight.store("y".repeat(100), { source })).resolves.toMatchObject({
      sizeBytes: 100,
    });
    expect(sums).toBe(2);
    const tooMuch = ["1", "2"].map((content) => ({ content: content.repeat(60), source }));
    await expect(tight.storeMany(tooMuch)).rejects.toMatchObject({ code: "limit_exceeded" });
  });
});
