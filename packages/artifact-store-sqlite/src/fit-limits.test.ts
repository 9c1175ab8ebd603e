import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "@ccl/sql/node";
import { expect, it } from "vitest";
import { openSqliteArtifactStore } from "./open-sqlite-artifact-store.ts";

const source = "tool:test";

it("counts what was put before the first limit, and what connections without one put and delete after it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ccl-sqlite-limits-"));
  try {
    const options = { path: join(folder, "artifacts.sqlite"), durability: "off" } as const;
    const free = await openSqliteArtifactStore(options);
    const early = await free.store("4444", { source, sessionId: "a" });
    await free.store("333", { source });
    const limits = { maxStoreBytes: 20, maxSessionBytes: 9 };
    const limited = await openSqliteArtifactStore({ ...options, limits });
    const refusal = { code: "limit_exceeded" };
    await expect(limited.store("666666", { source, sessionId: "a" })).rejects.toMatchObject(
      refusal,
    );
    await limited.store("55555", { source, sessionId: "a" });

    await free.store("7777777", { source, sessionId: "b" });
    await expect(limited.store("22", { source })).rejects.toMatchObject(refusal);
    await expect(limited.store("1 b", { source, sessionId: "b" })).rejects.toMatchObject(refusal);
    await free.delete(early.artifactId);
    await free.collectGarbage({ graceMs: 0 });
    await limited.store("4 of", { source, sessionId: "a" });
    await expect(limited.store("2c", { source })).rejects.toMatchObject(refusal);

    const database = await openSqlite(options);
    const read = (sql: string): unknown => database.prepare(sql).all();
    expect(read("SELECT bytes FROM artifact_totals")).toEqual([{ bytes: 19 }]);
    expect(read("SELECT session_id, bytes FROM artifact_sessions")).toEqual([
      { session_id: "a", bytes: 9 },
      { session_id: "b", bytes: 7 },
    ]);
    for (const open of [free, limited, database]) await open.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
