import { createSha256, type Sha256 } from "@ccl/core/hash";

const blockBytes = 64;

/** An HMAC-SHA-256 (RFC 2104) over bytes that arrive in pieces. */
export interface Hmac {
  update(data: Uint8Array): Hmac;
  digest(): Uint8Array;
}

/** Begins an HMAC under a key of at most 64 bytes. */
export function createHmac(key: Uint8Array): Hmac {
  const padded = (pad: number): Sha256 =>
    createSha256().update(
      Uint8Array.from({ length: blockBytes }, (_, index) => (key[index] ?? 0) ^ pad),
    );
  const inner = padded(0x36);
  const hmac: Hmac = {
    update(data) {
      inner.update(data);
      return hmac;
    },
    digest: () => padded(0x5c).update(inner.digest()).digest(),
  };
  return hmac;
}
