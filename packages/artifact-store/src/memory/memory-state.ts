import type { ArtifactHandle, HandleKey } from "../artifact-store.ts";
import type { BlobRecord } from "../artifact-driver.ts";
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

/** Everything that a memory store holds. */
export class MemoryState {
  readonly blobs: Map<string, MemoryBlob> = new Map();
  /** By `handleId`, then by `artifactId`, rising. */
  readonly handles: ArtifactHandle[] = [];

  addBlob(record: BlobRecord, bytes: Uint8Array): MemoryBlob {
    const blob = { record, bytes, isQuarantined: false, handles: [], touchedAt: 0 };
    this.blobs.set(record.artifactId, blob);
    return blob;
  }

  usage(): StoreUsage<ArtifactHandle> {
    return {
      handles: this.handles,
      sizes: new Map(Array.from(this.blobs, ([id, { record }]) => [id, record.sizeBytes])),
      inSession: (sessionId) => (handle) => handle.sessionId === sessionId,
    };
  }

  addHandle(blob: MemoryBlob, handle: ArtifactHandle): void {
    if (blob.handles.some(({ handleId }) => handleId === handle.handleId)) return;
    for (const list of [blob.handles, this.handles])
      list.splice(this.positionAfter(list, handle), 0, handle);
  }

  removeHandle(handle: ArtifactHandle): void {
    for (const list of [this.blobs.get(handle.artifactId)?.handles, this.handles]) {
      const index = list?.indexOf(handle) ?? -1;
      if (index >= 0) list?.splice(index, 1);
    }
  }

  /** Index of the first handle that sorts after this key. */
  positionAfter(list: readonly ArtifactHandle[], key: HandleKey): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = list[middle];
      if (other !== undefined && isAfter(other, key)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function isAfter(handle: HandleKey, { handleId, artifactId }: HandleKey): boolean {
  return handle.handleId === handleId ? handle.artifactId > artifactId : handle.handleId > handleId;
}
