import { mapConcurrent } from "@ccl/core/async";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import { isVisible } from "../handles/is-visible.ts";
import { parseReferences, referencePrefix } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import { groupKeys, type KeyGroup } from "./scan-artifacts.ts";

/**
 * Ids that have a handle, rising, after `after`. A page may be shorter than `limit` before the end, but is empty only
 * there.
 */
export async function listIds(
  context: S3Context,
  options: { after?: string | undefined; limit: number; signal?: AbortSignal | undefined },
): Promise<string[]> {
  const { limit, signal } = options;
  const ids: string[] = [];
  let groups: KeyGroup[] = [];
  const settle = async (): Promise<void> => {
    const found = await mapConcurrent(groups, parallelRequests, async ({ artifactId, keys }) => {
      for (const claim of parseReferences(keys).claims)
        if (await isVisible(context, claim, signal)) return artifactId;
      return [];
    });
    ids.push(...found.flat());
    groups = [];
  };
  const after = options.after === undefined ? undefined : `${referencePrefix(options.after)}~`;
  for await (const group of groupKeys(context.bucket, "refs/", { after, signal })) {
    if (groups.push(group) >= limit) await settle();
    if (ids.length >= limit) break;
  }
  await settle();
  return ids.slice(0, limit);
}
