import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { concatBytes } from "../store/blob-record.ts";
import type { EncryptionKeys } from "./derive-keys.ts";

/** Bytes of plain text in a segment; the last one may be shorter. */
export const segmentBytes: number = 1024 * 1024;
/** Bytes that the AEAD adds to a segment. */
export const sealBytes = 16;
const magic = Uint8Array.of(0x43, 0x43, 0x4c, 0x45, 0x4e, 0x43, 0, 1); // "CCLENC", reserved, version
const tagBytes = 32;
/** Bytes before the first segment: magic with version, key id, content tag. */
export const headerBytes: number = magic.length + 8 + tagBytes;

/**
 * One blob's cipher, AES-256-GCM with a key of its own. Nonce and associated data of a segment hold its index and whether
 * it is the last, and the associated data the header: nothing can be reordered, cut or moved to another blob.
 */
export class SegmentCipher {
  readonly header: Uint8Array;
  readonly #key: Uint8Array;

  constructor(keys: EncryptionKeys, contentTag: Uint8Array) {
    this.header = concatBytes([magic, fromHex(keys.keyId), contentTag]);
    this.#key = createHmac("sha256", keys.blobKey).update(contentTag).digest();
  }

  /** The cipher of a stored blob, or undefined when this is no header under these keys. */
  static fromHeader(keys: EncryptionKeys, header: Uint8Array): SegmentCipher | undefined {
    const cipher = new SegmentCipher(keys, header.slice(headerBytes - tagBytes, headerBytes));
    const isSame =
      header.length === headerBytes && cipher.header.every((byte, index) => byte === header[index]);
    return isSame ? cipher : undefined;
  }

  seal(index: number, isLast: boolean, plain: Uint8Array): Uint8Array {
    const nonce = nonceOf(index, isLast);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(
      concatBytes([this.header, nonce]),
    );
    return concatBytes([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /** Undefined when a bit of it, its place or its header is not what was sealed. */
  open(index: number, isLast: boolean, sealed: Uint8Array): Uint8Array | undefined {
    if (sealed.length < sealBytes) return undefined;
    const nonce = nonceOf(index, isLast);
    const decipher = createDecipheriv("aes-256-gcm", this.#key, nonce, {
      authTagLength: sealBytes,
    });
    decipher.setAAD(concatBytes([this.header, nonce])).setAuthTag(sealed.subarray(-sealBytes));
    const plain = decipher.update(sealed.subarray(0, -sealBytes));
    try {
      return concatBytes([plain, decipher.final()]);
    } catch {
      return undefined;
    }
  }
}

/** How many segments and plain bytes a blob of this size holds; undefined when no blob has this size. */
export function layoutOf(
  storedBytes: number,
): { segmentCount: number; plainBytes: number } | undefined {
  const body = storedBytes - headerBytes;
  const segmentCount = Math.ceil(body / (segmentBytes + sealBytes));
  const lastBytes = body - (segmentCount - 1) * (segmentBytes + sealBytes) - sealBytes;
  if (segmentCount < 1 || lastBytes < (segmentCount > 1 ? 1 : 0)) return undefined;
  return { segmentCount, plainBytes: body - segmentCount * sealBytes };
}

function nonceOf(index: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(12);
  nonce[0] = isLast ? 1 : 0;
  new DataView(nonce.buffer).setBigUint64(4, BigInt(index));
  return nonce;
}

function fromHex(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
  );
}
