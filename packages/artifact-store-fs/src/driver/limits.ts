import type { StoreLimits } from "@ccl/artifact-store";
import {
  compareHandles,
  planEviction,
  type BlobPut,
  type CommitOutcome,
  type Eviction,
  type StoreUsage,
} from "@ccl/artifact-store/driver";
import { withFileLock } from "@ccl/core/node";
import { join } from "node:path";
import {
  isReference,
  nameKey,
  type ReferenceEntry,
  type ShardEntry,
} from "../layout/entry-name.ts";
import { contentSize } from "../layout/file-header.ts";
import {
  entryPath,
  shardNames,
  shardPath,
  syncNames,
  unlinkIfThere,
} from "../layout/store-folder.ts";
import { collectGarbage } from "./collect-garbage.ts";
import type { FsStore } from "./fs-store.ts";
import { listAll } from "./references.ts";

/** Age at which a lock held by another machine or container counts as abandoned. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/**
 * Commits within the limits, one writer at a time. Sums are computed from the file names, so a crash cannot leave a
 * wrong sum. Evicted handles are removed after the commit has succeeded.
 * @throws ArtifactStoreError `limit_exceeded`, with nothing changed
 */
export function commitWithinLimits(
  store: FsStore,
  {
    puts,
    limits,
    commit,
  }: { puts: readonly BlobPut[]; limits: StoreLimits; commit: () => Promise<CommitOutcome[]> },
  options: { signal?: AbortSignal | undefined },
): Promise<CommitOutcome[]> {
  const path = join(store.root, "limits.lock");
  // The lock protects sums only. Bytes are safe without it.
  const lockOptions = { ...options, waitMs: Infinity, abandonedAfterMs };
  return withFileLock(path, lockOptions, async () => {
    const eviction = planEviction(await readUsage(store), puts, limits);
    const outcomes = await commit();
    await evict(store, eviction);
    return outcomes;
  });
}

async function readUsage(store: FsStore): Promise<StoreUsage<ReferenceEntry>> {
  let entries: ShardEntry[] = [];
  const handles = await store.batches.visibleAmong(
    async () => (entries = await listAll(store, shardNames)),
  );
  const sizes = new Map(handles.map((entry) => [entry.artifactId, entry.sizeBytes]));
  for (const entry of entries) {
    const { artifactId } = entry;
    if (isReference(entry) || entry.kind === "pin" || sizes.has(artifactId)) continue;
    const sizeBytes = await contentSize(store, entryPath(store, entry));
    if (sizeBytes !== undefined) sizes.set(artifactId, sizeBytes);
  }
  return {
    handles: handles.sort(compareHandles),
    sizes,
    inSession: (sessionId) => {
      const key = nameKey(sessionId);
      return (entry) => entry.sessionKey === key;
    },
  };
}

async function evict(
  store: FsStore,
  { handles, artifactIds }: Eviction<ReferenceEntry>,
): Promise<void> {
  for (const entry of handles) await unlinkIfThere(store, entryPath(store, entry));
  for (const folder of new Set(Array.from(handles, (each) => shardPath(store, each.artifactId))))
    await syncNames(store, folder);
  if (artifactIds.size === 0) return;
  await collectGarbage(store, { until: Infinity, artifactIds: [...artifactIds], isDryRun: false });
}
