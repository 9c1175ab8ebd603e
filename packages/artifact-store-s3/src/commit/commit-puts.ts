import { mapConcurrent } from "@ccl/core/async";
import { ArtifactStoreError, type ArtifactHandle } from "@ccl/artifact-store";
import type { BlobPut, CommitOutcome, DriverWriteOptions } from "@ccl/artifact-store/driver";
import { planGeneration } from "../blobs/write-generation.ts";
import { passingFailure } from "../bucket/s3-failure.ts";
import { handleBody, readHandle } from "../handles/handle-objects.ts";
import { isVisible } from "../handles/is-visible.ts";
import { createStagedName, timeToken, type Generation } from "../layout/generation.ts";
import {
  batchKey,
  blobKey,
  blobPrefix,
  claimKey,
  claimPrefix,
  condemnedPrefix,
  handleKey,
  noBatch,
  parseBlobKey,
  sessionKey,
  sourceKeyOf,
  type Claim,
} from "../layout/s3-layout.ts";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import { listReferences } from "../handles/list-references.ts";
import { cleanupSignal, type S3Context } from "../s3-context.ts";

/** A put in progress: its new handles, and the copy that they will name. */
interface PendingPut {
  put: BlobPut;
  handles: ArtifactHandle[];
  existing: Generation | undefined;
  generation?: Generation | undefined;
}

/** Keys that were written, for a rollback after a failure. */
interface Written {
  /** Claims and session entries, which mean nothing without their handles' objects. */
  pointers: Set<string>;
  handles: Set<string>;
  /** The object that makes the commit visible, once its write has started. */
  commitKey: string | undefined;
}

/**
 * Makes puts visible all at once: first the claims, which protect copies from collection, then the bytes, then the
 * handles, and for more than one handle the object of their batch, without which none of them counts.
 */
export async function commitPuts(
  context: S3Context,
  puts: readonly BlobPut[],
  options: DriverWriteOptions & { deadlineMs?: number | undefined },
): Promise<CommitOutcome[]> {
  const { now, signal } = options;
  const startedAt = context.clock.now();
  const pending = await mapConcurrent(puts, parallelRequests, (put) =>
    preparePut(context, put, signal),
  );
  const isBatch = pending.reduce((sum, { handles }) => sum + handles.length, 0) > 1;
  const { random } = createStagedName(now);
  const batch = isBatch ? `${timeToken(context.clock.now())}-${random}` : noBatch;
  const written: Written = { pointers: new Set(), handles: new Set(), commitKey: undefined };
  try {
    const outcomes = await mapConcurrent(pending, parallelRequests, (item) =>
      settleBlob(context, item, { batch, now, signal, written }),
    );
    // Collections remove claims that are old enough to be abandoned, so a put that took that long must not become
    // visible.
    if (context.clock.now() - startedAt > (options.deadlineMs ?? context.abandonedAfterMs / 2))
      throw passingFailure(
        "The put took longer than unfinished puts are kept; nothing was stored.",
      );
    signal?.throwIfAborted();
    await mapConcurrent(pending, parallelRequests, (item) =>
      writeHandles(context, item, { batch, now, signal, written }),
    );
    if (isBatch) {
      written.commitKey = batchKey(batch);
      await context.bucket.putNew(written.commitKey, new Uint8Array(), signal);
      context.batches.remember(batch);
    }
    return outcomes;
  } catch (error) {
    await takeBack(context, written).catch(() => undefined);
    throw error;
  }
}

async function preparePut(
  context: S3Context,
  put: BlobPut,
  signal?: AbortSignal,
): Promise<PendingPut> {
  const { artifactId } = put.record;
  const [blobs, known] = await Promise.all([
    context.bucket.listAll(blobPrefix(artifactId), { signal }),
    mapConcurrent(put.handles, parallelRequests, (handle) => isKnown(context, handle, signal)),
  ]);
  const generations = blobs
    .map(({ key }) => parseBlobKey(key))
    .filter((found) => found !== undefined);
  return {
    put,
    handles: put.handles.filter((_, index) => known[index] !== true),
    existing: generations.at(-1),
  };
}

/** True if the handle exists already, as after a retry or a copy. */
async function isKnown(
  context: S3Context,
  handle: ArtifactHandle,
  signal?: AbortSignal,
): Promise<boolean> {
  const { claims } = await listReferences(
    context,
    `${claimPrefix(handle.artifactId)}${handle.handleId}!`,
    signal,
  );
  for (const claim of claims) {
    if (await isVisible(context, claim, signal)) return true;
  }
  return false;
}

