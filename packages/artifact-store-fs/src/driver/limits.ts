import { ArtifactStoreError, type StoreLimits } from "@ccl/artifact-store";
import type { BlobPut, CommitOutcome } from "@ccl/artifact-store/driver";
import { unless, withFileLock } from "@ccl/core/node";
import { join } from "node:path";
import { entryName, nameKey, type ReferenceEntry } from "../layout/entry-name.ts";
import { shardPath, syncNames } from "../layout/store-folder.ts";
import { collectGarbage } from "./collect-garbage.ts";
import type { FsStore } from "./fs-store.ts";
import { compareHandles } from "./references.ts";
import type { ShardUsage } from "./shard-usage.ts";

/** After which a lock of another machine or container counts as left behind. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Whether a commit has to look at what the store holds. */
export function hasLimits(limits: StoreLimits): boolean {
  return limits.maxSessionBytes !== undefined || limits.maxStoreBytes !== undefined;
}

/**
 * Commits within the limits, one writer at a time. What is there is counted from the names of the files, so that no crash
 * can leave a wrong count. What must make room goes once the commit has succeeded.
 * @throws ArtifactStoreError `limit_exceeded`, and nothing has changed
 */
export function commitWithinLimits(
  store: FsStore,
  {
    puts,
    limits,
    commit,
  }: { puts: readonly BlobPut[]; limits: StoreLimits; commit: () => Promise<CommitOutcome[]> },
  options: { signal?: AbortSignal | undefined },
): Promise<CommitOutcome[]> {
  const path = join(store.root, "limits.lock");
  // It guards sums, never bytes: those are safe without it.
  const lockOptions = { ...options, waitMs: Infinity, abandonedAfterMs };
  return withFileLock(path, lockOptions, async () => {
    const nowMs = (await store.fs.status(path))?.changedAtMs ?? 0;
    const shards = await store.usage.read(nowMs);
    if (fitsAsItIs(shards, puts, limits)) return commit();
    const eviction = planEviction(usageOf(shards), puts, limits);
    const outcomes = await commit();
    await evict(store, eviction);
    return outcomes;
  });
}

/** Whether nothing has to go; from sums alone. */
function fitsAsItIs(
  shards: readonly ShardUsage[],
  puts: readonly BlobPut[],
  limits: StoreLimits,
): boolean {
  const { maxSessionBytes = Infinity, maxStoreBytes = Infinity } = limits;
  const isThere = (id: string): boolean => shards.some(({ sizes }) => sizes.has(id));
  const added = puts.filter(({ record }) => !isThere(record.artifactId));
  const storeBytes =
    sum(shards.map(({ bytes }) => bytes)) + sum(added.map(({ record }) => record.sizeBytes));
  if (storeBytes > maxStoreBytes) return false;
  if (maxSessionBytes === Infinity) return true;
  const sessionIds = new Set(
    puts.flatMap((put) => put.handles.flatMap(({ sessionId }) => sessionId ?? [])),
  );
  return [...sessionIds].every((sessionId) => {
    const held = shards.flatMap(({ sessions }) => sessions.get(nameKey(sessionId)) ?? []);
    const isHeld = (id: string): boolean => held.some(({ artifactIds }) => artifactIds.has(id));
    const own = puts.filter((put) => put.handles.some((handle) => handle.sessionId === sessionId));
    const fresh = own.filter(({ record }) => !isHeld(record.artifactId));
    return (
      sum(held.map(({ bytes }) => bytes)) + sum(fresh.map(({ record }) => record.sizeBytes)) <=
      maxSessionBytes
    );
  });
}

interface Usage {
  /** Oldest first. */
  references: ReferenceEntry[];
  /** Size of each blob that is there. */
  sizes: Map<string, number>;
}

function usageOf(shards: readonly ShardUsage[]): Usage {
  const references = shards.flatMap((shard) => shard.references);
  references.sort(compareHandles);
  return { references, sizes: new Map(shards.flatMap(({ sizes }) => [...sizes])) };
}

/** What goes to make room; blobs that lose their last reference are among the freed ones. */
interface Eviction {
  references: Set<ReferenceEntry>;
  artifactIds: Set<string>;
}

interface Request {
  usage: Usage;
  puts: readonly BlobPut[];
  eviction: Eviction;
  isEvicting: boolean;
}

