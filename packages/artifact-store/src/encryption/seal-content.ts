import { createHmacSha256, randomBytes, type Sha256 } from "@ccl/core/hash";
import type { ArtifactStore } from "../artifact-store.ts";
import { chunksOf, inChunks } from "../store/in-chunks.ts";
import { damagedError } from "../store/read-chunks.ts";
import { isBytes } from "../store/is-bytes.ts";
import { readPieces } from "../store/read-pieces.ts";
import { headBytes } from "../summary/summarize-content.ts";
import { deriveKeys, type EncryptionKeys } from "./derive-keys.ts";
import { openSegments } from "./open-segments.ts";
import { SegmentCipher, segmentBytes } from "./segment-cipher.ts";

/**
 * The source of temporary artifacts that hold a long stream until its content tag is known. Their key is never stored.
 */
export const spoolSource = "ccl:encryption-spool";
/** Shorter streams are buffered in memory instead. */
const heldSegments = 4;

/** Content that is ready for the inner store. */
export interface SealedContent {
  /** Bytes if the content fits in one segment, otherwise a stream. */
  content: Uint8Array | AsyncIterable<Uint8Array>;
  head: Uint8Array;
  sizeBytes: number;
}

/** Where and how content is sealed. */
export interface SealOptions {
  store: ArtifactStore;
  keys: EncryptionKeys;
  /** Called when the call ends, whether it succeeded or not. */
  cleanUps: (() => Promise<unknown>)[];
  signal?: AbortSignal | undefined;
}

/**
 * Seals content. A blob's key depends on the whole content, so bytes and short streams are read twice in memory, and
 * long streams are spooled.
 */
export async function sealContent(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: SealOptions,
): Promise<SealedContent> {
  const { keys, signal } = options;
  const meter = { sizeBytes: 0, head: new Uint8Array(), tag: createHmacSha256(keys.tagKey) };
  const maxHeld = isBytes(content) ? Infinity : heldSegments;
  const segments = metered(
    isBytes(content)
      ? chunksOf(content, segmentBytes)
      : inChunks(readPieces(content, signal), segmentBytes),
    meter,
  );
  try {
    const held: Uint8Array[] = [];
    let next = await segments.next();
    while (next.done !== true && held.length < maxHeld) {
      held.push(next.value);
      next = await segments.next();
    }
    const rest = async function* (first: Uint8Array): AsyncGenerator<Uint8Array, void> {
      yield* held.splice(0);
      yield first;
      yield* segments;
    };
    const whole = next.done === true ? held : await spool(rest(next.value), options);
    const { tag, head, sizeBytes } = meter;
    return { content: sealed(new SegmentCipher(keys, tag.digest()), whole), head, sizeBytes };
  } finally {
    await segments.return();
  }
}

interface Meter {
  sizeBytes: number;
  head: Uint8Array;
  tag: Sha256;
}

async function* metered(
  segments: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  meter: Meter,
): AsyncGenerator<Uint8Array, void> {
  for await (const segment of segments) {
    if (meter.sizeBytes === 0) meter.head = segment.slice(0, headBytes);
    meter.sizeBytes += segment.length;
    meter.tag.update(segment);
    yield segment;
  }
}

/** Yields the header and the sealed segments. Empty content has one empty segment. */
async function* sealed(
  cipher: SegmentCipher,
  segments: AsyncIterable<Uint8Array> | readonly Uint8Array[],
): AsyncGenerator<Uint8Array, void> {
  yield cipher.header;
  let waiting: Uint8Array | undefined;
  let index = 0;
  for await (const segment of segments) {
    if (waiting !== undefined) yield await cipher.seal(index++, false, waiting);
    waiting = segment;
  }
  yield await cipher.seal(index, true, waiting ?? new Uint8Array());
}

async function spool(
  segments: AsyncIterable<Uint8Array>,
  options: SealOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { store, cleanUps, signal } = options;
  const keys = deriveKeys(randomBytes(32));
  const cipher = new SegmentCipher(keys, randomBytes(32));
  const facts = {
    source: spoolSource,
    summary: "a stream that is being encrypted",
    signal,
  };
  const { artifactId, handleId, sizeBytes } = await store.store(sealed(cipher, segments), facts);
  cleanUps.push(async () => {
    await store.delete(artifactId, { handleId });
    await store.collectGarbage({ graceMs: 0, artifactIds: [artifactId] });
  });
  const opened = await openSegments({
    store,
    artifactId,
    storedBytes: sizeBytes,
    keys,
    signal,
  });
  if (opened === undefined) throw damagedError(artifactId, "what was spooled of a stream is gone");
  return opened;
}
