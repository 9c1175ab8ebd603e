import { createSha256 } from "@ccl/core/hash";
import { type BlobRecord, concatBytes, type StagedBlob } from "@ccl/artifact-store/driver";
import { createGenerationName, createStagedName, parseGeneration } from "../layout/generation.ts";
import { type BlobCopy, blobKey } from "../layout/s3-layout.ts";
import { StagedUpload } from "./staged-upload.ts";
import type { S3Context } from "../s3-context.ts";

const digestBytes = 32;

/** The content of a put or a repair. */
interface NewBlob {
  record: BlobRecord;
  content: Uint8Array | StagedBlob;
}

/** Returns all bytes. Undefined if some have already been sent. */
function wholeBytes({ content }: NewBlob): Uint8Array | undefined {
  if (content instanceof StagedUpload) return content.wholeBytes();
  return content instanceof Uint8Array ? content : undefined;
}

/** Names a new copy of a blob. A blob without chunk hashes is one object. Others are two: a record and the bytes. */
export function nameCopy(blob: NewBlob, now: number): BlobCopy {
  const { artifactId, sizeBytes, chunkHashes } = blob.record;
  const isOneObject = chunkHashes.byteLength === 0 && wholeBytes(blob) !== undefined;
  const own = blob.content instanceof StagedUpload ? blob.content.name : createStagedName(now);
  const staged = isOneObject ? undefined : own;
  return { artifactId, generation: createGenerationName(now, sizeBytes, staged) };
}

/** Writes the objects of a copy. */
export async function writeCopy(
  { bucket }: S3Context,
  blob: NewBlob,
  { artifactId, generation, signal }: BlobCopy & { signal?: AbortSignal | undefined },
): Promise<void> {
  const dataKey = parseGeneration(generation)?.dataKey;
  const key = blobKey(artifactId, generation);
  const bytes = wholeBytes(blob) ?? new Uint8Array();
  if (dataKey === undefined) return bucket.put(key, bytes, signal);
  // The record is written first, because a collection would never find bytes without a record.
  await bucket.put(key, sealedHashes(blob.record.chunkHashes), signal);
  if (blob.content instanceof StagedUpload) await blob.content.complete();
  else await bucket.put(dataKey, bytes, signal);
}

/** Returns the chunk hashes in a record's object. Undefined if it is damaged. */
export function openHashes(sealed: Uint8Array): Uint8Array | undefined {
  const hashes = sealed.subarray(0, -digestBytes);
  const digest = createSha256().update(hashes).digest();
  return digest.every((byte, index) => byte === sealed[hashes.byteLength + index])
    ? hashes
    : undefined;
}

function sealedHashes(chunkHashes: Uint8Array): Uint8Array {
  return concatBytes([chunkHashes, createSha256().update(chunkHashes).digest()]);
}
