import { createHash } from "node:crypto";

import type { EntryStatus, Folder, OpenFile } from "./folder.ts";

/** Bytes to read per call. */
const PIECE_BYTES = 1024 * 1024;

/** A file's status and hash, and its bytes if requested. */
export interface FileFacts {
  status: EntryStatus;
  sha256: string;
  /** Absent if over the limit. */
  bytes?: Uint8Array | undefined;
}

/**
 * Reads a regular file up to a size limit, and hashes all its bytes. Returns undefined for other kinds of entry. Fails
 * with `ENOENT` if it does not exist.
 */
export async function readFacts(
  folder: Folder,
  name: string,
  maxBytes: number,
): Promise<FileFacts | undefined> {
  // Checked first, since opening a device can already have side effects.
  const before = await folder.status(name);
  if (before !== undefined && before.kind !== "file") return undefined;
  return withRegularFile(folder, name, async (file, status) => {
    const bytes = await readWhole(file, status.sizeBytes, maxBytes);
    if (bytes === undefined) return { status, sha256: await hashOf(file) };
    return { status, sha256: createHash("sha256").update(bytes).digest("hex"), bytes };
  });
}

/** Returns a regular file's bytes. Undefined for other kinds of entry or above the limit. */
export function readBytes(
  folder: Folder,
  name: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  return withRegularFile(folder, name, (file, { sizeBytes }) =>
    readWhole(file, sizeBytes, maxBytes),
  );
}

async function withRegularFile<Value>(
  folder: Folder,
  name: string,
  read: (file: OpenFile, status: EntryStatus) => Promise<Value>,
): Promise<Value | undefined> {
  const file = await folder.openFile(name);
  try {
    const status = await file.status();
    return status.kind === "file" ? await read(file, status) : undefined;
  } finally {
    await file.close();
  }
}

/** Reads all bytes, even if the file grows meanwhile. Undefined if over the limit. */
async function readWhole(
  file: OpenFile,
  sizeBytes: number,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (sizeBytes > maxBytes) return undefined;
  // One extra byte shows whether the file has grown.
  const buffer = new Uint8Array(sizeBytes + 1);
  const length = await file.read(buffer, 0);
  if (length <= sizeBytes) return buffer.subarray(0, length);
  if (length > maxBytes) return undefined;
  return readWhole(file, Math.min(length * 2, maxBytes), maxBytes);
}

async function hashOf(file: OpenFile): Promise<string> {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(PIECE_BYTES);
  for (let at = 0; ;) {
    const length = await file.read(buffer, at);
    hash.update(buffer.subarray(0, length));
    at += length;
    if (length < buffer.length) return hash.digest("hex");
  }
}

/** Decodes a file, keeping its byte order mark. Returns undefined if it is not UTF-8 text (invalid bytes or a NUL). */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
