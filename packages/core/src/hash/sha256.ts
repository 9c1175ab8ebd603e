import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** A SHA-256 hash or HMAC over bytes that arrive in pieces. Strings are hashed as UTF-8. */
export interface Sha256 {
  update(data: string | Uint8Array): Sha256;
  /** Returns the 32 bytes of the hash. Nothing can be added afterwards. */
  digest(): Uint8Array;
  /** Returns the hash in lower-case hexadecimal. */
  digestHex(): string;
}

/** Node's native implementation is five times as fast as JavaScript on large inputs. */
const native = globalThis.process?.getBuiltinModule?.("crypto");

/** Starts a SHA-256 hash. */
export function createSha256(): Sha256 {
  return wrapSha256(native?.createHash("sha256") ?? sha256.create());
}

/** Starts an HMAC-SHA-256 (RFC 2104). A string key is encoded as UTF-8. */
export function createHmacSha256(key: string | Uint8Array): Sha256 {
  return wrapSha256(native?.createHmac("sha256", key) ?? hmac.create(sha256, bytesOf(key)));
}

/** Returns the HMAC-SHA-256 in lower-case hexadecimal. */
export function hmacSha256Hex(key: string | Uint8Array, data: string | Uint8Array): string {
  return createHmacSha256(key).update(data).digestHex();
}

/** A hash or HMAC from node:crypto or, for runtimes without it, from @noble/hashes. */
interface HashState {
  update(data: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** Wraps either implementation. */
export function wrapSha256(state: HashState): Sha256 {
  const hash: Sha256 = {
    update(data) {
      state.update(bytesOf(data));
      return hash;
    },
    // Node returns a Buffer.
    digest: () => new Uint8Array(state.digest()),
    digestHex: () => bytesToHex(state.digest()),
  };
  return hash;
}

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? utf8ToBytes(data) : data;
