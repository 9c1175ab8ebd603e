import { mapConcurrent } from "@ccl/core/async";
import type { ArtifactHandle } from "@ccl/artifact-store";
import type { BlobPut, CommitOutcome } from "@ccl/artifact-store/driver";
import {
  blobPath,
  filesAtOnce,
  listArtifact,
  orderNames,
  shardPath,
  syncNames,
} from "../layout/store-folder.ts";
import { freeUnreferenced } from "./collect-garbage.ts";
import type { ChangeOptions, FsStore } from "./fs-store.ts";
import { addReference, removeQuietly, writeNewBlob } from "./write-blob.ts";

const maxAttempts = 16;

/** Stores all blobs and references, or none. */
export async function commitPuts(
  store: FsStore,
  puts: readonly BlobPut[],
  options: { now: number; signal?: AbortSignal | undefined },
): Promise<CommitOutcome[]> {
  const count = puts.reduce((sum, put) => sum + put.handles.length, 0);
  const batch = count > 1 ? await store.batches.begin() : undefined;
  const created = { references: [], artifactIds: [] };
  const change: ChangeOptions = { ...options, created, batch };
  try {
    const outcomes = await mapConcurrent(puts, filesAtOnce, (put) => putOne(store, put, change));
    const folders = new Set(puts.map((put) => shardPath(store, put.record.artifactId)));
    await mapConcurrent([...folders], filesAtOnce, (folder) =>
      (batch === undefined ? syncNames : orderNames)(store, folder),
    );
    options.signal?.throwIfAborted();
    if (batch !== undefined) await store.batches.commit(batch);
    return outcomes;
  } catch (error) {
    await rollBack(store, change);
    throw error;
  }
}

async function putOne(
  store: FsStore,
  put: BlobPut,
  options: ChangeOptions,
): Promise<CommitOutcome> {
  const { artifactId } = put.record;
  let outcome: CommitOutcome = "present";
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    options.signal?.throwIfAborted();
    const isPresent = (await store.fs.status(blobPath(store, artifactId))) !== undefined;
    if (!isPresent) {
      if (!(await writeNewBlob(store, put, options))) continue;
      outcome = "written";
    }
    const missing = isPresent ? await newHandles(store, put) : put.handles.slice(1);
    if (await addAll(store, missing, options)) return outcome;
  }
  throw new Error(`"${artifactId}" came and went ${maxAttempts} times while it was stored.`);
}

async function addAll(
  store: FsStore,
  handles: readonly ArtifactHandle[],
  options: ChangeOptions,
): Promise<boolean> {
  for (const handle of handles) if (!(await addReference(store, handle, options))) return false;
  return true;
}

/** Returns the handles that have no visible reference yet. */
async function newHandles(store: FsStore, put: BlobPut): Promise<ArtifactHandle[]> {
  const references = await store.batches.visibleAmong(() =>
    listArtifact(store, put.record.artifactId),
  );
  const known = new Set(references.map((entry) => entry.handleId));
  return put.handles.filter((handle) => !known.has(handle.handleId));
}

/** Removes what a failed commit created, as far as the file system allows. Blobs that remain have no reference. */
async function rollBack(store: FsStore, { batch, created }: ChangeOptions): Promise<void> {
  if (batch !== undefined) await store.batches.abandon(batch).catch(() => undefined);
  for (const path of created.references) await removeQuietly(store, path);
  for (const artifactId of created.artifactIds) {
    const options = { artifactIds: [artifactId], until: Infinity };
    await freeUnreferenced(store, shardPath(store, artifactId), options).catch(() => undefined);
  }
}
