import { CclError } from "@ccl/core";

/** Why a store call failed. Every backend uses the same code for the same cause. */
export type ArtifactStoreErrorCode =
  /** An artifact id is not 64 lower-case hex digits, or a handle id is malformed. */
  | "invalid_id"
  /** An option or content has the wrong type or format, or a content stream failed. */
  | "invalid_input"
  /** The content's id is not the expected one. */
  | "id_mismatch"
  /** Stored bytes or a stored handle differ from what was written. */
  | "damaged"
  /** The call lost to other writers too many times. Nothing was stored. */
  | "conflict"
  | "limit_exceeded"
  | "disk_full"
  | "read_only"
  /** The backend failed in another way. See `cause`. */
  | "unavailable"
  /** The backend lacks what the store needs. */
  | "unsupported"
  | "closed"
  | "aborted";

/** The error that artifact stores throw. Messages contain ids and sizes, never content. */
export class ArtifactStoreError extends CclError<ArtifactStoreErrorCode> {
  static override readonly brand: string = "ArtifactStoreError";
}
