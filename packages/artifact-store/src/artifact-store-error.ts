import { CclError } from "@ccl/core";

/**
 * Codes of `ArtifactStoreError`: `invalid_id` (not 64 lower-case hex digits), `invalid_input` (an option or a content of
 * the wrong shape), `id_mismatch` (the content has another id than expected), `corrupt` (stored bytes do not match their
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
