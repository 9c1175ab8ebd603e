import { chunkBytes, type StoredBlob } from "@ccl/artifact-store/driver";
import { systemCode, unless } from "@ccl/core/node";
import type { OpenFile } from "../file-system/file-system.ts";
import { isReference, referenceOf, type ShardEntry } from "../layout/entry-name.ts";
import { readHeader, type FileHeader, type ReadHeader } from "../layout/file-header.ts";
import { blobPath, entryPath, listArtifact } from "../layout/store-folder.ts";
import type { FsStore } from "./fs-store.ts";

/** Content up to this size is read together with its header. */
const maxWholeBytes = chunkBytes;
/** Each further attempt means that another collector hid the blob and renamed it back. */
const maxAttempts = 8;

interface OpenBody {
  file: OpenFile;
  isQuarantined: boolean;
  /** Undefined if the header is damaged. */
  found: ReadHeader | undefined;
}

/** Used in place of a link or folder that has the name of a file. */
const emptyFile: OpenFile = {
  write: () => Promise.resolve(),
  read: () => Promise.resolve(0),
  setTime: () => Promise.resolve(),
  sync: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** Opens a file. Undefined if it is gone. */
function openPath(store: FsStore, path: string): Promise<OpenFile | undefined> {
  const opening = unless(["ELOOP", "EISDIR", "EMLINK"], store.fs.open(path), emptyFile);
  return unless(["ENOENT"], opening, undefined);
}

/** Finds the bytes of an artifact under any of their names, and keeps the file open. */
async function openBody(store: FsStore, artifactId: string): Promise<OpenBody | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const blob = await openPath(store, blobPath(store, artifactId));
    if (blob !== undefined) return withHeader(blob, artifactId, false);
    const entries = await listArtifact(store, artifactId);
    for (const entry of asideFirst(entries)) {
      const file = await openPath(store, entryPath(store, entry));
      if (file === undefined) continue;
      const body = await withHeader(file, artifactId, entry.kind === "bad");
      if (entry.kind === "trash" || entry.kind === "bad" || (await holdsContent(body))) return body;
      await file.close();
    }
    if (!entries.some(isReference)) return undefined;
  }
  return undefined;
}

/**
 * Returns other files that may contain the bytes: hidden or bad blobs, or a reference if a crash kept only a new blob's
 * second name.
 */
function asideFirst(entries: readonly ShardEntry[]): ShardEntry[] {
  const order = ["trash", "bad", "reference"];
  const aside = entries.filter((entry) => order.includes(entry.kind));
  return aside.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

async function withHeader(
  file: OpenFile,
  artifactId: string,
  isQuarantined: boolean,
): Promise<OpenBody> {
  try {
    const found = await readHeader(file);
    return {
      file,
      isQuarantined,
      found: found?.header.artifactId === artifactId ? found : undefined,
    };
  } catch (error) {
    await file.close();
    if (systemCode(error) === "EISDIR") return { file: emptyFile, isQuarantined, found: undefined };
    throw error;
  }
}

async function holdsContent({ file, found }: OpenBody): Promise<boolean> {
  if (found === undefined) return false;
  const { header, contentOffset } = found;
  const lastByte = contentOffset + header.sizeBytes + header.hashBytes - 1;
  return header.sizeBytes === 0 || (await file.read(new Uint8Array(1), lastByte)) === 1;
}

/** Finds the blob of an artifact with a reference that counts. */
export async function findBlob(
  store: FsStore,
  artifactId: string,
): Promise<StoredBlob | undefined> {
  const body = await openBody(store, artifactId);
  if (body === undefined) return undefined;
  const { file, found, isQuarantined } = body;
  try {
    if (!(await hasReference(store, artifactId, found?.header))) return undefined;
    if (found === undefined) {
      // A placeholder for bytes that cannot be read. It matches no id.
      const bytes = new Uint8Array(0);
      const record = { artifactId, sizeBytes: 0, chunkHashes: bytes };
      return { record, isQuarantined, bytes, async *read() {} };
    }
    const { header, contentOffset } = found;
    const { sizeBytes, hashBytes } = header;
    const chunkHashes = new Uint8Array(Math.min(hashBytes, sizeBytes));
    const hashesRead =
      hashBytes === 0 ? 0 : await file.read(chunkHashes, contentOffset + sizeBytes);
    const record = { artifactId, sizeBytes, chunkHashes: chunkHashes.subarray(0, hashesRead) };
    const read = (first: number, end: number): AsyncIterable<Uint8Array> =>
      readContent(store, artifactId, {
        start: first * chunkBytes,
        end: Math.min(end * chunkBytes, sizeBytes),
      });
    if (sizeBytes > maxWholeBytes) return { record, isQuarantined, read };
    return {
      record,
      isQuarantined,
      read,
      bytes: await wholeContent(file, found),
    };
  } finally {
    await file.close();
  }
}

async function wholeContent(
  file: OpenFile,
  { header: { sizeBytes }, contentOffset, following }: ReadHeader,
): Promise<Uint8Array> {
  if (following.length >= sizeBytes) return following.slice(0, sizeBytes);
  const bytes = new Uint8Array(sizeBytes);
  bytes.set(following);
  const rest = await file.read(bytes.subarray(following.length), contentOffset + following.length);
  return bytes.subarray(0, following.length + rest);
}

async function* readContent(
  store: FsStore,
  artifactId: string,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  const body = await openBody(store, artifactId);
  if (body === undefined)
    throw new Error(`"${artifactId}" was deleted and collected while it was read.`);
  try {
    for (let at = start; body.found !== undefined && at < end;) {
      const buffer = new Uint8Array(Math.min(chunkBytes, end - at));
      const bytesRead = await body.file.read(buffer, body.found.contentOffset + at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await body.file.close();
  }
}

/** True if a reference counts. The reference that the blob was written for is checked first. */
async function hasReference(
  store: FsStore,
  artifactId: string,
  header?: FileHeader,
): Promise<boolean> {
  const { handle, batch } = header ?? {};
  if (handle !== undefined) {
    const status = await store.fs.status(entryPath(store, referenceOf(handle, batch)));
    if (status !== undefined && (await store.batches.isVisible(batch))) return true;
  }
  return (await store.batches.visibleAmong(() => listArtifact(store, artifactId))).length > 0;
}
