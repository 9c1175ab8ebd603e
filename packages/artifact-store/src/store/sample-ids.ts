import type { ArtifactDriver } from "../driver/artifact-driver.ts";
import { signalOption } from "./store-context.ts";

/** How many to pick, and a number that moves the picks from one check to the next. */
export interface SampleOptions {
  sample: number;
  seed: number;
  signal?: AbortSignal | undefined;
}

/** Ids are hashes and so lie evenly: points at even distances, moved by the seed, each pick the next id after them. */
export async function* sampleIds(
  driver: ArtifactDriver,
  { sample, seed, signal }: SampleOptions,
): AsyncGenerator<string, void> {
  const picked = new Set<string>();
  const next = async (after: string): Promise<string | undefined> => {
    const [following] = await driver.listIds({ limit: 1, after, ...signalOption(signal) });
    return following ?? (await driver.listIds({ limit: 1, ...signalOption(signal) }))[0];
  };
  const shift = ((seed * 0.6180339887498949) % 1) / Math.max(1, sample);
  for (let index = 0; index < sample; index += 1) {
    const start = await next(pointAt(index / sample + shift));
    let id = start;
    while (id !== undefined && picked.has(id)) {
      id = await next(id);
      if (id === start) return;
    }
    if (id === undefined) return;
    picked.add(id);
    yield id;
  }
}

function pointAt(share: number): string {
  const digits = Math.min(2 ** 48 - 1, Math.floor(share * 2 ** 48));
  return digits.toString(16).padStart(12, "0").padEnd(64, "0");
}
