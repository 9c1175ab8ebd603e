import { randomBytes } from "@ccl/core/hash";
import type { ArtifactStore } from "../artifact-store.ts";
import { inChunks } from "../store/in-chunks.ts";
import { damagedError } from "../store/read-chunks.ts";
import { isBytes } from "../store/is-bytes.ts";
import { readPieces } from "../store/read-pieces.ts";
import { headBytes } from "../summary/summarize-content.ts";
import { deriveKeys, type EncryptionKeys } from "./derive-keys.ts";
import { createHmac, type Hmac } from "./hmac.ts";
import { openSegments } from "./open-segments.ts";
import { SegmentCipher, segmentBytes } from "./segment-cipher.ts";

/**
 * The source of temporary artifacts that hold a long stream until its content tag is known. Their key is never stored.
 */
export const spoolSource = "ccl:encryption-spool";
/** Shorter streams are buffered in memory instead. */
const heldSegments = 4;

/** A content that is ready for the inner store. */
export interface SealedContent {
  /** Bytes if the content fits in one segment. */
  content: Uint8Array | AsyncIterable<Uint8Array>;
  head: Uint8Array;
  sizeBytes: number;
}

/** Where and how a content is sealed. */
export interface SealOptions {
  store: ArtifactStore;
  keys: EncryptionKeys;
  /** Called when the call ends, whether it succeeded or not. */
  cleanUps: (() => Promise<unknown>)[];
  signal?: AbortSignal | undefined;
}

/**
 * The key of a blob depends on the whole content, so bytes and short streams are read twice in memory and long ones are
 * spooled.
 */
export async function sealContent(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options: SealOptions,
): Promise<SealedContent> {
  const tag = createHmac(options.keys.tagKey);
  if (isBytes(content)) {
    tag.update(content);
    return sealHeld(segmentsOf(content), content.length, tag, options.keys);
  }
  const meter = { sizeBytes: 0, head: new Uint8Array(), tag };
  const segments = readSegments(content, meter, options.signal);
  try {
    const held: Uint8Array[] = [];
    let next = await segments.next();
    while (next.done !== true && held.length < heldSegments) {
      held.push(next.value);
      next = await segments.next();
    }
    if (next.done === true) return sealHeld(held, meter.sizeBytes, tag, options.keys);
    const rest = async function* (first: Uint8Array): AsyncGenerator<Uint8Array, void> {
      yield* held.splice(0);
      yield first;
      yield* segments;
    };
    const spooled = await spool(rest(next.value), options);
    const cipher = new SegmentCipher(options.keys, tag.digest());
    return { content: sealed(cipher, spooled), head: meter.head, sizeBytes: meter.sizeBytes };
  } finally {
    await segments.return();
  }
}

function sealHeld(
  parts: Uint8Array[],
  sizeBytes: number,
  tag: Hmac,
  keys: EncryptionKeys,
): SealedContent {
  const cipher = new SegmentCipher(keys, tag.digest());
  const head = (parts[0] ?? new Uint8Array()).slice(0, headBytes);
  return { content: sealed(cipher, parts), head, sizeBytes };
}

function segmentsOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / segmentBytes) }, (_, index) =>
    bytes.subarray(index * segmentBytes, (index + 1) * segmentBytes),
  );
}

interface Meter {
  sizeBytes: number;
  head: Uint8Array;
  tag: Hmac;
}

async function* readSegments(
  content: AsyncIterable<Uint8Array>,
  meter: Meter,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  for await (const segment of inChunks(readPieces(content, signal), segmentBytes)) {
    if (meter.sizeBytes === 0) meter.head = segment.slice(0, headBytes);
    meter.sizeBytes += segment.length;
    meter.tag.update(segment);
    yield segment;
  }
}

/** Yields the header and the sealed segments. An empty content has one empty segment. */
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
