import type { ArtifactDriver } from "../artifact-driver.ts";
import { pageOfIds, pagesOfIds } from "./pages-of-ids.ts";

/** How many ids to pick, and a seed that moves the picks between checks. */
export interface SampleOptions {
  sample: number;
  seed: number;
  signal?: AbortSignal | undefined;
}

const readAhead = 100;

/**
 * Ids are hashes, so they are spread evenly. The picks are the ids that follow evenly spaced points, which the seed
 * moves. If that gives too few, the skipped ids follow.
 */
export async function* sampleIds(
  driver: ArtifactDriver,
  { sample, seed, signal }: SampleOptions,
): AsyncGenerator<string, void> {
  const picked = new Set<string>();
  const shift = ((seed * 0.6180339887498949) % 1) / Math.max(1, sample);
  let page: string[] = [];
  let isLastPage = false;
  let last = "";
  while (picked.size < sample) {
    const point = pointAt(picked.size / sample + shift);
    const after = point > last ? point : last;
    let next = page.find((id) => id > after);
    if (next === undefined && !isLastPage) {
      page = await pageOfIds(driver, { after, limit: readAhead, signal });
      isLastPage = page.length < readAhead;
      [next] = page;
    }
    if (next === undefined) break;
    picked.add(next);
    last = next;
    yield next;
  }
  if (picked.size === sample) return;
  for await (const id of pagesOfIds(driver, signal)) {
    if (picked.has(id)) continue;
    picked.add(id);
    yield id;
    if (picked.size === sample) return;
  }
}

function pointAt(share: number): string {
  const digits = Math.min(2 ** 48 - 1, Math.floor(share * 2 ** 48));
  return digits.toString(16).padStart(12, "0").padEnd(64, "0");
}
