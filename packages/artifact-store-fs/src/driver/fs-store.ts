import type { BlobPut, BlobRecord, StagedBlob } from "@ccl/artifact-store/driver";
import type { StoreFolder } from "../layout/store-folder.ts";
import type { Batches } from "./batches.ts";

/** What the parts of the driver share. */
export interface FsStore extends StoreFolder {
  batches: Batches;
  /** The streams that this driver began. */
  staged: WeakMap<StagedBlob, StagedFile>;
}

/** When a change is made, as which batch, and what calls it off. */
export interface ChangeOptions {
  now: number;
  batch?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Paths of references and ids of blobs that the change created, for taking it back. */
  created: { references: string[]; artifactIds: string[] };
}

/** The content of a put or a repair. */
export type BlobContent = BlobPut["content"];

/** A stream that is being written; it gets its header and its name in the end. */
export interface StagedFile extends StagedBlob {
  readonly path: string;
  /** Writes what stands before and after the content, and syncs; can be called again before the file gets a name. */
  finish(header: Uint8Array, options: { record: BlobRecord; now: number }): Promise<void>;
}
