import { hmacSha256Hex } from "@ccl/core/hash";

/**
 * HMAC-SHA-256 in hexadecimal: the same text has the same hash in one installation, and guesses cannot be tested without
 * the key.
 */
export function promptHash(key: string | Uint8Array, text: string): string {
  return hmacSha256Hex(key, text);
}
