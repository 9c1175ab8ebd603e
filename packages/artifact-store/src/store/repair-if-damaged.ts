import type { BlobPut } from "../artifact-driver.ts";
import { isEqual, shapeOf } from "./blob-record.ts";
import { readChunks } from "./read-chunks.ts";
import type { StoreContext } from "./store-context.ts";

/** Reads back the blob that a commit found in place and replaces its bytes if anything is wrong. */
export async function repairIfDamaged(
  { driver, clock }: StoreContext,
  put: BlobPut,
): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (await isIntact(driver, put)) return;
  }
  await driver.repair(put.record, put.content, { now: clock.now() });
}

async function isIntact(driver: StoreContext["driver"], { record }: BlobPut): Promise<boolean> {
  const stored = await driver.find(record.artifactId, {});
  // Another caller deleted and freed it, so there is nothing to repair.
  if (stored === undefined) return true;
  const shape = shapeOf(record, record.artifactId);
  if (shape === undefined || stored.isQuarantined) return false;
  const { sizeBytes, chunkHashes } = stored.record;
  if (sizeBytes !== record.sizeBytes || !isEqual(chunkHashes, record.chunkHashes)) return false;
  let right = 0;
  try {
    for await (const chunk of readChunks({ stored, shape }, { first: 0, end: shape.chunkCount })) {
      right += chunk.length > 0 ? 1 : 0;
    }
  } catch {
    return false;
  }
  return right === shape.chunkCount;
}
