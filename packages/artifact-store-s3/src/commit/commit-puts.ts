import { mapConcurrent } from "@ccl/core/async";
import type { StoreLimits } from "@ccl/artifact-store";
import {
  hasSharedLimits,
  type BlobPut,
  type CommitOutcome,
  type DriverWriteOptions,
} from "@ccl/artifact-store/driver";
import type { RecordChange } from "@ccl/records";
import { removeCopy } from "../blobs/copies.ts";
import { nameCopy, writeCopy } from "../blobs/write-generation.ts";
import { pauseBeforeRetry } from "../bucket/pause-before-retry.ts";
import { parallelRequests } from "../bucket/s3-bucket.ts";
import { passingFailure } from "../bucket/s3-failure.ts";
import { putEntry, readWritableEntry } from "../entries/blob-entry.ts";
import { newHandles, putHandle } from "../entries/handle-entries.ts";
import { isWritten } from "../entries/store-records.ts";
import type { BlobCopy } from "../layout/s3-layout.ts";
import { cleanupSignal, type S3Context } from "../s3-context.ts";
import { makeRoom } from "./make-room.ts";

const maxAttempts = 60;

/** Options of a commit. */
export interface CommitOptions extends DriverWriteOptions {
  limits: StoreLimits;
  /** True to write new copies of existing blobs. */
  isRepair?: boolean | undefined;
}

/** A put whose bytes are already in the bucket. */
interface PlannedPut {
  outcome: CommitOutcome;
  changes: RecordChange[];
  /** The copy that will be read from now on. */
  copy: BlobCopy;
  /** The copy that was read before, if it is a different one. */
  replaced: BlobCopy | undefined;
}

/**
 * Writes the bytes under new names, then all records in one step, which makes the puts visible. If another writer has
 * changed one of the records, the puts are planned again.
 */
export async function commitPuts(
  context: S3Context,
  puts: readonly BlobPut[],
  options: CommitOptions,
): Promise<CommitOutcome[]> {
  const { now, signal, limits } = options;
  const written = new Map<BlobPut, BlobCopy>();
  let isUncertain = false;
  let unused: BlobCopy[] = [];
  try {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const room = hasSharedLimits(limits)
        ? await makeRoom(context, puts, options)
        : { changes: [], freed: [] };
      const planned = await mapConcurrent(puts, parallelRequests, (put) =>
        planPut(context, put, { ...options, written }),
      );
      // A sweep removes copies of that age that no record refers to.
      if (context.clock.now() - now > context.abandonedAfterMs / 2)
        throw passingFailure(
          "The put took longer than unfinished puts are kept; nothing was stored.",
        );
      signal?.throwIfAborted();
      // If this call fails other than by a conflict, the records may still have been written.
      isUncertain = true;
      if (await isWritten(context, [...room.changes, ...planned.flatMap((put) => put.changes)])) {
        const named = new Set(planned.map(({ copy }) => copy.generation));
        unused = [...room.freed, ...planned.flatMap(({ replaced = [] }) => replaced)];
        unused.push(...[...written.values()].filter(({ generation }) => !named.has(generation)));
        return planned.map(({ outcome }) => outcome);
      }
      isUncertain = false;
      await pauseBeforeRetry(Math.min(attempt, 4), signal);
    }
    throw passingFailure(
      `Other writers were first ${maxAttempts} times in a row; nothing was stored.`,
      "conflict",
    );
  } catch (error) {
    if (!isUncertain) unused = [...written.values()];
    throw error;
  } finally {
    // A later sweep removes what cannot be removed now.
    await mapConcurrent(unused, parallelRequests, (copy) =>
      removeCopy(context, copy, cleanupSignal()).catch(() => undefined),
    );
  }
}

async function planPut(
  context: S3Context,
  put: BlobPut,
  options: CommitOptions & { written: Map<BlobPut, BlobCopy> },
): Promise<PlannedPut> {
  const { now, signal, isRepair = false, written } = options;
  const { artifactId, sizeBytes } = put.record;
  const entry = await readWritableEntry(context, artifactId, signal);
  const handles = await newHandles(context, put.handles, signal);
  const hasCopy = entry.generation !== "";
  const isPresent = hasCopy && !isRepair;
  if (!isPresent && !written.has(put)) {
    const copy = nameCopy(put, now);
    // Set before the copy is written, so that a failure removes any part of it.
    written.set(put, copy);
    await writeCopy(context, put, { ...copy, signal });
  }
  const copy = isPresent ? entry : (written.get(put) ?? entry);
  const change = putEntry(context, {
    ...entry,
    sizeBytes: isPresent ? entry.sizeBytes : sizeBytes,
    generation: copy.generation,
    touchedAt: Math.max(entry.touchedAt, now),
    isQuarantined: isPresent && entry.isQuarantined,
    handleCount: entry.handleCount + handles.length,
  });
  return {
    outcome: isPresent ? "present" : "written",
    changes: [change, ...handles.flatMap((handle) => putHandle(context, handle))],
    copy,
    replaced: hasCopy && !isPresent ? entry : undefined,
  };
}
