import type { HandleKey, StoreLimits } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { BlobPut } from "../artifact-driver.ts";

/** The contents of a store before a commit. */
export interface StoreUsage<Handle extends HandleKey> {
  /** Oldest first. */
  handles: readonly Handle[];
  /** The size of each blob, with or without handles. */
  sizes: ReadonlyMap<string, number>;
  /** Returns a test for handles of a session. */
  inSession: (sessionId: string) => (handle: Handle) => boolean;
}

/** Handles and blobs that are removed to make room. */
export interface Eviction<Handle extends HandleKey> {
  handles: ReadonlySet<Handle>;
  /** Blobs to free, including those that lose their last handle. */
  artifactIds: ReadonlySet<string>;
}

/**
 * Chooses what to remove so that the puts fit, as `StoreLimits` describes. Under `reject` this is nothing. Never
 * removes an artifact of the puts.
 * @throws ArtifactStoreError `limit_exceeded`
 */
export function planEviction<Handle extends HandleKey>(
  { handles, sizes, inSession }: StoreUsage<Handle>,
  puts: readonly BlobPut[],
  { maxSessionBytes = Infinity, maxStoreBytes = Infinity, whenFull }: StoreLimits,
): Eviction<Handle> {
  const isEvicting = whenFull === "evict";
  const kept = new Set(puts.map(({ record }) => record.artifactId));
  const sizeOf = (artifactId: string): number => sizes.get(artifactId) ?? 0;
  const counts = countById(handles);
  const evicted = { handles: new Set<Handle>(), artifactIds: new Set<string>() };
  const evict = (handle: Handle): void => {
    evicted.handles.add(handle);
    if (decrement(counts, handle) === 0) evicted.artifactIds.add(handle.artifactId);
  };
  for (const sessionId of sessionIdsOf(puts)) {
    const own = puts.filter((put) => put.handles.some((each) => each.sessionId === sessionId));
    const before = handles.filter(inSession(sessionId));
    const held = countById(before);
    const added = own.filter(({ record }) => !held.has(record.artifactId));
    const addedBytes = sum(added.map(({ record }) => record.sizeBytes));
    if (addedBytes === 0) continue;
    let bytes = addedBytes + sum(Array.from(held.keys(), sizeOf));
    for (const handle of isEvicting ? before : []) {
      if (bytes <= maxSessionBytes) break;
      if (kept.has(handle.artifactId)) continue;
      evict(handle);
      if (decrement(held, handle) === 0) bytes -= sizeOf(handle.artifactId);
    }
    requireFit("The session", bytes, maxSessionBytes);
  }
  const added = puts.filter(({ record }) => !sizes.has(record.artifactId));
  const addedBytes = sum(added.map(({ record }) => record.sizeBytes));
  if (addedBytes === 0) return evicted;
  let bytes = addedBytes + sum(sizes.values()) - sum(Array.from(evicted.artifactIds, sizeOf));
  for (const [artifactId, sizeBytes] of isEvicting ? sizes : []) {
    if (bytes <= maxStoreBytes) break;
    if (counts.has(artifactId) || kept.has(artifactId)) continue;
    evicted.artifactIds.add(artifactId);
    bytes -= sizeBytes;
  }
  for (const handle of isEvicting ? handles : []) {
    if (bytes <= maxStoreBytes) break;
    if (kept.has(handle.artifactId) || evicted.handles.has(handle)) continue;
    evict(handle);
    if (evicted.artifactIds.has(handle.artifactId)) bytes -= sizeOf(handle.artifactId);
  }
  requireFit("The store", bytes, maxStoreBytes);
  return evicted;
}

/** Returns the sessions that the puts add handles to. */
export function sessionIdsOf(puts: readonly BlobPut[]): Set<string> {
  return new Set(
    puts.flatMap(({ handles }) => handles.flatMap(({ sessionId }) => sessionId ?? [])),
  );
}

/** True if a limit depends on what the store already holds. */
export function hasSharedLimits({ maxSessionBytes, maxStoreBytes }: StoreLimits): boolean {
  return maxSessionBytes !== undefined || maxStoreBytes !== undefined;
}

/** @throws ArtifactStoreError `limit_exceeded` if the bytes do not fit */
export function requireFit(what: string, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const message = `${what} would hold ${bytes} bytes, and its limit is ${maxBytes}; nothing was stored.`;
  throw new ArtifactStoreError("limit_exceeded", message, { details: { maxBytes } });
}

function countById(handles: readonly HandleKey[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { artifactId } of handles) counts.set(artifactId, (counts.get(artifactId) ?? 0) + 1);
  return counts;
}

function decrement(counts: Map<string, number>, { artifactId }: HandleKey): number {
  const count = (counts.get(artifactId) ?? 0) - 1;
  counts.set(artifactId, count);
  return count;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
