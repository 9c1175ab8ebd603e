import type { ArtifactDriver, BlobPut } from "../artifact-driver.ts";
import { findBlob, readChunks } from "./read-chunks.ts";
import type { StoreContext } from "./store-context.ts";

/**
 * Reads back a blob that already existed at a commit, and replaces its bytes if anything is wrong.
 */
export async function repairIfDamaged(
  { driver, clock }: StoreContext,
  put: BlobPut,
): Promise<void> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (await isIntact(driver, put.record.artifactId)) return;
  }
  await driver.repair(put.record, put.content, { now: clock.now() });
}

async function isIntact(driver: ArtifactDriver, artifactId: string): Promise<boolean> {
  try {
    const found = await findBlob(driver, artifactId, undefined);
    // Another caller deleted and freed it, so there is nothing to repair.
    if (found === undefined) return true;
    const { chunkCount } = found.shape;
    let intact = 0;
    for await (const _ of readChunks(found, { first: 0, end: chunkCount })) intact += 1;
    return intact === chunkCount;
  } catch {
    return false;
  }
}
