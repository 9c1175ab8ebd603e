import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { ArtifactDriver } from "../artifact-driver.ts";
import { sampleIds } from "./sample-ids.ts";

const ids = Array.from({ length: 500 }, (_, at) =>
  createHash("sha256").update(String(at)).digest("hex"),
).toSorted();

/** Picks from a driver that has these ids, and how many ids it was asked for. */
async function picksOf(
  sample: number,
  seed: number,
  held: readonly string[] = ids,
): Promise<{ picks: string[]; listed: number }> {
  let listed = 0;
  const driver = {
    name: "test",
    listIds: async ({ after = "", limit }: { after?: string | undefined; limit: number }) => {
      const page = held.filter((id) => id > after).slice(0, limit);
      listed += page.length;
      return page;
    },
  } as unknown as ArtifactDriver;
  const picks: string[] = [];
  for await (const id of sampleIds(driver, { sample, seed })) picks.push(id);
  return { picks, listed };
}

describe("sampleIds", () => {
  it("picks as many as it is asked for, each once", async () => {
    for (const seed of [0, 1, 7, 1_764_000_000_000]) {
      const { picks } = await picksOf(10, seed);
      expect(new Set(picks).size).toBe(10);
      expect(ids).toEqual(expect.arrayContaining(picks));
    }
  });

  it("picks no id more often than others, over many seeds", async () => {
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 5_000; seed += 1)
      for (const id of (await picksOf(10, seed)).picks) counts.set(id, (counts.get(id) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeLessThan(3 * (50_000 / ids.length));
  });

  it("comes to other ids as the seed goes on", async () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 1_000; seed += 1)
      for (const id of (await picksOf(10, seed)).picks) seen.add(id);
    expect(seen.size).toBe(ids.length);
  });

  it("lists about as many ids as it picks", async () => {
    expect((await picksOf(3, 0)).listed).toBeLessThanOrEqual(6);
    expect((await picksOf(0, 0)).picks).toEqual([]);
  });

  it("starts over at the first id where few or none follow", async () => {
    const close = ids.map((id) => `ffffff${id.slice(6)}`).toSorted();
    const { picks } = await picksOf(400, 3, close);
    expect(new Set(picks).size).toBe(400);
    const all = (await picksOf(1_000, 3)).picks;
    expect(all.toSorted()).toEqual(ids);
    expect((await picksOf(5, 1, ids.slice(0, 2))).picks.toSorted()).toEqual(ids.slice(0, 2));
  });
});
