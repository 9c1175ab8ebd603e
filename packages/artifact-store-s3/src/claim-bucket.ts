import { sha256Hex } from "@ccl/core";
import { ArtifactStoreError } from "@ccl/artifact-store";
import { fromCheckedLine, toCheckedLine } from "@ccl/artifact-store/driver";
import type { Records } from "@ccl/records";
import { readObject } from "./bucket/read-object.ts";
import type { S3Bucket } from "./bucket/s3-bucket.ts";

/** Key of the object that contains the name prefix of the store's records. */
const key = "records";

/**
 * Links the bucket to the records when the store is first opened, and later checks that they belong together. With
 * other records, every copy would look abandoned. Returns the name prefix of the records.
 * @throws ArtifactStoreError `unavailable` if the bucket's handles are in other records
 */
export async function claimBucket(
  bucket: S3Bucket,
  records: Records,
  signal?: AbortSignal,
): Promise<string> {
  const object = await readObject(bucket, key, signal);
  const line = object instanceof Uint8Array ? fromCheckedLine<{ root: string }>(object) : undefined;
  const root =
    line?.root ?? `artifacts/${sha256Hex(`${bucket.name}/${bucket.prefix}`).slice(0, 16)}`;
  const name = `${root}/store`;
  const isKnown = (await records.get(name, { signal })) !== undefined;
  if (object !== undefined && !isKnown) {
    const message = `The handles of the artifacts in "${bucket.name}/${bucket.prefix}" are in other records; open the store with those that it was opened with first.`;
    throw new ArtifactStoreError("unavailable", message);
  }
  if (!isKnown) await records.write([{ put: name, value: null }]);
  if (line === undefined) {
    const body = new TextEncoder().encode(toCheckedLine({ root }));
    await bucket.put(key, body, signal);
  }
  return root;
}
