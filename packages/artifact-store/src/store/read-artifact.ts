import { throwIfAborted } from "@ccl/core/async";
import { sha256Hex } from "@ccl/core";
import type { ByteRange } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { chunkBytes, type ArtifactDriver } from "../artifact-driver.ts";
import { invalidInput } from "./check-input.ts";
import { damagedError, findBlob, readChunks, type FoundBlob } from "./read-chunks.ts";

/** The artifact to read, and the range. */
export interface ReadRequest {
  artifactId: string;
  range?: ByteRange | undefined;
  signal?: AbortSignal | undefined;
}

/** Verified chunks that can be read once. */
export type ArtifactStream = AsyncGenerator<Uint8Array, void>;

/**
 * Returns the bytes in one piece. Undefined if no handle refers to the artifact, even if that changes during the read.
 */
export async function readArtifact(
  driver: ArtifactDriver,
  request: ReadRequest,
): Promise<Uint8Array | undefined> {
  const { artifactId, range, signal } = request;
  const found = await findBlob(driver, artifactId, signal);
  if (found === undefined) return undefined;
  try {
    if (range !== undefined) return await collect(driver, found, request);
    // The whole content is verified by its id. Chunks are checked only if that fails, to reread what a repair replaced.
    const unchecked = { ...found, shape: { ...found.shape, isChunk: async () => true } };
    for (const each of [unchecked, found]) {
      const bytes = await collect(driver, each, request);
      if (sha256Hex(bytes) === artifactId) return bytes;
    }
  } catch (error) {
    if (error instanceof FreedError) return undefined;
    throw error;
  }
  throw damagedError(artifactId, "its bytes do not hash to its id");
}

async function collect(
  driver: ArtifactDriver,
  found: FoundBlob,
  request: ReadRequest,
): Promise<Uint8Array> {
  const { startByte, endByte } = spanOf(found, request.range);
  const sizeBytes = endByte - startByte;
  let whole: Uint8Array | undefined;
  let at = 0;
  for await (const piece of streamSpan(driver, found, request)) {
    // Most artifacts arrive in one piece, which is returned as it is unless it keeps a larger buffer alive.
    if (piece.length === sizeBytes && piece.length === piece.buffer.byteLength) return piece;
    whole ??= allocate(sizeBytes);
    whole.set(piece, at);
    at += piece.length;
  }
  return whole ?? new Uint8Array();
}

/** Returns the bytes chunk by chunk. Undefined if no handle refers to the artifact. */
export async function openArtifact(
  driver: ArtifactDriver,
  request: ReadRequest,
): Promise<ArtifactStream | undefined> {
  const found = await findBlob(driver, request.artifactId, request.signal);
  return found && streamSpan(driver, found, request);
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

class FreedError extends ArtifactStoreError {}

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
      throw new FreedError(
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

/** Returns the part of a chunk that lies within the span. */
function partOf(chunk: Uint8Array, index: number, { startByte, endByte }: Span): Uint8Array {
  const offset = index * chunkBytes;
  const from = Math.max(0, startByte - offset);
  const to = Math.min(chunk.length, endByte - offset);
  return new Uint8Array(chunk.buffer, chunk.byteOffset + from, to - from);
}
