import { PGlite } from "@electric-sql/pglite";
import { artifactStoreConformance } from "@ccl/artifact-store/conformance";
import type { ArtifactStore } from "@ccl/artifact-store";
import { createPostgresSession } from "@ccl/sql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgresArtifactStore, type PostgresArtifactStoreOptions } from "./index.ts";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: the PostgreSQL store is tried on PGlite only.");

const tables = ["staging", "handles", "chunks", "blobs"].map((name) => `ccl_artifact_${name}`);

// PGlite takes ten times as long, so that beside a server it stands for itself only in the longer runs.
const isAtLength = isAtLeast("faults");
const kinds =
  url === undefined ? ["PGlite"] : [...(isAtLength ? ["PGlite"] : []), "pg.Pool", "pg.Client"];

describe.each(kinds)("the PostgreSQL store on %s", (kind) => {
  let client: PGlite | pg.Pool | pg.Client;

  beforeAll(async () => {
    // A schema of its own, so that other tests on the server don't meet these tables.
    if (kind === "PGlite") client = await PGlite.create();
    else {
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      await admin.query(
        "DROP SCHEMA IF EXISTS artifact_tests CASCADE; CREATE SCHEMA artifact_tests",
      );
      await admin.end();
      const options = { connectionString: url, options: "-c search_path=artifact_tests" };
      if (kind === "pg.Pool") client = new pg.Pool(options);
      else await (client = new pg.Client(options)).connect();
    }
  });
  afterAll(async () => {
    await ("end" in client ? client.end() : client.close());
  });

  const exec = (sql: string): Promise<void> => createPostgresSession(client).exec(sql);
  const empty = (): Promise<void> =>
    exec(
      `DO $$ BEGIN IF to_regclass('ccl_artifact_blobs') IS NOT NULL THEN TRUNCATE ${tables.join(", ")}; END IF; END $$`,
    );

  async function open(
    options: Omit<PostgresArtifactStoreOptions, "client">,
  ): Promise<ArtifactStore> {
    await empty();
    return openPostgresArtifactStore({ client, ...options });
  }

  async function corrupt(
    _store: ArtifactStore,
    artifactId: string,
    damage: { kind: "flip" | "cut"; offset: number },
  ): Promise<void> {
    const session = createPostgresSession(client);
    const chunkNo = Math.floor(damage.offset / 1_048_576);
    const offset = damage.offset % 1_048_576;
    const changed =
      damage.kind === "flip"
        ? `set_byte(content, ${offset}, get_byte(content, ${offset}) # 1)`
        : `substring(content for ${offset})`;
    await session.exec(`
      UPDATE ccl_artifact_blobs SET content = ${changed} WHERE artifact_id = '${artifactId}' AND content IS NOT NULL;
      UPDATE ccl_artifact_chunks SET content = ${changed} WHERE chunk_no = ${chunkNo}
        AND blob_no = (SELECT blob_no FROM ccl_artifact_blobs WHERE artifact_id = '${artifactId}')`);
    if (damage.kind === "flip") return;
    await session.exec(`DELETE FROM ccl_artifact_chunks WHERE chunk_no > ${chunkNo}
      AND blob_no = (SELECT blob_no FROM ccl_artifact_blobs WHERE artifact_id = '${artifactId}')`);
  }

  describe("keeps the contract", () => {
    const rules = artifactStoreConformance({
      open,
      async reopen(store, options) {
        await store.close();
        return openPostgresArtifactStore({ client, ...options });
      },
      corrupt,
      corruptHandle: (_store, { handleId }) =>
        exec(`UPDATE ccl_artifact_handles SET summary = '?' WHERE handle_id = '${handleId}'`),
    });
    it.each(rules)("$name", async ({ run }) => expect(await run()).toBeUndefined());
  });

  it("keeps a stream whole beside which another put is undone", async () => {
    const store = await open({ limits: { maxSessionBytes: 10 } });
    const tooMuch = ["aaaaaa", "bbbbbb"].map((content) => ({
      content,
      source: "tool:test",
      sessionId: "s",
    }));
    let beside: Promise<string> | undefined;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let number = 0; number < 6; number += 1) {
        if (number === 2) beside = store.storeMany(tooMuch).then(() => "stored", String);
        if (number === 4) await beside;
        yield new Uint8Array(1_048_576).fill(number);
      }
    }
    const { artifactId } = await store.store(pieces(), { source: "tool:test" });
    expect(await beside).toContain("its limit is 10");
    expect(await store.retrieve(artifactId)).toHaveLength(6 * 1_048_576);
  });

  it.each([Infinity, 1e300])("collects nothing within a grace of %d ms", async (graceMs) => {
    const store = await open({});
    const { artifactId } = await store.store("deleted", { source: "tool:test" });
    await store.delete(artifactId);
    expect((await store.collectGarbage({ graceMs })).artifactIds).toEqual([]);
  });

  it("is opened by two at once on an empty database", async () => {
    await exec(`DROP TABLE IF EXISTS ${tables.join(", ")}, ccl_schema`);
    const stores = await Promise.all([
      openPostgresArtifactStore({ client }),
      openPostgresArtifactStore({ client }),
    ]);
    const handles = await Promise.all(
      stores.map((store) => store.store("the same", { source: "tool:test" })),
    );
    expect(new Set(handles.map(({ artifactId }) => artifactId)).size).toBe(1);
    expect(await stores[0]?.getHandles(handles[0]?.artifactId ?? "")).toHaveLength(2);
  });
});
