import { setTimeout as wait } from "node:timers/promises";
import { ArtifactStoreError } from "@ccl/artifact-store";
import { sha256Hex } from "@ccl/core";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { findPostgres, startPostgres } from "../../../scripts/services/postgres-server.mjs";
import { openPostgresArtifactStore } from "./index.ts";
import { kills } from "../../../scripts/lengths/test-length.mjs";

// A crash with its recovery takes as long as several kills of a process.
const crashes = Math.ceil(kills / 3);
const canRun = findPostgres() !== undefined;
if (!canRun) console.warn("PostgreSQL is not installed: its crash under load is not tried.");

/** Content of its own for each put: small ones, and some of several chunks. */
function contentOf(number: number): Uint8Array {
  return new Uint8Array(number % 7 === 0 ? 1_500_000 : 200 + number).fill(number % 251);
}

describe.skipIf(!canRun)("a server that is stopped at once, under load", () => {
  it(`loses nothing that was acknowledged, and every other put fails with a typed error (${crashes} times)`, async () => {
    const server = await startPostgres();
    const pool = new pg.Pool({ connectionString: server.url, max: 8 });
    pool.on("error", () => undefined);
    try {
      const acknowledged: { artifactId: string; number: number }[] = [];
      const failures: unknown[] = [];
      let next = 0;
      for (let crash = 0; crash < crashes; crash += 1) {
        const store = await openPostgresArtifactStore({ client: pool });
        const load = { isDown: false };
        const writers = Array.from({ length: 6 }, async () => {
          while (!load.isDown) {
            const number = next++;
            try {
              const { artifactId } = await store.store(contentOf(number), { source: "tool:load" });
              acknowledged.push({ artifactId, number });
            } catch (error) {
              failures.push(error);
              await wait(5);
            }
          }
        });
        const before = acknowledged.length;
        while (acknowledged.length < before + 20) await wait(5);
        await server.kill();
        load.isDown = true;
        await Promise.all(writers);
        await server.start();
      }
      expect(failures.length).toBeGreaterThan(0);
      expect(failures.filter((error) => !ArtifactStoreError.isInstance(error))).toEqual([]);
      const store = await openPostgresArtifactStore({ client: pool });
      for (const { artifactId, number } of acknowledged) {
        const bytes = await store.retrieve(artifactId);
        expect(sha256Hex(bytes ?? new Uint8Array())).toBe(sha256Hex(contentOf(number)));
      }
      expect(await store.verify()).toMatchObject({ damaged: [], missing: [] });
      await store.close();
    } finally {
      await pool.end();
      await server.stop();
    }
  });
});
