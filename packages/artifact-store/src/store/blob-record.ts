import { createCipheriv, createHash, hash, type Hash } from "node:crypto";
import { chunkBytes, type BlobRecord } from "../driver/artifact-driver.ts";

const tagBytes = 16;
const tagKey = "ccl-blob-chunk-1";
const tagNonce = new Uint8Array(12);
const noHashes = new Uint8Array();

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function sha256Hex(pieces: readonly Uint8Array[]): string {
  const whole = createHash("sha256");
  for (const piece of pieces) whole.update(piece);
  return whole.digest("hex");
}

/**
 * GMAC (NIST SP 800-38D): AES-GCM's tag over bytes that are not encrypted, three times as fast as SHA-256. With a key that
 * everybody knows it is a checksum of 128 bits.
 */
function tagOf(pieces: readonly Uint8Array[]): Uint8Array {
  const cipher = createCipheriv("aes-128-gcm", tagKey, tagNonce);
  for (const piece of pieces) cipher.setAAD(piece);
  cipher.final();
  return cipher.getAuthTag();
}

/** Hashes a blob that comes chunk by chunk: as a whole for its id, and each chunk for its record. */
export class RecordHasher {
  readonly #whole: Hash = createHash("sha256");
  readonly #chunkTags: Uint8Array[] = [];
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** All chunks but the last are of `chunkBytes`. */
  add(chunk: Uint8Array): void {
    this.#sizeBytes += chunk.length;
    this.#whole.update(chunk);
    this.#chunkTags.push(tagOf([chunk]));
  }

  finish(): BlobRecord {
    const artifactId = this.#whole.digest("hex");
    const record = { artifactId, sizeBytes: this.#sizeBytes };
    if (this.#sizeBytes <= chunkBytes) return { ...record, chunkHashes: noHashes };
    const tags = concatBytes(this.#chunkTags);
    return { ...record, chunkHashes: concatBytes([tags, checksumOf(record, tags)]) };
  }
}

/** The record of bytes at hand. */
export function recordOf(bytes: Uint8Array): BlobRecord {
  if (bytes.length <= chunkBytes) {
    return { artifactId: hash("sha256", bytes), sizeBytes: bytes.length, chunkHashes: noHashes };
  }
  const hasher = new RecordHasher();
  for (let at = 0; at < bytes.length; at += chunkBytes)
    hasher.add(bytes.subarray(at, at + chunkBytes));
  return hasher.finish();
}

/** Which bytes a blob must have, by a record that was checked. */
export interface BlobShape {
  sizeBytes: number;
  chunkCount: number;
  isChunk(index: number, pieces: readonly Uint8Array[]): boolean;
}

/**
 * What a stored record says, or undefined for one that is damaged itself: the hash of a single chunk is the id, several
 * are bound to the id and the size by the checksum, so a flipped record cannot bless flipped bytes.
 */
export function shapeOf(record: BlobRecord, artifactId: string): BlobShape | undefined {
  const { sizeBytes, chunkHashes } = record;
  if (record.artifactId !== artifactId || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    return undefined;
  const chunkCount = Math.ceil(sizeBytes / chunkBytes);
  if (chunkCount <= 1) {
    if (chunkHashes.length > 0 || (chunkCount === 0 && artifactId !== emptyId)) return undefined;
    const isChunk = (index: number, pieces: readonly Uint8Array[]): boolean =>
      index === 0 && lengthOf(pieces) === sizeBytes && sha256Hex(pieces) === artifactId;
    return { sizeBytes, chunkCount, isChunk };
  }
  const tags = chunkHashes.subarray(0, tagBytes * chunkCount);
  if (!isEqual(chunkHashes.subarray(tags.length), checksumOf(record, tags))) return undefined;
  const isChunk = (index: number, pieces: readonly Uint8Array[]): boolean =>
    isEqual(tags.subarray(index * tagBytes, (index + 1) * tagBytes), tagOf(pieces));
  return { sizeBytes, chunkCount, isChunk };
}

const emptyId = createHash("sha256").digest("hex");

function checksumOf(
  { artifactId, sizeBytes }: Omit<BlobRecord, "chunkHashes">,
  tags: Uint8Array,
): Uint8Array {
  return createHash("sha256")
    .update(`ccl-blob-record-1\n${artifactId}\n${sizeBytes}\n`)
    .update(tags)
    .digest();
}

export function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
