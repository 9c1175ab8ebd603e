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
  return native === undefined
    ? portableSha256(sha256.create())
    : nativeSha256(native.createHash("sha256"));
}

/** Starts an HMAC-SHA-256 (RFC 2104). A string key is encoded as UTF-8. */
export function createHmacSha256(key: string | Uint8Array): Sha256 {
  return native === undefined
    ? portableSha256(hmac.create(sha256, bytesOf(key)))
    : nativeSha256(native.createHmac("sha256", key));
}

/** Returns the HMAC-SHA-256 in lower-case hexadecimal. */
export function hmacSha256Hex(key: string | Uint8Array, data: string | Uint8Array): string {
  return createHmacSha256(key).update(data).digestHex();
}

/** A hash or HMAC from @noble/hashes. */
interface PortableState {
  update(data: Uint8Array): unknown;
  digest(): Uint8Array;
}

type NativeState = ReturnType<NonNullable<typeof native>["createHash" | "createHmac"]>;

/** Wraps the JavaScript implementation, for runtimes without node:crypto. */
export function portableSha256(state: PortableState): Sha256 {
  const hash: Sha256 = {
    update(data) {
      state.update(bytesOf(data));
      return hash;
    },
    digest: () => state.digest(),
    digestHex: () => bytesToHex(state.digest()),
  };
  return hash;
}

function nativeSha256(state: NativeState): Sha256 {
  const hash: Sha256 = {
    update(data) {
      state.update(data);
      return hash;
    },
    digest: () => new Uint8Array(state.digest()),
    digestHex: () => state.digest("hex"),
  };
  return hash;
}

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? utf8ToBytes(data) : data;
