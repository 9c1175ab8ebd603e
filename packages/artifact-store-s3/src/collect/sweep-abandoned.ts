import { mapConcurrent } from "@ccl/core/async";
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from "@aws-sdk/client-s3";
import { parallelRequests, requestOptions } from "../bucket/s3-bucket.ts";
import { s3CodeOf, s3StatusOf } from "../bucket/s3-failure.ts";
import { readHandleAt } from "../handles/handle-objects.ts";
import { isVisible } from "../handles/is-visible.ts";
import { stagedAtOf } from "../layout/generation.ts";
import {
  handleKey,
  parseHandleKey,
  parseReferences,
  sessionKey,
  type Claim,
} from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";

const claimsAtOnce = 50_000;

/** Removes the remains of puts and removals that died more than `abandonedAfterMs` ago. */
export async function sweepAbandoned(context: S3Context, signal?: AbortSignal): Promise<void> {
  await sweepUploads(context, signal);
  let claims: Claim[] = [];
  for await (const page of context.bucket.listPages("refs/", { signal })) {
    const listing = parseReferences(page);
    claims.push(...listing.claims.filter(({ claimedAt }) => isAbandoned(context, claimedAt)));
    if (claims.length < claimsAtOnce) continue;
    await sweepClaims(context, claims, signal);
    claims = [];
  }
  await sweepClaims(context, claims, signal);
  await sweepBatches(context, signal);
}

/**
 * Aborts multipart uploads that were started long ago. False if the server cannot list uploads. Then a rule of the
 * bucket has to abort them.
 */
export async function sweepUploads(context: S3Context, signal?: AbortSignal): Promise<boolean> {
  const { bucket } = context;
  const input = { Bucket: bucket.name, Prefix: `${bucket.prefix}data/` };
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    let answer;
    try {
      answer = await bucket.client.send(
        new ListMultipartUploadsCommand({ ...input, ...markers }),
        requestOptions(signal),
      );
    } catch (error) {
      if (s3StatusOf(error) === 501 || s3CodeOf(error) === "NotImplemented") return false;
      return await bucket.request("ListMultipartUploads", "data/", () => Promise.reject(error));
    }
    await mapConcurrent(answer.Uploads ?? [], parallelRequests, async ({ Key = "", UploadId }) => {
      const stagedAt = stagedAtOf(Key.slice(bucket.prefix.length));
      if (stagedAt === undefined || UploadId === undefined || !isAbandoned(context, stagedAt))
        return;
      await abortUpload(context, { Key, UploadId }, signal);
    });
    if (answer.IsTruncated !== true || answer.NextKeyMarker === undefined) return true;
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = answer;
    markers = UploadIdMarker === undefined ? { KeyMarker } : { KeyMarker, UploadIdMarker };
  }
}

async function abortUpload(
  { bucket }: S3Context,
  upload: { Key: string; UploadId: string },
  signal?: AbortSignal,
): Promise<void> {
  await bucket.request("AbortMultipartUpload", upload.Key.slice(bucket.prefix.length), async () => {
    try {
      const input = { Bucket: bucket.name, ...upload };
      await bucket.client.send(new AbortMultipartUploadCommand(input), requestOptions(signal));
    } catch (error) {
      if (s3CodeOf(error) !== "NoSuchUpload") throw error;
    }
  });
}

function isAbandoned(context: S3Context, at: number): boolean {
  return at < context.clock.now() - context.abandonedAfterMs;
}

/** Nearly all old claims belong to handles, so one walk over the handles' keys finds those that do not. */
async function sweepClaims(
  context: S3Context,
  claims: readonly Claim[],
  signal?: AbortSignal,
): Promise<void> {
  if (claims.length === 0) return;
  const unmatched = new Map<string, Claim[]>();
  for (const claim of claims) {
    const key = handleKey(claim);
    unmatched.set(key, [...(unmatched.get(key) ?? []), claim]);
  }
  for await (const page of context.bucket.listPages("handles/", { signal })) {
    for (const { key } of page) {
      const [claim] = unmatched.get(key) ?? [];
      const isCommitted =
        claim === undefined || (await context.batches.isCommitted(claim.batch, signal));
      if (isCommitted) unmatched.delete(key);
    }
  }
  const uncommitted = [...unmatched.values()].flat();
  await mapConcurrent(uncommitted, parallelRequests, (claim) => sweepClaim(context, claim, signal));
}

async function sweepClaim(context: S3Context, claim: Claim, signal?: AbortSignal): Promise<void> {
  if (await isVisible(context, claim, signal)) return;
  const handle = await readHandleAt(context, { name: claim, key: claim.key }, signal);
  await context.bucket.remove(handleKey(claim), signal);
  if (handle !== undefined && !("isDamaged" in handle) && handle.sessionId !== undefined) {
    await context.bucket.remove(
      sessionKey(handle.sessionId, { ...claim, sizeBytes: handle.sizeBytes }),
      signal,
    );
  }
  await context.bucket.remove(claim.key, signal);
}

/** Removes batches whose last handle is gone. */
async function sweepBatches(context: S3Context, signal?: AbortSignal): Promise<void> {
  const batches = await context.bucket.listAll("batches/", { signal });
  const old = batches.filter(({ key }) => isAbandoned(context, parseInt(batchTime(key), 36)));
  if (old.length === 0) return;
  const living = new Set<string>();
  for await (const page of context.bucket.listPages("handles/", { signal })) {
    for (const { key } of page) living.add(parseHandleKey(key)?.batch ?? "");
  }
  const empty = old.filter(({ key }) => !living.has(key.slice("batches/".length)));
  await context.bucket.removeAll(empty, signal);
}

/** The padded time at the beginning of a batch's name. */
function batchTime(key: string): string {
  return key.slice("batches/".length).split("-")[0] ?? "";
}