function planEviction(usage: Usage, puts: readonly BlobPut[], limits: StoreLimits): Eviction {
  const eviction: Eviction = { references: new Set(), artifactIds: new Set() };
  const { maxSessionBytes, maxStoreBytes, whenFull = "reject" } = limits;
  const request = { usage, puts, eviction, isEvicting: whenFull === "evict" };
  const sessions = new Set(
    puts.flatMap((put) => put.handles.flatMap(({ sessionId }) => sessionId ?? [])),
  );
  if (maxSessionBytes !== undefined)
    for (const id of sessions) fitSession(request, id, maxSessionBytes);
  if (maxStoreBytes !== undefined) fitStore(request, maxStoreBytes);
  return eviction;
}

function fitSession(
  { usage, puts, eviction, isEvicting }: Request,
  sessionId: string,
  maxBytes: number,
): void {
  const key = nameKey(sessionId);
  const own = puts.filter((put) => put.handles.some((handle) => handle.sessionId === sessionId));
  const ownIds = new Set(own.map(({ record }) => record.artifactId));
  const before = usage.references.filter((entry) => entry.sessionKey === key);
  const heldIds = new Set(before.map(({ artifactId }) => artifactId));
  const isGrowing = own.some(
    ({ record }) => record.sizeBytes > 0 && !heldIds.has(record.artifactId),
  );
  if (!isGrowing) return;
  const others = before.filter(({ artifactId }) => !ownIds.has(artifactId));
  const kept = new Set(puts.map(({ record }) => record.artifactId));
  const counts = new Map<string, number>();
  for (const { artifactId } of others) counts.set(artifactId, (counts.get(artifactId) ?? 0) + 1);
  const sizeOf = (artifactId: string): number => usage.sizes.get(artifactId) ?? 0;
  let total =
    sum(own.map(({ record }) => record.sizeBytes)) + sum(Array.from(counts.keys(), sizeOf));
  for (const entry of isEvicting ? others : []) {
    if (total <= maxBytes) break;
    if (kept.has(entry.artifactId)) continue;
    const left = (counts.get(entry.artifactId) ?? 1) - 1;
    counts.set(entry.artifactId, left);
    if (left === 0) total -= sizeOf(entry.artifactId);
    markEvicted(usage, eviction, entry);
  }
  requireFit("The session", total, maxBytes);
}

function fitStore({ usage, puts, eviction, isEvicting }: Request, maxBytes: number): void {
  const { references, sizes } = usage;
  const kept = new Set(puts.map(({ record }) => record.artifactId));
  const added = puts.filter(({ record }) => !sizes.has(record.artifactId));
  const addedBytes = sum(added.map(({ record }) => record.sizeBytes));
  if (addedBytes === 0) return;
  let total = sum([...sizes.values()]) + addedBytes;
  for (const id of eviction.artifactIds) total -= kept.has(id) ? 0 : (sizes.get(id) ?? 0);
  const referenced = new Set(references.map((entry) => entry.artifactId));
  const unreferenced = [...sizes.keys()].filter((id) => !referenced.has(id) && !kept.has(id));
  for (const id of isEvicting ? unreferenced : []) {
    if (total <= maxBytes) return;
    eviction.artifactIds.add(id);
    total -= sizes.get(id) ?? 0;
  }
  for (const entry of isEvicting ? references : []) {
    if (total <= maxBytes) return;
    if (kept.has(entry.artifactId) || eviction.references.has(entry)) continue;
    if (markEvicted(usage, eviction, entry)) total -= sizes.get(entry.artifactId) ?? 0;
  }
  requireFit("The store", total, maxBytes);
}

/** True where that was the last reference of its blob. */
function markEvicted({ references }: Usage, eviction: Eviction, entry: ReferenceEntry): boolean {
  eviction.references.add(entry);
  const { artifactId } = entry;
  if (references.some((each) => each.artifactId === artifactId && !eviction.references.has(each)))
    return false;
  eviction.artifactIds.add(artifactId);
  return true;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function requireFit(what: string, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const message = `${what} would hold ${bytes} bytes, and its limit is ${maxBytes}; nothing was stored.`;
  throw new ArtifactStoreError("limit_exceeded", message, { details: { maxBytes } });
}

async function evict(store: FsStore, { references, artifactIds }: Eviction): Promise<void> {
  for (const entry of references) {
    const path = join(shardPath(store, entry.artifactId), entryName(entry));
    await unless(["ENOENT"], store.fs.unlink(path), undefined);
  }
  for (const folder of new Set(
    Array.from(references, (entry) => shardPath(store, entry.artifactId)),
  )) {
    await syncNames(store, folder);
  }
  if (artifactIds.size === 0) return;
  await collectGarbage(store, { until: Infinity, artifactIds: [...artifactIds], isDryRun: false });
}
