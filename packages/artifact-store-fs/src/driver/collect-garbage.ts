import type { DriverCollectOptions, FreedBlob } from "@ccl/artifact-store/driver";
import { join } from "node:path";
import { unless } from "@ccl/core/node";
import { isReference, type BodyEntry, type ShardEntry } from "../layout/entry-name.ts";
import { contentSize } from "../layout/file-header.ts";
import {
  blobPath,
  entryPath,
  folderPath,
  listShard,
  newBody,
  orderNames,
  renameIfThere,
  shardNames,
  shardPath,
  syncNames,
  unlinkIfThere,
} from "../layout/store-folder.ts";
import type { FsStore } from "./fs-store.ts";

/** Selects the blobs of a folder that may be freed. */
interface FreeOptions {
  until: number;
  artifactIds?: readonly string[] | undefined;
  isDryRun?: boolean | undefined;
}

/** Frees unreferenced blobs in all folders, and the remains of crashed writers. */
export async function collectGarbage(
  store: FsStore,
  options: DriverCollectOptions,
): Promise<FreedBlob[]> {
  const freed: FreedBlob[] = [];
  const wanted = options.artifactIds && new Set(options.artifactIds.map((id) => id.slice(0, 2)));
  for (const name of shardNames) {
    options.signal?.throwIfAborted();
    if (wanted !== undefined && !wanted.has(name)) continue;
    freed.push(...(await freeUnreferenced(store, join(folderPath(store, "blobs"), name), options)));
  }
  return freed;
}

/**
 * Frees unreferenced blobs of one folder. Each blob is first renamed, so that no writer can find it. Then the folder is
 * read twice, because one reading may miss a reference that is renamed at that time. A blob that now has a reference or
 * a pin is renamed back. Blobs that collectors renamed before they died are handled too.
 */
export async function freeUnreferenced(
  store: FsStore,
  folder: string,
  options: FreeOptions,
): Promise<FreedBlob[]> {
  const entries = await listShard(store, folder);
  const wanted = options.artifactIds && new Set(options.artifactIds);
  const isWanted = (entry: ShardEntry): boolean =>
    wanted === undefined || wanted.has(entry.artifactId);
  const inUse = await idsInUse(store, entries);
  const candidates: BodyEntry[] = [];
  for (const entry of entries.filter(isWanted)) {
    if (isReference(entry) || entry.kind === "pin") continue;
    const isInUse = inUse.has(entry.artifactId);
    if (await mayGo(store, entry, { isInUse, until: options.until })) candidates.push(entry);
  }
  if (candidates.length === 0) return [];
  if (options.isDryRun === true) {
    const unused = candidates.filter((entry) => !inUse.has(entry.artifactId));
    return freedOf(await Promise.all(unused.map((entry) => freedBlob(store, entry))));
  }
  const aside = await setAside(store, candidates);
  const again = [...(await listShard(store, folder)), ...(await listShard(store, folder))];
  const inUseNow = await idsInUse(store, again);
  const freed: FreedBlob[] = [];
  for (const entry of aside) {
    const isKept = inUseNow.has(entry.artifactId);
    const gone = await settle(store, entry, { isKept, until: options.until });
    if (gone !== undefined) freed.push(gone);
  }
  await syncNames(store, folder);
  return freedOf(freed);
}

/** Counts several files of one artifact, such as a blob and its damaged copy, once. */
function freedOf(freed: readonly FreedBlob[]): FreedBlob[] {
  return [...new Map(freed.map((blob) => [blob.artifactId, blob])).values()];
}

/** Returns the ids with a pin, or with a reference that counts or may come to count. */
async function idsInUse(store: FsStore, entries: readonly ShardEntry[]): Promise<Set<string>> {
  const inUse = new Set<string>();
  for (const entry of entries) {
    const isInUse = isReference(entry)
      ? await store.batches.isInUse(entry.batch)
      : entry.kind === "pin" && (await isLive(store, entry));
    if (isInUse) inUse.add(entry.artifactId);
  }
  return inUse;
}

/** True if the blob may be in use. Also true if the file is gone, because a pin may have become a reference. */
async function isLive(store: FsStore, entry: BodyEntry): Promise<boolean> {
  const status = await store.fs.status(entryPath(store, entry));
  return status === undefined || store.owner.isAlive(entry.token, Date.now() - status.changedAtMs);
}

/** True for unused blobs that are old enough, blobs that dead collectors hid, and damaged copies of repaired blobs. */
async function mayGo(
  store: FsStore,
  entry: BodyEntry,
  { isInUse, until }: { isInUse: boolean; until: number },
): Promise<boolean> {
  if (entry.kind === "trash") return !(await isLive(store, entry));
  if (entry.kind === "bad" && isInUse)
    return (await store.fs.status(blobPath(store, entry.artifactId))) !== undefined;
  if (isInUse) return false;
  const status = await store.fs.status(entryPath(store, entry));
  return status !== undefined && status.timeMs <= until;
}

/** Hides blobs from writers. Returns those that are now hidden. */
async function setAside(store: FsStore, candidates: readonly BodyEntry[]): Promise<BodyEntry[]> {
  const aside: BodyEntry[] = [];
  for (const entry of candidates) {
    const hidden = entry.kind === "blob" ? newBody(store, entry.artifactId, "trash") : entry;
    const [from, to] = [entryPath(store, entry), entryPath(store, hidden)];
    if (hidden === entry || (await renameIfThere(store, from, to))) aside.push(hidden);
  }
  return aside;
}

/** Renames a blob back if it turns out to be in use, otherwise frees it. */
async function settle(
  store: FsStore,
  entry: BodyEntry,
  { isKept, until }: { isKept: boolean; until: number },
): Promise<FreedBlob | undefined> {
  const path = entryPath(store, entry);
  const status = await store.fs.status(path);
  if (status === undefined) return undefined;
  if (entry.kind === "bad") {
    const isHealed = (await store.fs.status(blobPath(store, entry.artifactId))) !== undefined;
    if (isKept && !isHealed) return undefined;
  } else if (isKept || status.timeMs > until) {
    await putBack(store, entry);
    return undefined;
  }
  // The store creates no folders here, so this one is not the store's.
  if (status.kind === "folder") return undefined;
  const freed = await freedBlob(store, entry);
  await unlinkIfThere(store, path);
  return isKept ? undefined : freed;
}

/** Restores the name of a hidden blob, unless the same bytes have been stored again. */
export async function putBack(store: FsStore, entry: BodyEntry): Promise<void> {
  const path = entryPath(store, entry);
  const linking = unless(
    ["EEXIST"],
    store.fs.link(path, blobPath(store, entry.artifactId)),
    undefined,
  );
  if ((await unless(["ENOENT"], linking, "gone")) === "gone") return;
  // The new name must become durable before the old one is removed.
  await orderNames(store, shardPath(store, entry.artifactId));
  await unlinkIfThere(store, path);
}

async function freedBlob(store: FsStore, entry: BodyEntry): Promise<FreedBlob> {
  const sizeBytes = (await contentSize(store, entryPath(store, entry))) ?? 0;
  return { artifactId: entry.artifactId, sizeBytes };
}
