import { createSha256 } from "../hash/sha256.ts";

/** Returns the SHA-256 in lower-case hexadecimal (64 digits). Strings are hashed as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return createSha256().update(data).digestHex();
}

/**
 * Returns the first 8 digits of `sha256Hex`: a short version id for prompts. Too short for storage
 * keys.
 */
export function sha8(data: string | Uint8Array): string {
  return sha256Hex(data).slice(0, 8);
}
