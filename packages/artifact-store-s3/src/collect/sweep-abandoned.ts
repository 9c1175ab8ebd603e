import { mapConcurrent } from "@ccl/core/async";
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from "@aws-sdk/client-s3";
import { parallelRequests, requestOptions } from "../bucket/s3-bucket.ts";
import { s3CodeOf, s3StatusOf } from "../bucket/s3-failure.ts";
import { removeCopy } from "../blobs/copies.ts";
import { entryPages, readEntries, removeEntry } from "../entries/blob-entry.ts";
import { isWritten } from "../entries/store-records.ts";
import { stagedAtOf } from "../layout/generation.ts";
import { artifactIdOf, parseBlobKey } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";

/**
 * Removes uploads, copies that no record refers to, and records of freed blobs, once they are older than
 * `abandonedAfterMs`. A put gives up before its copy is that old.
 */
export async function sweepAbandoned(context: S3Context, signal?: AbortSignal): Promise<void> {
  await sweepUploads(context, signal);
  for await (const page of context.bucket.listPages("blobs/", signal)) {
    const copies = page.flatMap((key) => {
      const { name: generation, committedAt } = parseBlobKey(key) ?? {};
      if (generation === undefined || !isAbandoned(context, committedAt)) return [];
      return { artifactId: artifactIdOf(key), generation };
    });
    const ids = copies.map(({ artifactId }) => artifactId);
    // Read after the listing, so that copies that a put now refers to are kept.
    const entries = await readEntries(context, ids, signal);
    const unnamed = copies.filter(({ generation }, index) => {
      const entry = entries[index];
      return entry?.version !== undefined && entry.generation !== generation;
    });
    await mapConcurrent(unnamed, parallelRequests, (copy) => removeCopy(context, copy, signal));
  }
  for await (const page of entryPages(context, { signal })) {
    for (const entry of page) {
      const isFreed = entry.generation === "" && entry.handleCount === 0;
      if (!isFreed || !isAbandoned(context, entry.touchedAt)) continue;
      await isWritten(context, [removeEntry(context, entry)]);
    }
  }
}

/**
 * Aborts multipart uploads that were started long ago. False if the server cannot list uploads. A bucket rule must then
 * abort them.
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
      throw bucket.failure(error, "ListMultipartUploads", "data/");
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

function isAbandoned(context: S3Context, at = Infinity): boolean {
  return at < context.clock.now() - context.abandonedAfterMs;
}
