import {
  compareHandles,
  damagedHandle,
  isMatch,
  type DriverListOptions,
  type FoundHandle,
} from "@ccl/artifact-store/driver";
import { join } from "node:path";
import { mapConcurrent } from "@ccl/core/async";
import { unless } from "@ccl/core/node";
import {
  isReference,
  nameKey,
  type ReferenceEntry,
  type ShardEntry,
} from "../layout/entry-name.ts";
import { readHeader } from "../layout/file-header.ts";
import {
  entryPath,
  filesAtOnce,
  folderPath,
  listArtifact,
  listShard,
  shardNames,
  shardPath,
  syncNames,
  unlinkIfThere,
  useFile,
} from "../layout/store-folder.ts";
import type { FsStore } from "./fs-store.ts";

/** Reads the handle of a reference. Undefined if it has been removed. */
async function readHandle(store: FsStore, entry: ReferenceEntry): Promise<FoundHandle | undefined> {
  return useFile(store, entryPath(store, entry), async (file) => {
    const handle = (await readHeader(file))?.header.handle;
    const isNamed = handle?.handleId === entry.handleId && handle.artifactId === entry.artifactId;
    return isNamed ? handle : damagedHandle(entry);
  });
}

/** Returns the handles of an artifact, ordered by `handleId`. */
export async function handlesOf(store: FsStore, artifactId: string): Promise<FoundHandle[]> {
  const entries = await store.batches.visibleAmong(() => listArtifact(store, artifactId));
  return takeHandles(store, entries, { limit: Infinity });
}

/** Lists handles of the whole store, filtered by their file names. */
export async function listHandles(
  store: FsStore,
  options: DriverListOptions,
): Promise<FoundHandle[]> {
  const { sessionId, source, signal } = options;
  const session = nameKey(sessionId);
  const origin = nameKey(source);
  const entries = await store.batches.visibleAmong(() => listAll(store, shardNames, signal));
  const matching = entries.filter(
    (entry) =>
      (sessionId === undefined || entry.sessionKey === session) &&
      (source === undefined || entry.sourceKey === origin),
  );
  return takeHandles(store, matching, options);
}

/** Returns the first handles, without duplicates. */
async function takeHandles(
  store: FsStore,
  entries: readonly ReferenceEntry[],
  { after, limit, sessionId, source, signal }: DriverListOptions,
): Promise<FoundHandle[]> {
  const handles: FoundHandle[] = [];
  const sorted = entries
    .filter((entry) => after === undefined || compareHandles(entry, after) > 0)
    .sort(compareHandles)
    .filter((entry, at, all) => at === 0 || compareHandles(all[at - 1] ?? entry, entry) < 0);
  for (let at = 0; at < sorted.length && handles.length < limit;) {
    signal?.throwIfAborted();
    const wanted = sorted.slice(at, at + limit - handles.length);
    at += wanted.length;
    const read = await mapConcurrent(wanted, filesAtOnce, (entry) => readHandle(store, entry));
    for (const handle of read) {
      if (handle === undefined) continue;
      if ("isDamaged" in handle || isMatch(handle, { sessionId, source })) handles.push(handle);
    }
  }
  return handles;
}

/** Lists everything in some of the blob folders. */
export async function listAll(
  store: FsStore,
  shards: readonly string[],
  signal?: AbortSignal,
): Promise<ShardEntry[]> {
  const blobs = folderPath(store, "blobs");
  const lists = await mapConcurrent(shards, filesAtOnce, (name) => {
    signal?.throwIfAborted();
    return listShard(store, join(blobs, name));
  });
  return lists.flat();
}

/** Lists the ids after `after` that have a handle. */
export async function listIds(
  store: FsStore,
  {
    after = "",
    limit,
    signal,
  }: { after?: string | undefined; limit: number; signal?: AbortSignal | undefined },
): Promise<string[]> {
  const ids: string[] = [];
  for (const shard of shardNames.filter((name) => name >= after.slice(0, 2))) {
    const entries = await store.batches.visibleAmong(() => listAll(store, [shard], signal));
    const found = new Set(entries.map((entry) => entry.artifactId).filter((id) => id > after));
    ids.push(...[...found].sort());
    if (ids.length >= limit) break;
  }
  return ids.slice(0, limit);
}

/** Removes the matching handles of an artifact. Returns how many there were. */
export async function removeHandles(
  store: FsStore,
  artifactId: string,
  {
    handleId,
    sessionId,
    now,
  }: { handleId?: string | undefined; sessionId?: string | undefined; now: number },
): Promise<number> {
  let entries: ShardEntry[] = [];
  const visible = await store.batches.visibleAmong(
    async () => (entries = await listArtifact(store, artifactId)),
  );
  const session = nameKey(sessionId);
  const matching = visible.filter(
    (entry) =>
      (handleId === undefined || entry.handleId === handleId) &&
      (sessionId === undefined || entry.sessionKey === session),
  );
  if (matching.length === 0) return 0;
  // The time is set first, so that a collector never sees a blob without references that still looks old.
  for (const entry of entries.filter((entry) => !isReference(entry) && entry.kind !== "pin")) {
    await unless(["ENOENT"], store.fs.setTime(entryPath(store, entry), now), undefined);
  }
  const removed = new Set<string>();
  for (const entry of matching) {
    if (await unlinkIfThere(store, entryPath(store, entry))) removed.add(entry.handleId);
  }
  await syncNames(store, shardPath(store, artifactId));
  return removed.size;
}
