import { mapConcurrent } from "@ccl/core/async";
import { isVisible } from "../handles/is-visible.ts";
import { parseReferences, referencePrefix, type Claim } from "../layout/s3-layout.ts";
import { parallelRequests, type S3Context } from "../s3-context.ts";

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
  let claims = new Map<string, Claim[]>();
  const settle = async (): Promise<void> => {
    const found = await mapConcurrent([...claims], parallelRequests, async ([id, own]) =>
      (await hasVisible(context, own, signal)) ? id : "",
    );
    ids.push(...found.filter((id) => id !== ""));
    claims = new Map();
  };
  const after = options.after === undefined ? undefined : `${referencePrefix(options.after)}~`;
  for await (const page of context.bucket.listPages("refs/", { after, signal })) {
    for (const claim of parseReferences(page.map(({ key }) => key)).claims) {
      // An id is complete once the next one begins, so that all of its claims are considered.
      if (!claims.has(claim.artifactId) && claims.size >= limit) await settle();
      if (ids.length >= limit) return ids.slice(0, limit);
      claims.set(claim.artifactId, [...(claims.get(claim.artifactId) ?? []), claim]);
    }
  }
  await settle();
  return ids.slice(0, limit);
}

async function hasVisible(
  context: S3Context,
  claims: readonly Claim[],
  signal?: AbortSignal,
): Promise<boolean> {
  for (const claim of claims) {
    if (await isVisible(context, claim, signal)) return true;
  }
  return false;
}