interface Step {
  batch: string;
  now: number;
  signal: AbortSignal | undefined;
  written: Written;
}

/** Returns a copy that exists, is claimed and is not condemned. */
async function settleBlob(
  context: S3Context,
  item: PendingPut,
  step: Step,
): Promise<CommitOutcome> {
  const { existing, put } = item;
  const { artifactId } = put.record;
  let left: Claim[] = [];
  if (existing !== undefined) {
    item.generation = existing;
    left = await writeClaims(context, item, step);
    if (await isThere(context, artifactId, { generation: existing, signal: step.signal }))
      return "present";
  }
  const plan = planGeneration(context, put, step.now);
  item.generation = plan.generation;
  await writeClaims(context, item, step);
  await plan.write(step.signal);
  await context.bucket.removeAll(left, step.signal);
  return "written";
}

/**
 * True if a claimed copy will stay. A collection condemns a copy before it looks for claims, and lifts its mark only
 * after the removal. So if the claim is written, then no mark is seen, then the bytes are seen, every later collection
 * sees the claim.
 */
async function isThere(
  context: S3Context,
  artifactId: string,
  { generation, signal }: { generation: Generation; signal: AbortSignal | undefined },
): Promise<boolean> {
  const marks = await context.bucket.listAll(condemnedPrefix(artifactId, generation.name), {
    pageKeys: 1,
    signal,
  });
  if (marks.length > 0) return false;
  const record = await context.bucket.sizeOf(blobKey(artifactId, generation.name), signal);
  if (record === undefined || generation.dataKey === undefined) return record !== undefined;
  return (await context.bucket.sizeOf(generation.dataKey, signal)) !== undefined;
}

async function writeClaims(context: S3Context, item: PendingPut, step: Step): Promise<Claim[]> {
  return await mapConcurrent(item.handles, parallelRequests, async (handle) => {
    const claim = claimOf(context, { handle, generation: item.generation, batch: step.batch });
    const entry =
      handle.sessionId === undefined
        ? undefined
        : sessionKey(handle.sessionId, { ...claim, sizeBytes: handle.sizeBytes });
    const keys = entry === undefined ? [claim.key] : [claim.key, entry];
    await Promise.all(
      keys.map(async (key) => {
        step.written.pointers.add(key);
        await context.bucket.put(key, handleBody(handle), { signal: step.signal });
      }),
    );
    return claim;
  });
}

function claimOf(
  context: S3Context,
  options: { handle: ArtifactHandle; generation: Generation | undefined; batch: string },
): Claim {
  const { handle, generation, batch } = options;
  if (generation === undefined)
    throw new ArtifactStoreError("store_failed", "A put reached its claims without a copy.");
  const { artifactId, handleId, source } = handle;
  const fields = { artifactId, handleId, batch, sourceKey: sourceKeyOf(source), generation };
  const claim = { ...fields, claimedAt: context.clock.now() };
  return { ...claim, key: claimKey(claim) };
}

async function writeHandles(context: S3Context, item: PendingPut, step: Step): Promise<void> {
  await mapConcurrent(item.handles, parallelRequests, async (handle) => {
    const { handleId, artifactId, source } = handle;
    const entry = { handleId, artifactId, batch: step.batch, sourceKey: sourceKeyOf(source) };
    const key = handleKey(entry);
    if (step.batch === noBatch) step.written.commitKey = key;
    else step.written.handles.add(key);
    const etag = await context.bucket.putNew(key, handleBody(handle), step.signal);
    if (etag !== undefined) return;
    // The SDK's retry met its own first attempt, or another process imported the same handle.
    if ((await readHandle(context, entry, step.signal)) !== undefined) return;
    step.written.commitKey = undefined;
    throw passingFailure(`The handle ${handleId} was removed while it was stored.`);
  });
}

/**
 * Removes what a failed commit wrote. If the write that makes it visible had started, it may still arrive. Then only
 * that object is removed and the claims stay, so that a late arrival never names a blob that is gone.
 */
async function takeBack(context: S3Context, written: Written): Promise<void> {
  const signal = cleanupSignal();
  if (written.commitKey !== undefined) {
    await context.bucket.remove(written.commitKey, signal);
    return;
  }
  await context.bucket.removeAll(
    Array.from([...written.handles, ...written.pointers], (key) => ({ key })),
    signal,
  );
}
