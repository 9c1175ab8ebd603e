import { sha256Hex } from "@ccl/core";
import { createSha256, type Sha256 } from "@ccl/core/hash";
import { chunkBytes, type BlobRecord } from "../artifact-driver.ts";

const tagBytes = 16;
const tagKey = "ccl-blob-chunk-1";
let tagCryptoKey: ReturnType<typeof crypto.subtle.importKey> | undefined;
const noBytes: Uint8Array = new Uint8Array();

/**
 * Computes a GMAC (NIST SP 800-38D): the AES-GCM tag over bytes that are not encrypted. Its key is public, so it serves
 * as a 128-bit checksum.
 */
async function tagOf(additionalData: Uint8Array): Promise<Uint8Array> {
  const rawKey = new TextEncoder().encode(tagKey);
  tagCryptoKey ??= crypto.subtle.importKey("raw", rawKey, "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv: new Uint8Array(12), additionalData };
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, await tagCryptoKey, noBytes));
}

/** Hashes a blob chunk by chunk: the whole blob for its id, and each chunk for its record. */
export class RecordHasher {
  readonly #whole: Sha256 = createSha256();
  readonly #tags: Uint8Array[] = [];
  /** The previous chunk. A blob of one chunk needs no tag. */
  #waiting: Uint8Array | undefined;
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds a chunk. All except the last have `chunkBytes`. */
  async add(chunk: Uint8Array): Promise<void> {
    this.#whole.update(chunk);
    this.#sizeBytes += chunk.length;
    if (this.#waiting !== undefined) this.#tags.push(await tagOf(this.#waiting));
    this.#waiting = chunk;
  }

  async finish(): Promise<BlobRecord> {
    const record = { artifactId: this.#whole.digestHex(), sizeBytes: this.#sizeBytes };
    if (this.#waiting === undefined || this.#tags.length === 0)
      return { ...record, chunkHashes: noBytes };
    const tags = concatBytes([...this.#tags, await tagOf(this.#waiting)]);
    return { ...record, chunkHashes: concatBytes([tags, checksumOf(record, tags)]) };
  }
}

/** The bytes that a blob must have, according to a verified record. */
export interface BlobShape {
  sizeBytes: number;
  chunkCount: number;
  isChunk(index: number, chunk: Uint8Array): Promise<boolean>;
}

/**
 * Reads a stored record. Undefined if the record itself is damaged. The hash of a single chunk must be the id. The
 * checksum binds several hashes to the id and size, so a damaged record cannot match damaged bytes.
 */
export function shapeOf(record: BlobRecord, artifactId: string): BlobShape | undefined {
  const { sizeBytes, chunkHashes } = record;
  if (record.artifactId !== artifactId || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    return undefined;
  const chunkCount = Math.ceil(sizeBytes / chunkBytes);
  if (chunkCount <= 1) {
    if (chunkHashes.length > 0 || (chunkCount === 0 && artifactId !== sha256Hex(noBytes)))
      return undefined;
    return {
      sizeBytes,
      chunkCount,
      isChunk: async (index, chunk) =>
        index === 0 && chunk.length === sizeBytes && sha256Hex(chunk) === artifactId,
    };
  }
  const tags = chunkHashes.subarray(0, tagBytes * chunkCount);
  if (!isEqual(chunkHashes.subarray(tags.length), checksumOf(record, tags))) return undefined;
  return {
    sizeBytes,
    chunkCount,
    isChunk: async (index, chunk) =>
      isEqual(tags.subarray(index * tagBytes, (index + 1) * tagBytes), await tagOf(chunk)),
  };
}

function checksumOf(
  { artifactId, sizeBytes }: Omit<BlobRecord, "chunkHashes">,
  tags: Uint8Array,
): Uint8Array {
  return createSha256()
    .update(`ccl-blob-record-1\n${artifactId}\n${sizeBytes}\n`)
    .update(tags)
    .digest();
}

export function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/** Joins the parts in their order. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
