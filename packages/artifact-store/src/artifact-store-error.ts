import { CclError } from "@ccl/core";

/** Why a call of a store failed. Every backend reports a cause by the same code. */
export type ArtifactStoreErrorCode =
  /** An artifact id that is not 64 lower-case hex digits, or a handle id of the wrong form. */
  | "invalid_id"
  /** An option or a content of the wrong shape, or a content stream that failed. */
  | "invalid_input"
  /** The content has another id than expected. */
  | "id_mismatch"
  /** Stored bytes or a stored handle are not what was written. */
  | "damaged"
  /** Other writers were first too often. Nothing was stored. */
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

/** Every failure of an artifact store. Messages hold ids and sizes, never content. */
export class ArtifactStoreError extends CclError<ArtifactStoreErrorCode> {
  static override readonly brand: string = "ArtifactStoreError";
}
