import { mapConcurrent } from "@ccl/core/async";
import type { DriverCollectOptions, FreedBlob } from "@ccl/artifact-store/driver";
import { removeCopy } from "../blobs/copies.ts";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import { entryPages, putEntry, readEntries, type BlobEntry } from "../entries/blob-entry.ts";
import { isWritten } from "../entries/store-records.ts";
import type { S3Context } from "../s3-context.ts";
import { sweepAbandoned } from "./sweep-abandoned.ts";

/**
 * Frees blobs without handles. A blob's record is marked as freed before its bytes are removed, and only if nothing has
 * changed since the record was read. So no put can refer to the copy any more.
 */
export async function collectBlobs(
  context: S3Context,
  options: DriverCollectOptions,
): Promise<FreedBlob[]> {
  const { artifactIds, isDryRun, signal } = options;
  const freed: FreedBlob[] = [];
  const pages =
    artifactIds === undefined
      ? entryPages(context, { signal })
      : [await readEntries(context, [...new Set(artifactIds)], signal)];
  for await (const entries of pages) {
    const gone = await mapConcurrent(entries, parallelRequests, (entry) =>
      free(context, entry, options),
    );
    freed.push(...gone.flat());
  }
  if (!isDryRun && artifactIds === undefined) await sweepAbandoned(context, signal);
  return freed;
}

async function free(
  context: S3Context,
  entry: BlobEntry,
  { until, isDryRun, signal }: DriverCollectOptions,
): Promise<FreedBlob | []> {
  const { artifactId, generation, handleCount, sizeBytes, touchedAt } = entry;
  if (generation === "" || handleCount > 0 || touchedAt > until) return [];
  if (!isDryRun) {
    signal?.throwIfAborted();
    const touchedAt = Math.max(entry.touchedAt, context.clock.now());
    if (!(await isWritten(context, [putEntry(context, { ...entry, generation: "", touchedAt })])))
      return [];
    await removeCopy(context, entry, signal);
  }
  return { artifactId, sizeBytes };
}

/** Returns the ids after `after` that have a handle, in ascending order. */
export async function listIds(
  context: S3Context,
  options: { after?: string | undefined; limit: number; signal?: AbortSignal | undefined },
): Promise<string[]> {
  const { limit } = options;
  const ids: string[] = [];
  for await (const entries of entryPages(context, options)) {
    ids.push(...entries.flatMap((entry) => (entry.handleCount > 0 ? entry.artifactId : [])));
    if (ids.length >= limit) break;
  }
  return ids.slice(0, limit);
}
