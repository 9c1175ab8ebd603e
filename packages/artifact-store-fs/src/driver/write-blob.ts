import { ArtifactStoreError, type ArtifactHandle } from "@ccl/artifact-store";
import type { BlobPut, BlobRecord } from "@ccl/artifact-store/driver";
import { isWithoutHardLinks, systemCode } from "@ccl/core/node";
import { referenceOf } from "../layout/entry-name.ts";
import { encodeHeader, type FileHeader } from "../layout/file-header.ts";
import {
  blobPath,
  entryPath,
  newBody,
  orderNames,
  shardPath,
  useFile,
} from "../layout/store-folder.ts";
import type { BlobContent, ChangeOptions, FsStore } from "./fs-store.ts";
import { reservedHeaderBytes, StagedFile } from "./staged-file.ts";

/** Returns the path of a file that protects the artifact from collectors while it exists. */
export function pinPath(store: FsStore, artifactId: string): string {
  return entryPath(store, newBody(store, artifactId, "pin"));
}

/** Removes a file. Ignores one that is gone or cannot be removed. */
export async function removeQuietly(store: FsStore, path: string): Promise<void> {
  await store.fs.unlink(path).catch(() => undefined);
}

/** @throws ArtifactStoreError `unsupported` on file systems without hard links */
export async function linkFile(store: FsStore, from: string, to: string): Promise<void> {
  try {
    await store.fs.link(from, to);
  } catch (error) {
    if (!isWithoutHardLinks(error)) throw error;
    const message = `The file system under "${store.root}" has no hard links; keep the store on another one.`;
    throw new ArtifactStoreError("unsupported", message, { cause: error });
  }
}

/** Writes a new file, and syncs it unless durability is off. Leaves nothing behind if it fails. */
async function writeNewFile(
  store: FsStore,
  path: string,
  { bytes, now }: { bytes: Uint8Array; now: number },
): Promise<void> {
  const file = await store.fs.create(path);
  try {
    try {
      await file.write(bytes, 0);
      await file.setTime(now);
      if (store.durability !== "off") await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await removeQuietly(store, path);
    throw error;
  }
}

/**
 * Writes a complete blob file under the name `pin`. False if its header had no space for the handle, which is then left
 * out.
 */
export async function writeBody(
  store: FsStore,
  {
    record,
    content,
    handle,
    pin,
  }: { record: BlobRecord; content: BlobContent; handle?: ArtifactHandle | undefined; pin: string },
  { now, batch }: { now: number; batch?: string | undefined },
): Promise<boolean> {
  const { artifactId, sizeBytes, chunkHashes } = record;
  const plain: FileHeader = { artifactId, sizeBytes, hashBytes: chunkHashes.length };
  const full: FileHeader = { ...plain, handle, batch };
  if (content instanceof Uint8Array) {
    const bytes = Buffer.concat([encodeHeader(full) ?? new Uint8Array(0), content, chunkHashes]);
    await writeNewFile(store, pin, { bytes, now });
    return handle !== undefined;
  }
  if (!(content instanceof StagedFile))
    throw new TypeError("These bytes were staged by another store.");
  const header = encodeHeader(full, reservedHeaderBytes);
  const bare = header ?? encodeHeader(plain, reservedHeaderBytes) ?? new Uint8Array(0);
  await content.finish(bare, { record, now });
  await linkFile(store, content.path, pin);
  return header !== undefined && handle !== undefined;
}

/**
 * Writes a new blob and its first reference as one file with two names, so that one sync of the file and one of the
 * folder make both durable. False if another writer was faster.
 */
export async function writeNewBlob(
  store: FsStore,
  put: BlobPut,
  options: ChangeOptions,
): Promise<boolean> {
  const { record, content } = put;
  const handle = put.handles[0];
  if (handle === undefined) throw new TypeError(`No handle for "${record.artifactId}".`);
  const pin = pinPath(store, record.artifactId);
  const holdsHandle = await writeBody(store, { record, content, handle, pin }, options);
  try {
    options.signal?.throwIfAborted();
    await linkFile(store, pin, blobPath(store, record.artifactId));
    options.created.artifactIds.push(record.artifactId);
    if (holdsHandle) {
      await showReference(store, { pin, handle }, options);
      return true;
    }
    const isAdded = await addReference(store, handle, options);
    await store.fs.unlink(pin);
    return isAdded;
  } catch (error) {
    await removeQuietly(store, pin);
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Adds a reference to an existing blob. False if the blob is gone. The pin is written before the blob is looked up, so
 * a collector that hides the blob in between sees the pin and renames it back.
 */
export async function addReference(
  store: FsStore,
  handle: ArtifactHandle,
  options: ChangeOptions,
): Promise<boolean> {
  const { artifactId, sizeBytes } = handle;
  const { now, batch, signal } = options;
  const pin = pinPath(store, artifactId);
  const header = { artifactId, sizeBytes, hashBytes: 0, handle, batch };
  await writeNewFile(store, pin, { bytes: encodeHeader(header) ?? new Uint8Array(0), now });
  try {
    if (!(await syncBlob(store, artifactId))) {
      await store.fs.unlink(pin);
      return false;
    }
    signal?.throwIfAborted();
    // The blob's name may come from a writer that has not synced it yet.
    await orderNames(store, shardPath(store, artifactId));
    await showReference(store, { pin, handle }, options);
    return true;
  } catch (error) {
    await removeQuietly(store, pin);
    throw error;
  }
}

/** Syncs a blob, since its writer may have used weaker durability. True if the blob exists. */
async function syncBlob(store: FsStore, artifactId: string): Promise<boolean> {
  const path = blobPath(store, artifactId);
  const status = await store.fs.status(path);
  if (status === undefined) return false;
  if (store.durability !== "full" || status.kind !== "file") return true;
  const syncing = useFile(store, path, async (file) => {
    await file.sync();
    return true;
  });
  return (await syncing) === true;
}

async function showReference(
  store: FsStore,
  { pin, handle }: { pin: string; handle: ArtifactHandle },
  { batch, created }: ChangeOptions,
): Promise<void> {
  const path = entryPath(store, referenceOf(handle, batch));
  created.references.push(path);
  await store.fs.rename(pin, path);
}
