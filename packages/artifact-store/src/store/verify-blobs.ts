import { throwIfAborted } from "@ccl/core/async";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { createSha256 } from "@ccl/core/hash";
import type { VerifyOptions, VerifyReport } from "../artifact-store.ts";
import type { ArtifactDriver, StoredBlob } from "../artifact-driver.ts";
import { shapeOf } from "./blob-record.ts";
import { idsAfter } from "./ids-after.ts";
import { isLost, readChunks } from "./read-chunks.ts";
import { sampleIds } from "./sample-ids.ts";
import { sortHandles, type StoreContext } from "./store-context.ts";

type Verdict = "intact" | "damaged" | "unreadable" | "missing" | "gone";

/** Reads whole blobs and quarantines damaged ones. */
export async function verifyBlobs(
  { driver, clock }: StoreContext,
  { sample, signal }: VerifyOptions,
): Promise<VerifyReport> {
  const report: VerifyReport = { checked: 0, damaged: [], missing: [] };
  const ids =
    sample === undefined
      ? idsAfter(driver, { signal })
      : sampleIds(driver, { sample, seed: clock.now(), signal });
  if (sample === undefined) await driver.checkStructure?.();
  for await (const artifactId of ids) {
    throwIfAborted(signal, ArtifactStoreError);
    const verdict = await judge(driver, artifactId, signal);
    if (verdict === "gone") continue;
    report.checked += 1;
    if (verdict === "missing") report.missing.push(artifactId);
    if (verdict === "damaged" || verdict === "unreadable") report.damaged.push(artifactId);
    const { damaged = [] } = sortHandles(await driver.getHandles(artifactId, { signal }));
    if (damaged.length > 0) report.damagedHandles = [...(report.damagedHandles ?? []), ...damaged];
    // A blob that could not be read may still be intact, so only wrong bytes are quarantined.
    if (verdict === "damaged") await driver.quarantine(artifactId);
  }
  report.damaged.sort();
  report.missing.sort();
  return report;
}

async function judge(
  driver: ArtifactDriver,
  artifactId: string,
  signal: AbortSignal | undefined,
): Promise<Verdict> {
  const first = await judgeOnce(driver, artifactId, signal);
  // A repair or a deletion may have happened in between, so two reads must agree that a blob is damaged.
  return first === "damaged" || first === "unreadable"
    ? judgeOnce(driver, artifactId, signal)
    : first;
}

async function judgeOnce(
  driver: ArtifactDriver,
  artifactId: string,
  signal: AbortSignal | undefined,
): Promise<Verdict> {
  const stored = await driver.find(artifactId, { signal });
  if (stored === undefined) return (await isLost(driver, artifactId, signal)) ? "missing" : "gone";
  try {
    return (await isWholeBlob(stored, artifactId, signal)) ? "intact" : "damaged";
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return "unreadable";
  }
}

/** True if a blob is not quarantined and its record and bytes are what was stored. */
export async function isWholeBlob(
  stored: StoredBlob,
  artifactId: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const shape = stored.isQuarantined ? undefined : shapeOf(stored.record, artifactId);
  if (shape === undefined) return false;
  const whole = createSha256();
  for await (const chunk of readChunks({ stored, shape }, { first: 0, end: shape.chunkCount })) {
    throwIfAborted(signal, ArtifactStoreError);
    whole.update(chunk);
  }
  return whole.digestHex() === artifactId;
}
