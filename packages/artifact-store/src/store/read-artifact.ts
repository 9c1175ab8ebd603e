import { throwIfAborted } from "@ccl/core/async";
import { sha256Hex } from "@ccl/core";
import type { ByteRange } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { chunkBytes, type ArtifactDriver } from "../artifact-driver.ts";
import { invalidInput } from "./check-input.ts";
import { damagedError, findBlob, readChunks, type FoundBlob } from "./read-chunks.ts";

/** Which artifact to read, and how much of it. */
export interface ReadRequest {
  artifactId: string;
  range?: ByteRange | undefined;
  signal?: AbortSignal | undefined;
}

/** Verified chunks that can be read once. */
export type ArtifactStream = AsyncGenerator<Uint8Array, void>;

/** The bytes in one piece. Undefined if no handle names the artifact. */
export async function readArtifact(
  driver: ArtifactDriver,
  request: ReadRequest,
): Promise<Uint8Array | undefined> {
  const { artifactId, range, signal } = request;
  let found = await findBlob(driver, artifactId, signal);
  for (let isRetry = false; found !== undefined; isRetry = true) {
    const bytes = await tryRead(found, request, isRetry);
    if (bytes !== undefined) return bytes;
    const part =
      range === undefined
        ? "its bytes do not hash to its id"
        : "bytes in the range do not match their hash";
    if (isRetry) throw damagedError(artifactId, part);
    // It may have been freed or repaired during the read.
    found = await findBlob(driver, artifactId, signal);
  }
  return undefined;
}

/** The bytes chunk by chunk. Undefined if no handle names the artifact. */
export async function openArtifact(
  driver: ArtifactDriver,
  request: ReadRequest,
): Promise<ArtifactStream | undefined> {
  const found = await findBlob(driver, request.artifactId, request.signal);
  return found && streamSpan(driver, found, request);
}

/** Undefined if the bytes are wrong. On the first attempt a failing backend counts as wrong bytes. */
async function tryRead(
  found: FoundBlob,
  request: ReadRequest,
  isRetry: boolean,
): Promise<Uint8Array | undefined> {
  try {
    return await (request.range === undefined
      ? readWhole(found, request)
      : readSpan(found, request));
  } catch (error) {
    if (isRetry || ArtifactStoreError.isInstance(error) || request.signal?.aborted === true)
      throw error;
    return undefined;
  }
}

async function readWhole(
  { stored, shape }: FoundBlob,
  request: ReadRequest,
): Promise<Uint8Array | undefined> {
  const pieces = stored.bytes === undefined ? stored.read(0, shape.chunkCount) : [stored.bytes];
  const bytes = await collect(pieces, shape.sizeBytes, request.signal);
  return bytes !== undefined && sha256Hex(bytes) === request.artifactId ? bytes : undefined;
}

async function readSpan(found: FoundBlob, request: ReadRequest): Promise<Uint8Array | undefined> {
  const span = spanOf(found, request.range);
  const parts = async function* (): AsyncGenerator<Uint8Array, void> {
    let index = span.first;
    for await (const chunk of readChunks(found, span)) {
      yield partOf(chunk, index, span);
      index += 1;
    }
  };
  return collect(parts(), span.endByte - span.startByte, request.signal);
}

/** Undefined if there are more or fewer bytes than expected. */
async function collect(
  pieces: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  sizeBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  let whole: Uint8Array | undefined;
  let at = 0;
  for await (const piece of pieces) {
    throwIfAborted(signal, ArtifactStoreError);
    if (at + piece.length > sizeBytes) return undefined;
    // Most artifacts arrive in one piece, which is returned as it is unless it keeps a larger buffer alive.
    if (piece.length === sizeBytes && piece.length === piece.buffer.byteLength) {
      whole = new Uint8Array(piece.buffer);
    } else {
      whole ??= allocate(sizeBytes);
      whole.set(piece, at);
    }
    at += piece.length;
  }
  return at === sizeBytes ? (whole ?? new Uint8Array()) : undefined;
}

function allocate(sizeBytes: number): Uint8Array {
  try {
    return new Uint8Array(sizeBytes);
  } catch (error) {
    throw invalidInput(
      `${sizeBytes} bytes are too many to hold at once; use retrieveStream or a range.`,
      error,
    );
  }
}

async function* streamSpan(
  driver: ArtifactDriver,
  opened: FoundBlob,
  request: ReadRequest,
): ArtifactStream {
  const { artifactId, signal } = request;
  const span = spanOf(opened, request.range);
  let found: FoundBlob | undefined = opened;
  let index = span.first;
  let failedAt = -1;
  while (index < span.end) {
    try {
      for await (const chunk of readChunks(found, { first: index, end: span.end })) {
        throwIfAborted(signal, ArtifactStoreError);
        index += 1;
        yield partOf(chunk, index - 1, span);
      }
    } catch (error) {
      if (failedAt === index || ArtifactStoreError.isInstance(error) || signal?.aborted === true)
        throw error;
    }
    if (index === span.end) return;
    if (failedAt === index)
      throw damagedError(artifactId, `chunk ${index} does not match its hash`);
    failedAt = index;
    found = await findBlob(driver, artifactId, signal);
    if (found === undefined) {
      throw new ArtifactStoreError(
        "unavailable",
        `Artifact ${artifactId} was deleted and freed while it was read.`,
      );
    }
  }
}

interface Span {
  startByte: number;
  endByte: number;
  /** Index of the first chunk, and index after the last one. */
  first: number;
  end: number;
}

function spanOf({ shape }: FoundBlob, range: ByteRange = { start: 0 }): Span {
  const startByte = Math.min(range.start, shape.sizeBytes);
  const endByte = Math.max(startByte, Math.min(range.end ?? shape.sizeBytes, shape.sizeBytes));
  const first = Math.floor(startByte / chunkBytes);
  return {
    startByte,
    endByte,
    first,
    end: endByte > startByte ? Math.ceil(endByte / chunkBytes) : first,
  };
}

/** The part of a chunk that lies within the span. */
function partOf(chunk: Uint8Array, index: number, { startByte, endByte }: Span): Uint8Array {
  const offset = index * chunkBytes;
  const from = Math.max(0, startByte - offset);
  const to = Math.min(chunk.length, endByte - offset);
  return new Uint8Array(chunk.buffer, chunk.byteOffset + from, to - from);
}
