import { mapConcurrent } from "@ccl/core/async";
import type { BlobRecord, DriverWriteOptions, StagedBlob } from "@ccl/artifact-store/driver";
import { planGeneration } from "../blobs/write-generation.ts";
import { readHandleAt, handleBody } from "../handles/handle-objects.ts";
import { claimKey, claimPrefix } from "../layout/s3-layout.ts";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import { listReferences } from "../handles/list-references.ts";
import type { S3Context } from "../s3-context.ts";

/** Writes a new copy and points all claims to it. Readers find the damaged copy until the new one is complete. */
export async function repairBlob(
  context: S3Context,
  blob: { record: BlobRecord; content: Uint8Array | StagedBlob },
  { now, signal }: DriverWriteOptions,
): Promise<void> {
  const { bucket } = context;
  const { claims } = await listReferences(context, claimPrefix(blob.record.artifactId), signal);
  const { generation, write } = planGeneration(context, blob, now);
  await mapConcurrent(claims, parallelRequests, async (claim) => {
    const handle = await readHandleAt(context, { name: claim, key: claim.key }, signal);
    if (handle !== undefined)
      await bucket.put(claimKey({ ...claim, generation }), handleBody(handle), { signal });
  });
  await write(signal);
  await bucket.removeAll(claims, signal);
}
