import { handleKey, type HandleEntry } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";

/** True if a handle counts: its batch is committed and its own object exists. */
export async function isVisible(
  context: S3Context,
  entry: HandleEntry,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!(await context.batches.isCommitted(entry.batch, signal))) return false;
  return (await context.bucket.sizeOf(handleKey(entry), signal)) !== undefined;
}
