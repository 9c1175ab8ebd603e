import type { StoreLimits } from "@ccl/artifact-store";
import {
  planEviction,
  sessionIdsOf,
  type BlobPut,
  type DriverWriteOptions,
  type FoundHandle,
} from "@ccl/artifact-store/driver";
import type { RecordChange } from "@ccl/records";
import { entryPages, putEntry, type BlobEntry } from "../entries/blob-entry.ts";
import { listHandles, removeHandle } from "../entries/handle-entries.ts";
import type { BlobCopy } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";

/** Changes that are written together with puts so that the puts fit. */
export interface Room {
  changes: RecordChange[];
  /** Copies that nothing refers to after the write. */
  freed: BlobCopy[];
}

/**
 * Chooses what to remove so that the puts fit. Computes the sums by listing what is stored, so that they cannot drift.
 * One of the changes is to a record that every put under limits writes, so no two puts can use the same space.
 * @throws ArtifactStoreError `limit_exceeded`, with nothing changed
 */
export async function makeRoom(
  context: S3Context,
  puts: readonly BlobPut[],
  { limits, now, signal }: DriverWriteOptions & { limits: StoreLimits },
): Promise<Room> {
  const name = `${context.root}/limits`;
  const before = await context.records.get(name, { signal });
  const blobs = new Map<string, BlobEntry>();
  for await (const page of entryPages(context, { signal }))
    for (const entry of page) if (entry.generation !== "") blobs.set(entry.artifactId, entry);
  const { handles, artifactIds } = planEviction<FoundHandle>(
    {
      handles: await countedHandles(context, puts, { limits, signal }),
      sizes: new Map(Array.from(blobs.values(), (blob) => [blob.artifactId, blob.sizeBytes])),
      inSession: (sessionId) => (handle) =>
        !("isDamaged" in handle) && handle.sessionId === sessionId,
    },
    puts,
    limits,
  );
  const room: Room = {
    changes: [{ put: name, value: null, expectedVersion: before?.version ?? 0 }],
    freed: [],
  };
  for (const artifactId of new Set([
    ...Array.from(handles, (handle) => handle.artifactId),
    ...artifactIds,
  ])) {
    const entry = blobs.get(artifactId);
    if (entry === undefined) continue;
    const lost = [...handles].filter((handle) => handle.artifactId === artifactId);
    const generation = artifactIds.has(artifactId) ? "" : entry.generation;
    const handleCount = entry.handleCount - lost.length;
    room.changes.push(
      putEntry(context, { ...entry, generation, handleCount, touchedAt: now }),
      ...lost.flatMap((handle) => removeHandle(context, handle)),
    );
    if (generation === "") room.freed.push(entry);
  }
  return room;
}

/** Returns all handles if some may be evicted, otherwise those of the puts' sessions. */
async function countedHandles(
  context: S3Context,
  puts: readonly BlobPut[],
  { limits, signal }: { limits: StoreLimits; signal: AbortSignal | undefined },
): Promise<FoundHandle[]> {
  if (limits.whenFull === "evict") return await listHandles(context, { limit: Infinity, signal });
  const handles: FoundHandle[] = [];
  for (const sessionId of limits.maxSessionBytes === undefined ? [] : sessionIdsOf(puts))
    handles.push(...(await listHandles(context, { sessionId, limit: Infinity, signal })));
  return handles;
}
