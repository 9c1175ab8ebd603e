import { createHmacSha256 } from "@ccl/core/hash";
import { invalidInput } from "../store/check-input.ts";
import { isBytes } from "../store/is-bytes.ts";

/** Keys derived from one secret. Each use has its own key, so that no key reveals another. */
export interface EncryptionKeys {
  /** Identifies the secret without revealing it, in 16 hex digits. */
  keyId: string;
  /** The bytes of `keyId`. */
  keyIdBytes: Uint8Array;
  /** Used to compute the tag of content. */
  tagKey: Uint8Array;
  /** Used to compute a blob's key from its tag. */
  blobKey: Uint8Array;
  /** Used to encrypt the fields of handles. */
  handleKey: Uint8Array;
}

/** @throws ArtifactStoreError `invalid_input` unless the key has 32 bytes */
export function deriveKeys(key: Uint8Array): EncryptionKeys {
  if (!isBytes(key) || key.length !== 32)
    throw invalidInput("The key must be a Uint8Array of 32 random bytes.");
  // HKDF-SHA-256 (RFC 5869) without a salt. Each purpose needs only one block.
  const extracted = createHmacSha256(new Uint8Array(32)).update(key).digest();
  const derive = (purpose: string): Uint8Array => {
    const info = new TextEncoder().encode(`ccl artifact encryption 1: ${purpose}\u0001`);
    return createHmacSha256(extracted).update(info).digest();
  };
  const keyIdBytes = derive("key id").subarray(0, 8);
  return {
    keyId: Array.from(keyIdBytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
    keyIdBytes,
    tagKey: derive("content tag"),
    blobKey: derive("blob key"),
    handleKey: derive("handle"),
  };
}
