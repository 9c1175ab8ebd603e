import type { BlobPut } from "@ccl/artifact-store/driver";
import type { StoreFolder } from "../layout/store-folder.ts";
import type { Batches } from "./batches.ts";

/** State that all parts of the driver share. */
export interface FsStore extends StoreFolder {
  batches: Batches;
}

/** The time of a change, its batch, and the signal that cancels it. */
export interface ChangeOptions {
  now: number;
  batch?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Paths of references and ids of blobs that the change has created, for a rollback. */
  created: { references: string[]; artifactIds: string[] };
}

/** The content of a put or a repair. */
export type BlobContent = BlobPut["content"];
