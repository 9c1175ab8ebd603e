import { createSha256 } from "../hash/sha256.ts";

/** Takes half the time of `createHash` on short strings. Other runtimes may lack it. */
const hash = globalThis.process?.getBuiltinModule?.("crypto")?.hash;

/** Returns the SHA-256 in lower-case hexadecimal (64 digits). Strings are hashed as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash === undefined ? createSha256().update(data).digestHex() : hash("sha256", data);
}

/**
 * Returns the first 8 digits of `sha256Hex`: a short version id for prompts. Too short for storage
 * keys.
 */
export function sha8(data: string | Uint8Array): string {
  return sha256Hex(data).slice(0, 8);
}
