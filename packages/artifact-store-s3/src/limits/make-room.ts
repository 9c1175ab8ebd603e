import { mapConcurrent } from "@ccl/core/async";
import type { ArtifactHandle, StoreLimits } from "@ccl/artifact-store";
import { requireFit, sessionIdsOf, type BlobPut, type HandleKey } from "@ccl/artifact-store/driver";
import { collectBlobs } from "../collect/collect-blobs.ts";
import { isVisible } from "../handles/is-visible.ts";
import { listHandles } from "../handles/list-handles.ts";
import { removeHandles } from "../handles/remove-handles.ts";
import {
  artifactIdOf,
  parseBlobKey,
  parseReferences,
  parseSessionKey,
  sessionPrefix,
  type SessionEntry,
} from "../layout/s3-layout.ts";
import { parallelRequests, type S3Context } from "../s3-context.ts";
import type { Reservation } from "./ledger.ts";

/** A put under limits, with the reservations of others. */
export interface RoomRequest {
  puts: readonly BlobPut[];
  others: readonly Reservation[];
  limits: StoreLimits;
  now: number;
  signal?: AbortSignal | undefined;
}

/** What must be removed. Empty if the put fits. */
interface Eviction {
  handles: HandleKey[];
  unreferenced: string[];
}

/**
 * Makes the puts fit, by evicting if the limits say so. Counts what is stored by listing it, with one request per 1,000
 * keys, so that no sum can drift. True if something was removed, which requires another count, because a running put
 * can keep what it uses from being freed.
 * @throws ArtifactStoreError `limit_exceeded`, before anything is evicted
 */
export async function makeRoom(context: S3Context, request: RoomRequest): Promise<boolean> {
  const { limits, puts, now, signal } = request;
  const eviction: Eviction = { handles: [], unreferenced: [] };
  for (const sessionId of limits.maxSessionBytes === undefined ? [] : sessionIdsOf(puts)) {
    await fitSession(context, request, {
      sessionId,
      maxBytes: limits.maxSessionBytes ?? 0,
      eviction,
    });
  }
  if (limits.maxStoreBytes !== undefined) {
    await fitStore(context, request, { maxBytes: limits.maxStoreBytes, eviction });
  }
  await mapConcurrent(eviction.handles, parallelRequests, ({ artifactId, handleId }) =>
    removeHandles(context, artifactId, { match: { handleId }, now, signal }),
  );
  const artifactIds = [
    ...eviction.unreferenced,
    ...eviction.handles.map(({ artifactId }) => artifactId),
  ];
  if (artifactIds.length === 0) return false;
  await collectBlobs(context, {
    artifactIds,
    until: Infinity,
    isDryRun: false,
    signal,
  });
  return true;
}

async function fitSession(
  context: S3Context,
  request: RoomRequest,
  { sessionId, maxBytes, eviction }: { sessionId: string; maxBytes: number; eviction: Eviction },
): Promise<void> {
  const { puts, others, limits, signal } = request;
  const prefix = sessionPrefix(sessionId);
  const own = puts.filter((put) => put.handles.some((handle) => handle.sessionId === sessionId));
  const reserved = new Map(own.map(({ record }) => [record.artifactId, record.sizeBytes]));
  for (const { sessions, blobs } of others) {
    for (const id of sessions[prefix] ?? []) reserved.set(id, blobs[id] ?? 0);
  }
  const listed = await context.bucket.listAll(prefix, { signal });
  const all = listed.map(({ key }) => parseSessionKey(key)).filter((entry) => entry !== undefined);
  const total = (entries: readonly SessionEntry[]): number =>
    sum(
      new Map([
        ...reserved,
        ...entries.map(({ artifactId, sizeBytes }) => [artifactId, sizeBytes] as const),
      ]),
    );
  if (total(all) <= maxBytes) return;
  // Entries of failed puts do not count, like their handles.
  const visible = await mapConcurrent(all, parallelRequests, (entry) =>
    isVisible(context, entry, signal),
  );
  let left = all.filter((_, index) => visible[index] === true);
  const heldIds = new Set(left.map(({ artifactId }) => artifactId));
  const isGrowing = own.some(
    ({ record }) => record.sizeBytes > 0 && !heldIds.has(record.artifactId),
  );
  if (!isGrowing) return;
  const keptIds = new Set([...reserved.keys(), ...puts.map(({ record }) => record.artifactId)]);
  const evictable =
    limits.whenFull === "evict" ? left.filter(({ artifactId }) => !keptIds.has(artifactId)) : [];
  for (const oldest of evictable) {
    if (total(left) <= maxBytes) break;
    eviction.handles.push(oldest);
    left = left.filter((entry) => entry !== oldest);
  }
  requireFit("The session", total(left), maxBytes);
}

