import { CclError } from "@ccl/core";

/**
 * Codes of `ArtifactStoreError`: `invalid_id` (an artifact id that is not 64 lower-case hex digits, or a handle id of the
 * wrong form), `invalid_input` (an option or a content of the wrong shape, or a content stream that failed), `id_mismatch` (the content has another id than expected), `corrupt` (stored bytes do not match their
 * hash), `limit_exceeded`, `disk_full`, `store_failed` (the backend failed; see `cause`), `unsupported` (the backend lacks
 * what the store needs), `closed`, `aborted`.
 */
export type ArtifactStoreErrorCode =
  | "invalid_id"
  | "invalid_input"
  | "id_mismatch"
  | "corrupt"
  | "limit_exceeded"
  | "disk_full"
  | "store_failed"
  | "unsupported"
  | "closed"
  | "aborted";

/** Every failure of an artifact store. Messages hold ids and sizes, never content. */
export class ArtifactStoreError extends CclError<ArtifactStoreErrorCode> {
  static override readonly brand: string = "ArtifactStoreError";
}
