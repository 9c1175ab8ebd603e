import { randomHex } from "@ccl/core/hash";
import type { S3Bucket } from "./s3-bucket.ts";
import { s3CodeOf, s3StatusOf } from "./s3-failure.ts";

/**
 * True if the server enforces `If-None-Match: *` and `If-Match`: a second write under the first, and a write with a
 * wrong ETag under the second, must be rejected. Some servers ignore these headers, and some answer 501.
 */
export async function probeConditions(bucket: S3Bucket, signal?: AbortSignal): Promise<boolean> {
  const key = `probe/${randomHex(16)}`;
  const body = new TextEncoder().encode(
    "Written to find out whether conditional writes are kept; safe to remove.\n",
  );
  try {
    if ((await bucket.put(key, body, { condition: "absent", signal })) === undefined) return false;
    if ((await bucket.put(key, body, { condition: "absent", signal })) !== undefined) return false;
    const wrongEtag = '"00000000000000000000000000000000"';
    return (await bucket.put(key, body, { condition: { etag: wrongEtag }, signal })) === undefined;
  } catch (error) {
    if (isNotImplemented(error)) return false;
    throw error;
  } finally {
    await bucket.remove(key, signal);
  }
}

function isNotImplemented(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return s3StatusOf(cause) === 501 || s3CodeOf(cause) === "NotImplemented";
}
