import { mapConcurrent } from "@ccl/core/async";
import { randomHex } from "@ccl/core/hash";
import type { DriverWriteOptions, FoundHandle } from "@ccl/artifact-store/driver";
import {
  endingKey,
  handleKey,
  referencePrefix,
  sessionKey,
  type Claim,
} from "../layout/s3-layout.ts";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import type { S3Context } from "../s3-context.ts";
import { listReferences } from "./list-references.ts";
import { readHandle, readHandleAt } from "./handle-objects.ts";

/**
 * Removes the matching handles of an artifact and returns their number. The handle's own object is removed first, which
 * ends the reference for every reader. Entries that remain if the process dies point nowhere, and a later collection
 * removes them.
 */
export async function removeHandles(
  context: S3Context,
  artifactId: string,
  options: DriverWriteOptions & {
    match: { handleId?: string | undefined; sessionId?: string | undefined };
  },
): Promise<number> {
  const { match, now, signal } = options;
  const { bucket } = context;
  const { claims, endings } = await listReferences(context, referencePrefix(artifactId), signal);
  const byHandle = new Map<string, Claim[]>();
  for (const claim of claims) {
    if (match.handleId !== undefined && claim.handleId !== match.handleId) continue;
    const name = handleKey(claim);
    byHandle.set(name, [...(byHandle.get(name) ?? []), claim]);
  }
  const found = await mapConcurrent([...byHandle.values()], parallelRequests, async (own) => ({
    own,
    handle: await visibleHandle(context, own, signal),
  }));
  const matching = found.filter(
    ({ handle }) =>
      handle !== undefined &&
      (match.sessionId === undefined || sessionIdOf(handle) === match.sessionId),
  );
  if (matching.length === 0) return 0;
  // Written before the references are removed, so that a blob that lost its last one is never younger than its ending
  // says.
  await bucket.put(endingKey(artifactId, now, randomHex(16)), new Uint8Array(), { signal });
  await mapConcurrent(matching, parallelRequests, async ({ own, handle }) => {
    if (handle !== undefined) await removeOne(context, { claims: own, handle, signal });
  });
  const older = endings.filter((ending) => ending.at <= now);
  await context.bucket.removeAll(older, signal);
  return new Set(matching.map(({ handle }) => handle?.handleId)).size;
}

async function visibleHandle(
  context: S3Context,
  claims: readonly Claim[],
  signal?: AbortSignal,
): Promise<FoundHandle | undefined> {
  const [claim] = claims;
  if (claim === undefined || !(await context.batches.isCommitted(claim.batch, signal)))
    return undefined;
  const handle = await readHandle(context, claim, signal);
  // The claim holds a copy.
  return handle !== undefined && "isDamaged" in handle
    ? ((await readHandleAt(context, { name: claim, key: claim.key }, signal)) ?? handle)
    : handle;
}

/** Undefined for a damaged handle. */
function sessionIdOf(handle: FoundHandle): string | undefined {
  return "isDamaged" in handle ? undefined : handle.sessionId;
}

/** Removes the handle's object first, then what points to it. */
async function removeOne(
  context: S3Context,
  options: { claims: readonly Claim[]; handle: FoundHandle; signal?: AbortSignal | undefined },
): Promise<void> {
  const { claims, handle, signal } = options;
  const [claim] = claims;
  if (claim === undefined) return;
  await context.bucket.remove(handleKey(claim), signal);
  if (!("isDamaged" in handle) && handle.sessionId !== undefined) {
    await context.bucket.remove(
      sessionKey(handle.sessionId, { ...claim, sizeBytes: handle.sizeBytes }),
      signal,
    );
  }
  await context.bucket.removeAll(claims, signal);
}
