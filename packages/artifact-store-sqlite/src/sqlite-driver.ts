import { type ArtifactDriver, handleOfRow } from "@ccl/artifact-store/driver";
import type { Clock } from "@ccl/core";
import { transaction, type SqliteDatabase, type SqliteRow, type SqliteValue } from "@ccl/sql";
import type { BlobDirectory } from "./blob-directory.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { commitPuts, repairBlob } from "./commit-puts.ts";
import { damagedFile, findBlob, hasHandle, reading } from "./find-blob.ts";
import { handleColumns } from "./handle-row.ts";
import { StagedSet } from "./staged-set.ts";
import { removeDroppedFiles } from "./sweep-leftovers.ts";

/** Options of a driver. */
export interface DriverOptions {
  database: SqliteDatabase;
  clock: Clock;
  /** Where streams are stored. If absent, in chunk rows. */
  directory: BlobDirectory | undefined;
  close: () => void;
}

/** Creates a driver over a database that has the tables. */
export function createSqliteDriver({
  database,
  clock,
  directory,
  close,
}: DriverOptions): ArtifactDriver {
  const all = (sql: string, parameters: SqliteValue[]): SqliteRow[] =>
    reading(() => database.prepare(sql).all(...parameters));
  const removeFiles = async (): Promise<void> => {
    if (directory === undefined) return;
    // The change is committed. A file that cannot be removed now is removed by a later change or the next opening.
    await removeDroppedFiles(database, directory).catch(() => undefined);
  };
  return {
    name: "sqlite",
    stage: (options) => StagedSet.open({ database, clock, directory, ...options }),
    async commit(puts, { limits, signal }) {
      for (const { content } of puts) if (content instanceof StagedSet) await content.finish();
      const outcomes = await transaction(database, (tx) => commitPuts(tx, puts, limits), {
        signal,
      });
      puts.forEach(({ content }, index) => {
        if (content instanceof StagedSet && outcomes[index] === "written") content.kept();
      });
      if (limits.whenFull === "evict") await removeFiles();
      return outcomes;
    },
    async repair(record, content, { signal }) {
      if (content instanceof StagedSet) await content.finish();
      const isRepaired = await transaction(database, (tx) => repairBlob(tx, record, content), {
        signal,
      });
      if (isRepaired && content instanceof StagedSet) content.kept();
      await removeFiles();
    },
    find: async (artifactId) => findBlob(database, artifactId, directory),
    getHandles: async (artifactId) =>
      all(`SELECT ${handleColumns} WHERE b.artifact_id = ? ORDER BY h.handle_id`, [artifactId]).map(
        handleOfRow,
      ),
    async listHandles({ sessionId, source, after, limit }) {
      const filters = Object.entries({ session_id: sessionId, source }).flatMap(([column, value]) =>
        value === undefined ? [] : [{ column, value }],
      );
      // The condition on `handle_id` alone comes first, since an index can use it.
      const start = "h.handle_id >= ? AND (h.handle_id > ? OR b.artifact_id > ?)";
      const where = [start, ...filters.map(({ column }) => `h.${column} = ?`)].join(" AND ");
      const { handleId = "", artifactId = "" } = after ?? {};
      const parameters = [
        handleId,
        handleId,
        artifactId,
        ...filters.map(({ value }) => value),
        limit,
      ];
      const order = "ORDER BY h.handle_id, b.artifact_id LIMIT ?";
      return all(`SELECT ${handleColumns} WHERE ${where} ${order}`, parameters).map(handleOfRow);
    },
    removeHandles: (artifactId, match, { now, signal }) =>
      transaction(database, (tx) => removeHandles(tx, { artifactId, ...match, now }), { signal }),
    async collect(options) {
      const freed = await collectGarbage(database, options);
      if (!options.isDryRun) await removeFiles();
      return freed;
    },
    async listIds({ after = "", limit }) {
      const list = `SELECT artifact_id FROM artifact_blobs b WHERE artifact_id > ? AND ${hasHandle}
        ORDER BY artifact_id LIMIT ?`;
      return all(list, [after, limit]).map((row) => String(row["artifact_id"]));
    },
    quarantine: async (artifactId) => {
      const mark = `INSERT OR IGNORE INTO artifact_quarantine SELECT blob_id FROM artifact_blobs WHERE artifact_id = ?`;
      await transaction(database, (tx) => void tx.prepare(mark).run(artifactId));
    },
    async checkStructure() {
      const [found] = all("PRAGMA integrity_check(1)", []);
      if (found?.["integrity_check"] !== "ok") throw damagedFile(found?.["integrity_check"]);
    },
    close: async () => close(),
  };
}

interface Removal {
  artifactId: string;
  handleId?: string | undefined;
  sessionId?: string | undefined;
  now: number;
}

function removeHandles(
  tx: SqliteDatabase,
  { artifactId, handleId, sessionId, now }: Removal,
): number {
  const remove = `DELETE FROM artifact_handles WHERE blob_id = (SELECT blob_id FROM artifact_blobs WHERE artifact_id = ?1)
    AND handle_id = coalesce(?2, handle_id) AND (?3 IS NULL OR session_id = ?3)`;
  const { changes } = tx.prepare(remove).run(artifactId, handleId ?? null, sessionId ?? null);
  const orphan = `INSERT INTO artifact_orphans SELECT blob_id, ?1 FROM artifact_blobs b WHERE artifact_id = ?2
    AND NOT EXISTS (SELECT 1 FROM artifact_handles h WHERE h.blob_id = b.blob_id)`;
  if (changes > 0) tx.prepare(orphan).run(now, artifactId);
  return changes;
}
