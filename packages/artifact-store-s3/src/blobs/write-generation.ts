import { createSha256 } from "@ccl/core/hash";
import type { BlobRecord, StagedBlob } from "@ccl/artifact-store/driver";
import { createGeneration, createStagedName, type Generation } from "../layout/generation.ts";
import { blobKey } from "../layout/s3-layout.ts";
import { StagedUpload } from "./staged-upload.ts";
import type { S3Context } from "../s3-context.ts";

/** A copy that has a name but is not written yet. Its claim is written in between, so that no collection removes it. */
export interface PlannedGeneration {
  generation: Generation;
  write(signal?: AbortSignal): Promise<void>;
}

const digestBytes = 32;

/**
 * Names a new copy of a blob. A blob without chunk hashes is one object. Others are a record and, beside it, their
 * bytes.
 */
export function planGeneration(
  context: S3Context,
  blob: { record: BlobRecord; content: Uint8Array | StagedBlob },
  now: number,
): PlannedGeneration {
  const { record, content } = blob;
  const { bucket } = context;
  const { artifactId, sizeBytes, chunkHashes } = record;
  const upload = content instanceof StagedUpload ? content : undefined;
  const bytes = content instanceof Uint8Array ? content : upload?.wholeBytes();
  if (chunkHashes.byteLength === 0 && bytes !== undefined) {
    const generation = createGeneration({ now, sizeBytes });
    const key = blobKey(artifactId, generation.name);
    return {
      generation,
      async write(signal) {
        await bucket.put(key, bytes, signal);
      },
    };
  }
  const generation = createGeneration({
    now,
    sizeBytes,
    staged: upload?.name ?? createStagedName(now),
  });
  const { dataKey = "" } = generation;
  return {
    generation,
    async write(signal) {
      // The record is written first, because a collection would never find bytes without a record.
      const key = blobKey(artifactId, generation.name);
      await bucket.put(key, sealedHashes(chunkHashes), signal);
      if (upload !== undefined) await upload.complete();
      else if (bytes !== undefined) await bucket.put(dataKey, bytes, signal);
    },
  };
}

/** The chunk hashes in a record's object. Undefined if it is damaged. */
export function openHashes(sealed: Uint8Array): Uint8Array | undefined {
  const hashes = sealed.subarray(0, -digestBytes);
  const digest = createSha256().update(hashes).digest();
  return digest.every((byte, index) => byte === sealed[hashes.byteLength + index])
    ? hashes
    : undefined;
}

function sealedHashes(chunkHashes: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(chunkHashes.byteLength + digestBytes);
  sealed.set(chunkHashes);
  sealed.set(createSha256().update(chunkHashes).digest(), chunkHashes.byteLength);
  return sealed;
}
