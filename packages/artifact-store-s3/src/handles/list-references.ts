import { parseReferences, type ReferenceListing } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";

/** What is stored below a prefix of one artifact's references right now. */
export async function listReferences(
  { bucket }: S3Context,
  prefix: string,
  signal?: AbortSignal,
): Promise<ReferenceListing> {
  return parseReferences(await bucket.listAll(prefix, { signal }));
}
