import type { ArtifactHandle } from "../artifact-store.ts";
import type { BlobRecord } from "../artifact-driver.ts";
import { compareHandles } from "../driver/compare-handles.ts";
import type { StoreUsage } from "../driver/plan-eviction.ts";

/** A blob that is held in memory. */
export interface MemoryBlob {
  record: BlobRecord;
  bytes: Uint8Array;
  isQuarantined: boolean;
  handles: ArtifactHandle[];
  /** When its last commit ended or its last reference was removed. */
  touchedAt: number;
}

/** The contents of a memory store. */
export class MemoryState {
  readonly blobs: Map<string, MemoryBlob> = new Map();

  addBlob(record: BlobRecord, bytes: Uint8Array): MemoryBlob {
    const blob = { record, bytes, isQuarantined: false, handles: [], touchedAt: 0 };
    this.blobs.set(record.artifactId, blob);
    return blob;
  }

  usage(): StoreUsage<ArtifactHandle> {
    return {
      handles: this.handles(),
      sizes: new Map(Array.from(this.blobs, ([id, { record }]) => [id, record.sizeBytes])),
      inSession: (sessionId) => (handle) => handle.sessionId === sessionId,
    };
  }

  /** Returns all handles in listing order. */
  handles(): ArtifactHandle[] {
    return Array.from(this.blobs.values(), ({ handles }) => handles)
      .flat()
      .sort(compareHandles);
  }

  addHandle({ handles }: MemoryBlob, handle: ArtifactHandle): void {
    if (handles.every(({ handleId }) => handleId !== handle.handleId)) handles.push(handle);
  }

  removeHandle(handle: ArtifactHandle): void {
    const blob = this.blobs.get(handle.artifactId);
    if (blob !== undefined) blob.handles = blob.handles.filter((each) => each !== handle);
  }
}
