import {
  chunkBytes,
  type ArtifactDriver,
  type BlobPut,
  type CommitOutcome,
  type StagedBlob,
  type StoredBlob,
} from "../artifact-driver.ts";
import type { HandleKey } from "../artifact-store.ts";
import { compareHandles } from "../driver/compare-handles.ts";
import { MemoryState } from "./memory-state.ts";
import { isMatch } from "../driver/is-match.ts";
import { hasSharedLimits, planEviction } from "../driver/plan-eviction.ts";

/**
 * Creates a driver over a `MemoryState`. No call awaits anything in the middle of a change, so each call is a
 * transaction.
 */
export function createMemoryDriver(state: MemoryState = new MemoryState()): ArtifactDriver {
  return {
    name: "memory",
    // Staged pieces would have to be joined again.
    maxInlineBytes: Infinity,
    stage: () => Promise.reject(new TypeError("Contents of any length are committed as bytes.")),
    commit: async (puts, { limits, now }) => {
      if (hasSharedLimits(limits)) {
        const eviction = planEviction(state.usage(), puts, limits);
        for (const handle of eviction.handles) state.removeHandle(handle);
        for (const artifactId of eviction.artifactIds) state.blobs.delete(artifactId);
      }
      return puts.map((put) => keep(state, put, now));
    },
    repair: async (record, content, { now }) => {
      const blob = state.blobs.get(record.artifactId);
      if (blob)
        Object.assign(blob, {
          record,
          bytes: bytesOf(content),
          isQuarantined: false,
          touchedAt: now,
        });
    },
    find: async (artifactId) => findBlob(state, artifactId),
    getHandles: async (artifactId) =>
      state.blobs.get(artifactId)?.handles.toSorted(compareHandles) ?? [],
    listHandles: async ({ after, limit, ...filter }) => {
      const isAfter = (handle: HandleKey): boolean =>
        after === undefined || compareHandles(handle, after) > 0;
      const found = state.handles().filter((handle) => isAfter(handle) && isMatch(handle, filter));
      return found.slice(0, limit);
    },
    removeHandles: async (artifactId, match, { now }) => {
      const blob = state.blobs.get(artifactId);
      const removed = blob?.handles.filter((handle) => isMatch(handle, match)) ?? [];
      for (const handle of removed) state.removeHandle(handle);
      if (blob !== undefined && removed.length > 0) blob.touchedAt = now;
      return removed.length;
    },
    collect: async ({ until, artifactIds, isDryRun }) => {
      const wanted = artifactIds && new Set(artifactIds);
      const garbage = [...state.blobs].filter(
        ([id, { handles, touchedAt }]) =>
          handles.length === 0 && touchedAt <= until && (wanted?.has(id) ?? true),
      );
      for (const [artifactId] of isDryRun ? [] : garbage) state.blobs.delete(artifactId);
      return garbage.map(([artifactId, { record }]) => ({
        artifactId,
        sizeBytes: record.sizeBytes,
      }));
    },
    listIds: async ({ after = "", limit }) => {
      const ids = [...state.blobs].flatMap(([id, { handles }]) =>
        handles.length > 0 && id > after ? [id] : [],
      );
      return ids.sort().slice(0, limit);
    },
    quarantine: async (artifactId) => {
      const blob = state.blobs.get(artifactId);
      if (blob !== undefined) blob.isQuarantined = true;
    },
    close: async () => undefined,
  };
}

function bytesOf(content: Uint8Array | StagedBlob): Uint8Array {
  if (content instanceof Uint8Array) return content;
  throw new TypeError("These bytes were staged by another driver.");
}

function keep(state: MemoryState, put: BlobPut, now: number): CommitOutcome {
  const present = state.blobs.get(put.record.artifactId);
  const blob = present ?? state.addBlob(put.record, bytesOf(put.content));
  blob.touchedAt = now;
  for (const handle of put.handles) state.addHandle(blob, handle);
  return present === undefined ? "written" : "present";
}

function findBlob(state: MemoryState, artifactId: string): StoredBlob | undefined {
  const blob = state.blobs.get(artifactId);
  if (blob === undefined || blob.handles.length === 0) return undefined;
  const { record, bytes, isQuarantined } = blob;
  return {
    record,
    isQuarantined,
    async *read(firstChunk, endChunk) {
      for (let index = firstChunk; index < endChunk; index += 1) {
        yield bytes.slice(index * chunkBytes, (index + 1) * chunkBytes);
      }
    },
  };
}
