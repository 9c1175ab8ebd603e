import type { ArtifactDriver } from "../artifact-driver.ts";
import { idsAfter } from "./ids-after.ts";

/** Number of ids to pick, and a seed that changes the picks between checks. */
export interface SampleOptions {
  sample: number;
  seed: number;
  signal?: AbortSignal | undefined;
}

const maxPage = 1000;

/**
 * Yields the ids from a point that depends on the seed, then continues from the first id after the last. Ids are
 * hashes, so consecutive ids are a random sample.
 */
export async function* sampleIds(
  driver: ArtifactDriver,
  { sample, seed, signal }: SampleOptions,
): AsyncGenerator<string, void> {
  if (sample === 0) return;
  const limit = Math.min(sample, maxPage);
  const share = (seed * 0.6180339887498949) % 1;
  const point = Math.floor(share * 2 ** 48)
    .toString(16)
    .padStart(12, "0");
  let left = sample;
  for (const after of [point, ""]) {
    for await (const id of idsAfter(driver, { after, limit, signal })) {
      if (after === "" && id > point) return;
      yield id;
      left -= 1;
      if (left === 0) return;
    }
  }
}
