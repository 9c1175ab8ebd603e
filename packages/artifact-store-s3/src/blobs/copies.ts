import { parseGeneration } from "../layout/generation.ts";
import { type BlobCopy, blobKey } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";

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
