import { chunkBytes, type StoredBlob } from "@ccl/artifact-store/driver";
import { readObject, readSpan } from "../bucket/read-object.ts";
import { readEntry, type BlobEntry } from "../entries/blob-entry.ts";
import { parseGeneration } from "../layout/generation.ts";
import { blobKey } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import { openHashes } from "./write-generation.ts";

const maxLooks = 3;

/** Finds the copy to read. Its objects may disappear during the lookup, because a repair replaces the copy. */
export async function findBlob(
  context: S3Context,
  artifactId: string,
  signal?: AbortSignal,
): Promise<StoredBlob | undefined> {
  for (let look = 0; look < maxLooks; look += 1) {
    const entry = await readEntry(context, artifactId, signal);
    if (entry.handleCount === 0) return undefined;
    const blob = await openCopy(context, entry, signal);
    if (blob !== undefined) return blob;
  }
  return undefined;
}

/** Opens a copy as it is stored. Undefined if its object is gone. */
export async function openCopy(
  { bucket }: S3Context,
  { artifactId, generation, isQuarantined }: BlobEntry,
  signal?: AbortSignal,
): Promise<StoredBlob | undefined> {
  const { sizeBytes = 0, dataKey } = parseGeneration(generation) ?? {};
  const key = blobKey(artifactId, generation);
  const object = await readObject(bucket, key, signal);
  if (object === undefined) return undefined;
  const read = (firstChunk: number, endChunk: number): AsyncIterable<Uint8Array> =>
    readSpan(bucket, dataKey ?? key, {
      start: firstChunk * chunkBytes,
      end: Math.min(sizeBytes, endChunk * chunkBytes),
      signal,
    });
  const bytes = object === "damaged" ? undefined : object;
  const isOneObject = dataKey === undefined;
  const chunkHashes = isOneObject ? new Uint8Array() : bytes && openHashes(bytes);
  return {
    record: { artifactId, sizeBytes, chunkHashes: chunkHashes ?? new Uint8Array() },
    isQuarantined: isQuarantined || bytes === undefined || chunkHashes === undefined,
    bytes: isOneObject ? bytes : undefined,
    read,
  };
}
