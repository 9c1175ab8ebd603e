import { createSha256 } from "@ccl/core/hash";
import { readObject, readSpan } from "../bucket/read-object.ts";
import { parseGeneration } from "../layout/generation.ts";
import { type BlobCopy, blobKey } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import { openHashes } from "./write-generation.ts";

/** Removes a copy. Its record is removed last, so that the remains of an interrupted removal are found. */
export async function removeCopy(
  { bucket }: S3Context,
  { artifactId, generation }: BlobCopy,
  signal?: AbortSignal,
): Promise<void> {
  const dataKey = parseGeneration(generation)?.dataKey;
  if (dataKey !== undefined) await bucket.remove(dataKey, signal);
  await bucket.remove(blobKey(artifactId, generation), signal);
}

/** True if a copy has all of its bytes. */
export async function isSound(
  { bucket }: S3Context,
  { artifactId, generation }: BlobCopy,
): Promise<boolean> {
  const { sizeBytes = 0, dataKey } = parseGeneration(generation) ?? {};
  const key = blobKey(artifactId, generation);
  if ((await bucket.sizeOf(dataKey ?? key)) !== sizeBytes) return false;
  if (dataKey !== undefined) {
    const record = await readObject(bucket, key);
    if (record === undefined || record === "damaged" || openHashes(record) === undefined)
      return false;
  }
  const whole = createSha256();
  const span = { start: 0, end: sizeBytes };
  for await (const piece of readSpan(bucket, dataKey ?? key, span)) whole.update(piece);
  return whole.digestHex() === artifactId;
}
