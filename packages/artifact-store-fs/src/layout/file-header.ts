import type { ArtifactHandle } from "@ccl/artifact-store";
import { fromCheckedLine, toCheckedLine } from "@ccl/artifact-store/driver";
import type { OpenFile } from "../file-system/file-system.ts";
import { type StoreFolder, useFile } from "./store-folder.ts";

/**
 * The first line of every blob and reference: a checked line, spaces up to the reserved length, and a line feed. The content follows, then the chunk hashes.
 */
export interface FileHeader {
  artifactId: string;
  sizeBytes: number;
  /** Length of the chunk hashes that follow the content. */
  hashBytes: number;
  /** The reference that the file was written for. */
  handle?: ArtifactHandle | undefined;
  batch?: string | undefined;
}

/** The result of the first read of a file. */
export interface ReadHeader {
  header: FileHeader;
  /** Offset of the content. */
  contentOffset: number;
  /** The bytes after the header that the same read returned. */
  following: Uint8Array;
}

const firstReadBytes = 16 * 1024;
const maxHeaderBytes = 1024 * 1024;
const lineFeed = 0x0a;
const space = 0x20;

/** Returns the header line, padded to `reservedBytes` if given. Undefined if it is longer than that. */
export function encodeHeader(header: FileHeader, reservedBytes?: number): Uint8Array | undefined {
  const line = new TextEncoder().encode(`${toCheckedLine(header)}\n`);
  if (reservedBytes === undefined) return line;
  if (line.length > reservedBytes) return undefined;
  const padded = new Uint8Array(reservedBytes).fill(space);
  padded.set(line.subarray(0, -1));
  padded[reservedBytes - 1] = lineFeed;
  return padded;
}

/** Reads the header of an open file. Undefined if it is damaged. */
export async function readHeader(file: OpenFile): Promise<ReadHeader | undefined> {
  for (let bytes = firstReadBytes; ; bytes = maxHeaderBytes) {
    const buffer = new Uint8Array(bytes);
    const read = buffer.subarray(0, await file.read(buffer, 0));
    const end = read.indexOf(lineFeed);
    const header = end < 0 ? undefined : parseLine(read.subarray(0, end));
    if (header !== undefined)
      return { header, contentOffset: end + 1, following: read.subarray(end + 1) };
    if (end >= 0 || read.length < bytes || bytes === maxHeaderBytes) return undefined;
  }
}

/**
 * Returns the length of a blob's content, or of the whole file if its header is damaged. Undefined if the file does not
 * exist.
 */
export async function contentSize(store: StoreFolder, path: string): Promise<number | undefined> {
  const status = await store.fs.status(path);
  if (status?.kind !== "file") return status?.sizeBytes;
  return useFile(
    store,
    path,
    async (file) => (await readHeader(file))?.header.sizeBytes ?? status.sizeBytes,
  );
}

function parseLine(line: Uint8Array): FileHeader | undefined {
  const end = line.findLastIndex((byte) => byte !== space) + 1;
  const header = fromCheckedLine<FileHeader>(line.subarray(0, end));
  const sizes = [header?.sizeBytes, header?.hashBytes];
  return sizes.every(Number.isSafeInteger) ? header : undefined;
}
