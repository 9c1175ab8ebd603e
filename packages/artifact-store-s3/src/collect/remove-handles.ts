import { isMatch, type DriverWriteOptions } from "@ccl/artifact-store/driver";
import { pauseBeforeRetry } from "../bucket/pause-before-retry.ts";
import { putEntry, readWritableEntry } from "../entries/blob-entry.ts";
import { handlesOf, removeHandle } from "../entries/handle-entries.ts";
import { isWritten } from "../entries/store-records.ts";
import type { S3Context } from "../s3-context.ts";

/** Removes the matching handles of an artifact and returns their number. */
export async function removeHandles(
  context: S3Context,
  artifactId: string,
  options: DriverWriteOptions & {
    match: { handleId?: string | undefined; sessionId?: string | undefined };
  },
): Promise<number> {
  const { match, now, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    const entry = await readWritableEntry(context, artifactId, signal);
    const handles = await handlesOf(context, artifactId, signal);
    const matching = handles.filter((handle) => isMatch(handle, match));
    if (matching.length === 0) return 0;
    const handleCount = entry.handleCount - matching.length;
    const touchedAt = Math.max(entry.touchedAt, now);
    signal?.throwIfAborted();
    const changes = [
      putEntry(context, { ...entry, handleCount, touchedAt }),
      ...matching.flatMap((handle) => removeHandle(context, handle)),
    ];
    if (await isWritten(context, changes)) return matching.length;
    await pauseBeforeRetry(Math.min(attempt, 4), signal);
  }
}