async function fitStore(
  context: S3Context,
  request: RoomRequest,
  { maxBytes, eviction }: { maxBytes: number; eviction: Eviction },
): Promise<void> {
  const { puts, others, limits, signal } = request;
  const kept = new Map(puts.map(({ record }) => [record.artifactId, record.sizeBytes]));
  for (const { blobs } of others)
    for (const [id, sizeBytes] of Object.entries(blobs)) kept.set(id, sizeBytes);
  const sizes = new Map<string, number>();
  for await (const page of context.bucket.listPages("blobs/", { signal })) {
    for (const { key } of page) sizes.set(artifactIdOf(key), parseBlobKey(key)?.sizeBytes ?? 0);
  }
  const isGrowing = puts.some(
    ({ record }) => record.sizeBytes > 0 && !sizes.has(record.artifactId),
  );
  for (const id of kept.keys()) sizes.delete(id);
  let total = sum(kept) + sum(sizes);
  if (total <= maxBytes || !isGrowing) return;
  if (limits.whenFull !== "evict") requireFit("The store", total, maxBytes);
  const handleCounts = await countClaims(context, signal);
  const free = (artifactId: string): void => {
    total -= sizes.get(artifactId) ?? 0;
    sizes.delete(artifactId);
  };
  // The eviction for a session may have made enough room already.
  for (const { artifactId } of eviction.handles) dropClaim(handleCounts, { artifactId, free });
  for (const artifactId of [...sizes.keys()].filter((id) => !handleCounts.has(id))) {
    if (total <= maxBytes) return;
    eviction.unreferenced.push(artifactId);
    free(artifactId);
  }
  const nameOf = ({ handleId, artifactId }: HandleKey): string => `${handleId}!${artifactId}`;
  const evicted = new Set(eviction.handles.map(nameOf));
  for await (const handle of allHandles(context, signal)) {
    if (total <= maxBytes) return;
    if (kept.has(handle.artifactId) || evicted.has(nameOf(handle))) continue;
    eviction.handles.push(handle);
    dropClaim(handleCounts, { artifactId: handle.artifactId, free });
  }
  requireFit("The store", total, maxBytes);
}

/** How many handles each artifact has, including those of running puts. */
async function countClaims(context: S3Context, signal?: AbortSignal): Promise<Map<string, number>> {
  const handles = new Map<string, Set<string>>();
  for await (const page of context.bucket.listPages("refs/", { signal })) {
    for (const { artifactId, handleId } of parseReferences(page.map(({ key }) => key)).claims) {
      const own = handles.get(artifactId) ?? new Set<string>();
      handles.set(artifactId, own.add(handleId));
    }
  }
  return new Map(Array.from(handles, ([artifactId, own]) => [artifactId, own.size]));
}

function dropClaim(
  counts: Map<string, number>,
  { artifactId, free }: { artifactId: string; free: (artifactId: string) => void },
): void {
  const left = (counts.get(artifactId) ?? 1) - 1;
  counts.set(artifactId, left);
  if (left === 0) free(artifactId);
}

async function* allHandles(
  context: S3Context,
  signal?: AbortSignal,
): AsyncGenerator<ArtifactHandle> {
  let after: HandleKey | undefined;
  for (;;) {
    const page = await listHandles(context, { limit: 100, after, signal });
    yield* page;
    after = page.at(-1);
    if (after === undefined) return;
  }
}

function sum(sizes: ReadonlyMap<string, number>): number {
  return Array.from(sizes.values()).reduce((total, sizeBytes) => total + sizeBytes, 0);
}
