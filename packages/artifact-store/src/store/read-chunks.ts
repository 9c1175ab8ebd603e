import { ArtifactStoreError } from "../artifact-store-error.ts";
import { chunkBytes, type ArtifactDriver, type StoredBlob } from "../artifact-driver.ts";
import { concatBytes, shapeOf, type BlobShape } from "./blob-record.ts";

/** A blob whose record was verified. */
export interface FoundBlob {
  stored: StoredBlob;
  shape: BlobShape;
}

export function damagedError(artifactId: string, what: string): ArtifactStoreError {
  return new ArtifactStoreError(
    "damaged",
    `Artifact ${artifactId} is damaged: ${what}. Storing the same bytes repairs it.`,
    {
      details: { artifactId },
    },
  );
}

/**
 * Finds a blob. Undefined if no handle refers to it.
 * @throws ArtifactStoreError `damaged` if the blob is quarantined, its record is damaged or its bytes are lost
 */
export async function findBlob(
  driver: ArtifactDriver,
  artifactId: string,
  signal: AbortSignal | undefined,
): Promise<FoundBlob | undefined> {
  const stored = await driver.find(artifactId, { signal });
  if (stored === undefined) {
    if (await isLost(driver, artifactId, signal))
      throw damagedError(artifactId, "its bytes are missing");
    return undefined;
  }
  if (stored.isQuarantined) throw damagedError(artifactId, "a check has set it aside");
  const shape = shapeOf(stored.record, artifactId);
  if (shape === undefined) throw damagedError(artifactId, "its record does not match its checksum");
  return { stored, shape };
}

/**
 * True if a blob cannot be found although one of its earlier handles still exists. A put in between would have created
 * a different handle.
 */
export async function isLost(
  driver: ArtifactDriver,
  artifactId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const before = await driver.getHandles(artifactId, { signal });
  if (before.length === 0) return false;
  if ((await driver.find(artifactId, { signal })) !== undefined) return false;
  const after = await driver.getHandles(artifactId, { signal });
  return after.some((handle) => before.some(({ handleId }) => handleId === handle.handleId));
}

/** Yields verified chunks from `first` on. Stops before `end` at the first chunk that does not match its hash. */
export async function* readChunks(
  { stored, shape }: FoundBlob,
  { first, end }: { first: number; end: number },
): AsyncGenerator<Uint8Array, void> {
  if (first >= end) return;
  if (stored.bytes !== undefined && shape.chunkCount === 1) {
    if (await shape.isChunk(0, stored.bytes)) yield stored.bytes;
    return;
  }
  let index = first;
  let pieces: Uint8Array[] = [];
  let missing = chunkLength(index, shape);
  for await (const piece of stored.read(first, end)) {
    for (let at = 0; at < piece.length && index < end;) {
      const part = piece.subarray(at, at + missing);
      pieces.push(part);
      at += part.length;
      missing -= part.length;
      if (missing > 0) continue;
      const chunk = pieces.length === 1 ? part : concatBytes(pieces);
      if (!(await shape.isChunk(index, chunk))) return;
      yield chunk;
      index += 1;
      pieces = [];
      missing = chunkLength(index, shape);
    }
  }
}

function chunkLength(index: number, { sizeBytes }: BlobShape): number {
  return Math.min(chunkBytes, sizeBytes - index * chunkBytes);
}
