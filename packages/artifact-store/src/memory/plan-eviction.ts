import type { ArtifactHandle, StoreLimits } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { BlobPut } from "../driver/artifact-driver.ts";
import type { MemoryState } from "./memory-state.ts";

/** What goes to make room; blobs that lose their last handle are among the freed ones. */
export interface Eviction {
  handles: Set<ArtifactHandle>;
  artifactIds: Set<string>;
}

/**
 * What must go so that the puts fit; nothing under `reject`. The puts' own artifacts stay, whoever else has handles of them.
 * @throws ArtifactStoreError `limit_exceeded`
 */
export function planEviction(
  state: MemoryState,
  puts: readonly BlobPut[],
  limits: StoreLimits,
): Eviction {
  const eviction: Eviction = { handles: new Set(), artifactIds: new Set() };
  const { maxSessionBytes, maxStoreBytes, whenFull = "reject" } = limits;
  const request = { state, puts, eviction, isEvicting: whenFull === "evict" };
  if (maxSessionBytes !== undefined) {
    const sessions = new Set(
      puts.flatMap((put) => put.handles.flatMap(({ sessionId }) => sessionId ?? [])),
    );
    for (const sessionId of sessions) fitSession(request, sessionId, maxSessionBytes);
  }
  if (maxStoreBytes !== undefined) fitStore(request, maxStoreBytes);
  return eviction;
}

interface Request {
  state: MemoryState;
  puts: readonly BlobPut[];
  eviction: Eviction;
  isEvicting: boolean;
}

function fitSession(request: Request, sessionId: string, maxBytes: number): void {
  const { state, puts, eviction, isEvicting } = request;
  const own = puts.filter((put) => put.handles.some((handle) => handle.sessionId === sessionId));
  const ownIds = new Set(own.map(({ record }) => record.artifactId));
  const before = state.handles.filter((handle) => handle.sessionId === sessionId);
  const heldIds = new Set(before.map(({ artifactId }) => artifactId));
  const isGrowing = own.some(
    ({ record }) => record.sizeBytes > 0 && !heldIds.has(record.artifactId),
  );
  if (!isGrowing) return;
  const others = before.filter(({ artifactId }) => !ownIds.has(artifactId));
  const kept = idsOf(puts);
  const counts = countBy(others);
  let total = sum(own.map(({ record }) => record.sizeBytes));
  for (const artifactId of counts.keys())
    total += state.blobs.get(artifactId)?.record.sizeBytes ?? 0;
  for (const handle of isEvicting ? others : []) {
    if (total <= maxBytes) break;
    if (kept.has(handle.artifactId)) continue;
    const left = (counts.get(handle.artifactId) ?? 1) - 1;
    counts.set(handle.artifactId, left);
    if (left === 0) total -= state.blobs.get(handle.artifactId)?.record.sizeBytes ?? 0;
    evict(state, eviction, handle);
  }
  if (total > maxBytes) throw limitExceeded("The session", total, maxBytes);
}

function fitStore({ state, puts, eviction, isEvicting }: Request, maxBytes: number): void {
  const kept = idsOf(puts);
  const sizeOf = (artifactId: string): number =>
    kept.has(artifactId) ? 0 : (state.blobs.get(artifactId)?.record.sizeBytes ?? 0);
  const added = puts.filter(({ record }) => !state.blobs.has(record.artifactId));
  const addedBytes = sum(added.map(({ record }) => record.sizeBytes));
  if (addedBytes === 0) return;
  const before = state.storeBytes + addedBytes;
  const excess = (): number => before - maxBytes - sum(Array.from(eviction.artifactIds, sizeOf));
  if (excess() <= 0) return;
  const unreferenced = [...state.blobs].filter(
    ([id, { handles }]) => handles.length === 0 && !kept.has(id),
  );
  for (const [artifactId] of isEvicting ? unreferenced : []) {
    if (excess() <= 0) return;
    eviction.artifactIds.add(artifactId);
  }
  for (const handle of isEvicting ? state.handles : []) {
    if (excess() <= 0) return;
    if (!kept.has(handle.artifactId)) evict(state, eviction, handle);
  }
  if (excess() > 0) throw limitExceeded("The store", excess() + maxBytes, maxBytes);
}

function evict(state: MemoryState, eviction: Eviction, handle: ArtifactHandle): void {
  eviction.handles.add(handle);
  const handles = state.blobs.get(handle.artifactId)?.handles ?? [];
  if (handles.every((each) => eviction.handles.has(each)))
    eviction.artifactIds.add(handle.artifactId);
}

function idsOf(puts: readonly BlobPut[]): ReadonlySet<string> {
  return new Set(puts.map(({ record }) => record.artifactId));
}

function countBy(handles: readonly ArtifactHandle[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { artifactId } of handles) counts.set(artifactId, (counts.get(artifactId) ?? 0) + 1);
  return counts;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function limitExceeded(what: string, bytes: number, maxBytes: number): ArtifactStoreError {
  const message = `${what} would hold ${bytes} bytes, and its limit is ${maxBytes}; nothing was stored.`;
  return new ArtifactStoreError("limit_exceeded", message, { details: { maxBytes } });
}
