import { hkdfSync } from "node:crypto";
import { invalidInput } from "../store/check-input.ts";
import { isBytes } from "../store/is-bytes.ts";
import { toHex } from "../store/blob-record.ts";

/** What one secret key gives: each use has a key of its own, so none tells of another. */
export interface EncryptionKeys {
  /** Names the key without telling anything of it; 16 hex digits. */
  keyId: string;
  /** Makes the tag of a content. */
  tagKey: Uint8Array;
  /** Makes the key of a blob from its tag. */
  blobKey: Uint8Array;
  /** Seals the fields of handles. */
  handleKey: Uint8Array;
}

/** @throws ArtifactStoreError `invalid_input` unless the key has 32 bytes */
export function deriveKeys(key: Uint8Array): EncryptionKeys {
  if (!isBytes(key) || key.length !== 32)
    throw invalidInput("The key must be a Uint8Array of 32 random bytes.");
  const derive = (purpose: string, length: number): Uint8Array =>
    new Uint8Array(
      hkdfSync("sha256", key, new Uint8Array(), `ccl artifact encryption 1: ${purpose}`, length),
    );
  return {
    keyId: toHex(derive("key id", 8)),
    tagKey: derive("content tag", 32),
    blobKey: derive("blob key", 32),
    handleKey: derive("handle", 32),
  };
}
