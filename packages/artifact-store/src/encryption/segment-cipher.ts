import { createHmacSha256 } from "@ccl/core/hash";
import { concatBytes, isEqual } from "../store/blob-record.ts";
import { seal, sealBytes, unseal, type SealContext } from "./aes-gcm.ts";
import type { EncryptionKeys } from "./derive-keys.ts";

/** Plain bytes per segment. The last segment may be shorter. */
export const segmentBytes: number = 1024 * 1024;
const magic = Uint8Array.of(0x43, 0x43, 0x4c, 0x45, 0x4e, 0x43, 0, 1); // "CCLENC", reserved, version
const tagBytes = 32;
/** Bytes before the first segment: magic with version, key id, content tag. */
export const headerBytes: number = magic.length + 8 + tagBytes;

/**
 * Cipher of one blob: AES-256-GCM with its own key. The nonce and the associated data of a segment contain its index
 * and whether it is the last. The associated data also contains the header, so segments cannot be reordered, cut off or
 * moved to another blob.
 */
export class SegmentCipher {
  readonly header: Uint8Array;
  readonly #key: Uint8Array;

  constructor(keys: EncryptionKeys, contentTag: Uint8Array) {
    this.header = concatBytes([magic, keys.keyIdBytes, contentTag]);
    this.#key = createHmacSha256(keys.blobKey).update(contentTag).digest();
  }

  /** Returns the cipher of a stored blob, or undefined if the bytes are not a header written with these keys. */
  static fromHeader(keys: EncryptionKeys, header: Uint8Array): SegmentCipher | undefined {
    const cipher = new SegmentCipher(keys, header.slice(headerBytes - tagBytes, headerBytes));
    return isEqual(cipher.header, header) ? cipher : undefined;
  }

  seal(index: number, isLast: boolean, plain: Uint8Array): Promise<Uint8Array> {
    return seal(plain, this.#place(index, isLast));
  }

  /** Returns the plain segment, or undefined if a bit, its index or its header differs from what was sealed. */
  async open(index: number, isLast: boolean, sealed: Uint8Array): Promise<Uint8Array | undefined> {
    return unseal(sealed, this.#place(index, isLast));
  }

  #place(index: number, isLast: boolean): SealContext {
    const nonce = new Uint8Array(12);
    nonce[0] = isLast ? 1 : 0;
    new DataView(nonce.buffer).setBigUint64(4, BigInt(index));
    return { key: this.#key, nonce, context: concatBytes([this.header, nonce]) };
  }
}

/** Returns the number of segments and plain bytes in a blob of this size. Undefined if no blob can have this size. */
export function layoutOf(
  storedBytes: number,
): { segmentCount: number; plainBytes: number } | undefined {
  const body = storedBytes - headerBytes;
  const segmentCount = Math.ceil(body / (segmentBytes + sealBytes));
  const lastBytes = body - (segmentCount - 1) * (segmentBytes + sealBytes) - sealBytes;
  if (segmentCount < 1 || lastBytes < (segmentCount > 1 ? 1 : 0)) return undefined;
  return { segmentCount, plainBytes: body - segmentCount * sealBytes };
}
