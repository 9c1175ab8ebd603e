import type { DriverCollectOptions } from "@ccl/artifact-store/driver";
import { join } from "node:path";
import { unless } from "@ccl/core/node";
import { entryName, isReference, type BodyEntry, type ShardEntry } from "../layout/entry-name.ts";
import { contentSize } from "../layout/file-header.ts";
import {
  blobPath,
  folderPath,
  listShard,
  orderNames,
  shardNames,
  syncNames,
} from "../layout/store-folder.ts";
import type { FsStore } from "./fs-store.ts";

/** A blob that was freed, or would be freed by a dry run. */
export interface FreedBlob {
  artifactId: string;
  sizeBytes: number;
}

/** Which blobs of a folder may be freed. */
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
 * read twice, because a reference that is renamed during one reading may be missed by it. A blob that has a reference
 * or a pin by then is renamed back. Blobs that collectors set aside before they died are settled too.
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
  const inUse = await idsInUse(store, folder, entries);
  const candidates: BodyEntry[] = [];
  for (const entry of entries.filter(isWanted)) {
    if (isReference(entry) || entry.kind === "pin") continue;
    if (
      await mayGo(store, { folder, entry, isInUse: inUse.has(entry.artifactId) }, options.until)
    ) {
      candidates.push(entry);
    }
  }
  if (candidates.length === 0) return [];
  if (options.isDryRun === true) {
    const unused = candidates.filter((entry) => !inUse.has(entry.artifactId));
    return freedOf(
      await Promise.all(
        unused.map((entry) => freedBlob(store, join(folder, entryName(entry)), entry)),
      ),
    );
  }
  const aside = await setAside(store, folder, candidates);
  const again = [...(await listShard(store, folder)), ...(await listShard(store, folder))];
  const inUseNow = await idsInUse(store, folder, again);
  const freed: FreedBlob[] = [];
  for (const entry of aside) {
    const isKept = inUseNow.has(entry.artifactId);
    const gone = await settle(store, { folder, entry, isKept }, options.until);
    if (gone !== undefined) freed.push(gone);
  }
  await syncNames(store, folder);
  return freedOf(freed);
}

/** Several files of one artifact, such as a blob and a damaged copy of it, count once. */
function freedOf(freed: readonly FreedBlob[]): FreedBlob[] {
  return [...new Map(freed.map((blob) => [blob.artifactId, blob])).values()];
}

/** Ids with a pin, or with a reference that counts or may come to count. */
async function idsInUse(
  store: FsStore,
  folder: string,
  entries: readonly ShardEntry[],
): Promise<Set<string>> {
  const inUse = new Set<string>();
  for (const entry of entries) {
    if (
      isReference(entry)
        ? await store.batches.isInUse(entry.batch)
        : await isLivePin(store, folder, entry)
    ) {
      inUse.add(entry.artifactId);
    }
  }
  return inUse;
}

async function isLivePin(store: FsStore, folder: string, entry: BodyEntry): Promise<boolean> {
  return entry.kind === "pin" && (await isLive(store, join(folder, entryName(entry)), entry.token));
}

/** True also if the file is gone since it was listed, because a pin may have become a reference. */
async function isLive(store: FsStore, path: string, token: string): Promise<boolean> {
  const status = await store.fs.status(path);
  return status === undefined || store.owner.isAlive(token, Date.now() - status.changedAtMs);
}

/** Unused blobs that are old enough, blobs that dead collectors set aside, and damaged copies of repaired blobs. */
async function mayGo(
  store: FsStore,
  { folder, entry, isInUse }: { folder: string; entry: BodyEntry; isInUse: boolean },
  until: number,
): Promise<boolean> {
  const path = join(folder, entryName(entry));
  if (entry.kind === "trash") return !(await isLive(store, path, entry.token));
  if (entry.kind === "bad" && isInUse)
    return (await store.fs.status(blobPath(store, entry.artifactId))) !== undefined;
  if (isInUse) return false;
  const status = await store.fs.status(path);
  return status !== undefined && status.timeMs <= until;
}

/** Hides blobs from writers. Returns the ones that are hidden now. */
async function setAside(
  store: FsStore,
  folder: string,
  candidates: readonly BodyEntry[],
): Promise<BodyEntry[]> {
  const aside: BodyEntry[] = [];
  for (const entry of candidates) {
    if (entry.kind !== "blob") {
      aside.push(entry);
      continue;
    }
    const trash = {
      kind: "trash" as const,
      artifactId: entry.artifactId,
      token: store.owner.nextToken(),
    };
    const renaming = store.fs.rename(
      join(folder, entryName(entry)),
      join(folder, entryName(trash)),
    );
    if ((await unless(["ENOENT"], renaming, "gone")) !== "gone") aside.push(trash);
  }
  return aside;
}

/** Renames a blob back if it is in use after all, else frees it. */
async function settle(
  store: FsStore,
  { folder, entry, isKept }: { folder: string; entry: BodyEntry; isKept: boolean },
  until: number,
): Promise<FreedBlob | undefined> {
  const path = join(folder, entryName(entry));
  const status = await store.fs.status(path);
  if (status === undefined) return undefined;
  if (entry.kind === "bad") {
    const isHealed = (await store.fs.status(join(folder, entry.artifactId))) !== undefined;
    if (isKept && !isHealed) return undefined;
  } else if (isKept || status.timeMs > until) {
    await putBack(store, folder, entry);
    return undefined;
  }
  // The store creates no folders here, so this one belongs to somebody else.
  if (status.kind === "folder") return undefined;
  const freed = await freedBlob(store, path, entry);
  await unless(["ENOENT"], store.fs.unlink(path), undefined);
  return isKept ? undefined : freed;
}

/** Gives a blob that was set aside its name again, unless the same bytes were stored again meanwhile. */
export async function putBack(store: FsStore, folder: string, entry: BodyEntry): Promise<void> {
  const path = join(folder, entryName(entry));
  const linking = unless(
    ["EEXIST"],
    store.fs.link(path, join(folder, entry.artifactId)),
    undefined,
  );
  if ((await unless(["ENOENT"], linking, "gone")) === "gone") return;
  // The new name must become durable before the old one is removed.
  await orderNames(store, folder);
  await unless(["ENOENT"], store.fs.unlink(path), undefined);
}

async function freedBlob(
  store: FsStore,
  path: string,
  { artifactId }: BodyEntry,
): Promise<FreedBlob> {
  return { artifactId, sizeBytes: (await contentSize(store.fs, path)) ?? 0 };
}
