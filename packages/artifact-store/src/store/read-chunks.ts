import { ArtifactStoreError } from "../artifact-store-error.ts";
import { chunkBytes, type ArtifactDriver, type StoredBlob } from "../driver/artifact-driver.ts";
import { shapeOf, type BlobShape } from "./blob-record.ts";
import { nudgeCollector } from "./nudge-collector.ts";
import { signalOption } from "./store-context.ts";

/** A blob that was found and whose record holds. */
export interface FoundBlob {
  stored: StoredBlob;
  shape: BlobShape;
}

export function corruptError(artifactId: string, what: string): ArtifactStoreError {
  return new ArtifactStoreError(
    "corrupt",
    `Artifact ${artifactId} is damaged: ${what}. Storing the same bytes mends it.`,
    {
      details: { artifactId },
    },
  );
}

/**
 * The blob, or undefined when no handle names it.
 * @throws ArtifactStoreError `corrupt` for one that was set aside, whose record is damaged, or whose bytes are lost
 */
export async function findBlob(
  driver: ArtifactDriver,
  artifactId: string,
  signal: AbortSignal | undefined,
): Promise<FoundBlob | undefined> {
  const stored = await driver.find(artifactId, signalOption(signal));
  if (stored === undefined) {
    if (await isLost(driver, artifactId, signal))
      throw corruptError(artifactId, "its bytes are missing");
    return undefined;
  }
  if (stored.isQuarantined) throw corruptError(artifactId, "a check has set it aside");
  const shape = shapeOf(stored.record, artifactId);
  if (shape === undefined) throw corruptError(artifactId, "its record does not match its checksum");
  return { stored, shape };
}

/** Lost is a blob that is not found while a handle that was there before still is: a put meanwhile makes another handle. */
export async function isLost(
  driver: ArtifactDriver,
  artifactId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const before = await driver.getHandles(artifactId, signalOption(signal));
  if (before.length === 0) return false;
  if ((await driver.find(artifactId, signalOption(signal))) !== undefined) return false;
  const after = await driver.getHandles(artifactId, signalOption(signal));
  return after.some((handle) => before.some(({ handleId }) => handleId === handle.handleId));
}

/** A checked chunk, in the pieces that it came in; emptied when the next one is asked for. */
export type CheckedChunk = readonly Uint8Array[];

/** The chunks from `first` on as far as they are right: ends before `end` at the first one that is not. */
export async function* readChunks(
  { stored, shape }: FoundBlob,
  { first, end }: { first: number; end: number },
): AsyncGenerator<CheckedChunk, void> {
  if (first >= end) return;
  if (stored.bytes !== undefined && shape.chunkCount === 1) {
    if (shape.isChunk(0, [stored.bytes])) yield [stored.bytes];
    return;
  }
  let index = first;
  const pieces: Uint8Array[] = [];
  let missing = chunkLength(index, shape);
  for await (const piece of stored.read(first, end)) {
    for (let at = 0; at < piece.length;) {
      if (index === end) return;
      const part = piece.subarray(at, at + missing);
      pieces.push(part);
      at += part.length;
      missing -= part.length;
      if (missing === 0 && !shape.isChunk(index, pieces)) return;
      if (missing === 0) {
        yield pieces;
        index += 1;
        // Not a new array: an old one that V8 has moved out of its young heap would hold its pieces there.
        pieces.length = 0;
        missing = chunkLength(index, shape);
      }
      // Last, when a piece that was a whole chunk is done with.
      nudgeCollector(part.length);
    }
  }
}

function chunkLength(index: number, { sizeBytes }: BlobShape): number {
  return Math.min(chunkBytes, sizeBytes - index * chunkBytes);
}
