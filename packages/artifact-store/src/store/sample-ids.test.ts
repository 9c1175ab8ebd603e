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
  it("picks as many as it is asked for, each once, spread over all ids", async () => {
    for (const seed of [0, 1, 7, 1_764_000_000_000]) {
      const { picks } = await picksOf(10, seed);
      expect(new Set(picks).size).toBe(10);
      // A tenth of the ids has one pick, at most two where a pick lies just before its border.
      for (let tenth = 0; tenth < 10; tenth += 1) {
        const inTenth = picks.filter(
          (id) => Math.floor((parseInt(id.slice(0, 8), 16) / 2 ** 32) * 10) === tenth,
        );
        expect(inTenth.length).toBeLessThanOrEqual(2);
      }
    }
  });

  it("comes to other ids as the seed goes on, but for those close behind another", async () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 1_000; seed += 1)
      for (const id of (await picksOf(10, seed)).picks) seen.add(id);
    expect(seen.size).toBeGreaterThan(0.95 * ids.length);
  });

  it("lists a page for each pick, not all ids", async () => {
    expect((await picksOf(3, 0)).listed).toBeLessThanOrEqual(300);
    expect((await picksOf(0, 0)).picks).toEqual([]);
  });

  it("fills up from what it passed over, where ids lie close together or are fewer", async () => {
    const close = ids.map((id) => `ffffff${id.slice(6)}`).toSorted();
    const { picks } = await picksOf(400, 3, close);
    expect(new Set(picks).size).toBe(400);
    const all = (await picksOf(1_000, 3)).picks;
    expect(all.toSorted()).toEqual(ids);
    expect((await picksOf(5, 1, ids.slice(0, 2))).picks.toSorted()).toEqual(ids.slice(0, 2));
  });
});
