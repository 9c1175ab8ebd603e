import { sha256Hex } from "@ccl/core";
import { createHash, type Hash, webcrypto } from "node:crypto";
import { chunkBytes, type BlobRecord } from "../driver/artifact-driver.ts";

const hashBytes = 32;

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function sha256(pieces: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** Hashes a blob that comes chunk by chunk: as a whole for its id, and each chunk for its record. */
export class RecordHasher {
  readonly #whole: Hash = createHash("sha256");
  readonly #chunkHashes: Uint8Array[] = [];
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** All chunks but the last are of `chunkBytes`, and each waits for the one before it. */
  async add(chunk: Uint8Array): Promise<void> {
    const isFirst = this.#sizeBytes === 0;
    this.#sizeBytes += chunk.length;
    // Another thread hashes the chunk while this one hashes the whole.
    const hashing = isFirst ? undefined : webcrypto.subtle.digest("SHA-256", chunk);
    this.#whole.update(chunk);
    // So far the whole is the first chunk: no need to hash that twice.
    this.#chunkHashes.push(hashing === undefined ? this.#whole.copy().digest() : new Uint8Array(await hashing));
  }

  finish(): BlobRecord {
    const artifactId = this.#whole.digest("hex");
    const record = { artifactId, sizeBytes: this.#sizeBytes };
    if (this.#sizeBytes <= chunkBytes) return { ...record, chunkHashes: new Uint8Array() };
    const hashes = concatBytes(this.#chunkHashes);
    return { ...record, chunkHashes: concatBytes([hashes, checksumOf(record, hashes)]) };
  }
}

/** The record of bytes at hand. */
export async function recordOf(bytes: Uint8Array): Promise<BlobRecord> {
  if (bytes.length <= chunkBytes) {
    return { artifactId: sha256Hex(bytes), sizeBytes: bytes.length, chunkHashes: new Uint8Array() };
  }
  const hasher = new RecordHasher();
  for (let at = 0; at < bytes.length; at += chunkBytes) await hasher.add(bytes.subarray(at, at + chunkBytes));
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
  if (record.artifactId !== artifactId || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0) return undefined;
  const chunkCount = Math.ceil(sizeBytes / chunkBytes);
  if (chunkCount <= 1) {
    if (chunkHashes.length > 0 || (chunkCount === 0 && artifactId !== emptyId)) return undefined;
    const isChunk = (index: number, pieces: readonly Uint8Array[]): boolean =>
      index === 0 && lengthOf(pieces) === sizeBytes && toHex(sha256(pieces)) === artifactId;
    return { sizeBytes, chunkCount, isChunk };
  }
  if (chunkHashes.length !== hashBytes * (chunkCount + 1)) return undefined;
  const hashes = chunkHashes.subarray(0, hashBytes * chunkCount);
  if (!isEqual(chunkHashes.subarray(hashes.length), checksumOf(record, hashes))) return undefined;
  const isChunk = (index: number, pieces: readonly Uint8Array[]): boolean =>
    isEqual(hashes.subarray(index * hashBytes, (index + 1) * hashBytes), sha256(pieces));
  return { sizeBytes, chunkCount, isChunk };
}

const emptyId = createHash("sha256").digest("hex");

function checksumOf({ artifactId, sizeBytes }: Omit<BlobRecord, "chunkHashes">, hashes: Uint8Array): Uint8Array {
  return createHash("sha256").update(`ccl-blob-record-1\n${artifactId}\n${sizeBytes}\n`).update(hashes).digest();
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
