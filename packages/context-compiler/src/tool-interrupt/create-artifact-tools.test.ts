import { createMemoryArtifactStore, type ArtifactStore } from "@ccl/artifact-store";
import { estimatedCounter } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { createArtifactTools } from "./create-artifact-tools.ts";

const source = "tool:logs";
const context = {};

async function storeOf(...texts: string[]): Promise<{ store: ArtifactStore; ids: string[] }> {
  const store = createMemoryArtifactStore();
  const ids: string[] = [];
  for (const text of texts)
    ids.push((await store.store(text, { source, mimeType: "text/plain" })).artifactId);
  return { store, ids };
}

const lines = (count: number, at: number, odd: string): string =>
  Array.from({ length: count }, (_, index) =>
    index === at ? odd : `job ${index} took ${index % 90} ms`,
  ).join("\n");

describe("search_artifact", () => {
  it("finds a line by its words with what stands around it, in few tokens", async () => {
    const { store, ids } = await storeOf(lines(5_000, 3_210, "the lease of shard-7 was revoked"));
    const [search] = createArtifactTools({ store });
    const answer = await search.execute({ handle: ids[0], query: "revoked lease" }, context);
    expect(answer).toContain("[1 match]");
    expect(answer).toContain(
      "3210: job 3209 took 59 ms\n3211: the lease of shard-7 was revoked\n3212: ",
    );
    expect(estimatedCounter.count(answer)).toBeLessThanOrEqual(400);
  });

  it("searches everything without a handle, and says where a hit stands", async () => {
    const { store, ids } = await storeOf(
      lines(900, 400, "alpha-1 is here"),
      lines(900, 500, "beta-2 is here"),
    );
    const [search] = createArtifactTools({ store });
    const answer = await search.execute({ query: "beta-2" }, context);
    expect(answer).toContain(`[artifact ${ids[1]?.slice(0, 12)}, text/plain]`);
    expect(answer).toContain("501: beta-2 is here");
    expect(answer).not.toContain("alpha-1");
    expect(await search.execute({ query: "gamma-3" }, context)).toBe(
      '[nothing in 2 stored results matches "gamma-3"]',
    );
  });

  it("numbers lines of artifacts that are read in pieces", async () => {
    const { store, ids } = await storeOf(lines(300_000, 287_654, "needle-4711 fell"));
    const [search, read] = createArtifactTools({ store });
    const answer = await search.execute({ handle: ids[0], query: "needle-4711" }, context);
    expect(answer).toContain("287655: needle-4711 fell");
    const piece = await read.execute(
      { handle: ids[0] ?? "", lines: { start: 287_655, end: 287_655 } },
      context,
    );
    expect(piece).toContain("\nneedle-4711 fell");
  });

  it("takes regular expressions that would never end elsewhere, and refuses those that are none", async () => {
    const { store, ids } = await storeOf(`${"a".repeat(50_000)}b\nerror 4711: gone`);
    const [search] = createArtifactTools({ store });
    const find = (query: string): Promise<string> =>
      search.execute({ handle: ids[0], query, regex: true, around: 0 }, context);
    expect(await find("ERROR \\d{4}")).toContain("2: error 4711: gone");
    expect(await find("(a+)+$")).toContain("[nothing in");
    expect(await find("(")).toMatch(/^\[the regular expression can't be read: /);
  });

  it.each(["", "nothing", "f".repeat(64), "../../etc/passwd"])(
    "refuses %j, which is no artifact",
    async (handle) => {
      const { store } = await storeOf();
      const [search] = createArtifactTools({ store });
      expect(await search.execute({ handle, query: "x" }, context)).toMatch(
        /can't be read: no artifact/,
      );
    },
  );
});

it("needs a store", () => {
  expect(() => createArtifactTools({})).toThrow(
    expect.objectContaining({ code: "invalid_options" }),
  );
});
