import {
  ArtifactStoreError,
  createMemoryArtifactStore,
  type ArtifactStore,
} from "@ccl/artifact-store";
import { compress, readContent } from "@ccl/compress";
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
  it("finds a line by its words, with context, in few tokens", async () => {
    const { store, ids } = await storeOf(lines(5_000, 3_210, "the lease of shard-7 was revoked"));
    const [search] = createArtifactTools({ store });
    const answer = await search.execute({ handle: ids[0], query: "revoked lease" }, context);
    expect(answer).toContain("[1 match]");
    expect(answer).toContain(
      "3210: job 3209 took 59 ms\n3211: the lease of shard-7 was revoked\n3212: ",
    );
    expect(estimatedCounter.count(answer)).toBeLessThanOrEqual(400);
  });

  it("searches everything without a handle, and names the source of a hit", async () => {
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

  it("searches the newest if there are too many", async () => {
    const results = Array.from({ length: 230 }, (_, at) => `job ${at} ended`);
    const { store } = await storeOf(...results);
    const [search] = createArtifactTools({ store });
    expect(await search.execute({ query: "229" }, context)).toContain("job 229 ended");
    const old = await search.execute({ query: "job 17" }, context);
    expect(old).not.toContain("job 17 ended");
    expect(old).toContain("[not searched: 180 older]");
  });

  it("reports what it could not search, and why a damaged result can't be read", async () => {
    const { store, ids } = await storeOf("job 1 ended", "job 2 ended");
    const [, lost = ""] = ids;
    const damaged: ArtifactStore = {
      ...store,
      async listHandles(options) {
        const { handles } = await store.listHandles(options);
        const isLost = ({ artifactId }: { artifactId: string }): boolean => artifactId === lost;
        return {
          handles: handles.filter((one) => !isLost(one)),
          damaged: handles.filter(isLost),
        };
      },
      async getHandles(artifactId, options) {
        if (artifactId !== lost) return await store.getHandles(artifactId, options);
        throw new ArtifactStoreError("damaged", "The handles are damaged.");
      },
    };
    const [search, read] = createArtifactTools({ store: damaged });
    const note = "[not searched: 1 that can't be read]";
    for (const query of ["job", "nothing"])
      expect(await search.execute({ query }, context)).toContain(note);
    const handle = lost.slice(0, 12);
    const refusal = `[artifact "${handle}" can't be read: the store failed (damaged)]`;
    expect(await search.execute({ query: "job", handle }, context)).toBe(refusal);
    expect(await read.execute({ handle }, context)).toBe(refusal);
  });

  it("shows a line of each listed result, and names those that do not fit", async () => {
    const long = (at: number): string =>
      Array.from(
        { length: 40 },
        (_, row) => `shard-${at} ${row} ${"revoked lease ".repeat(20)}`,
      ).join("\n");
    const { store, ids } = await storeOf(...[1, 2, 3, 4].map(long));
    const [search] = createArtifactTools({ store });
    for (const maxTokens of [100, 200, 400, 800]) {
      const answer = await search.execute({ query: "revoked lease", maxTokens }, context);
      expect(estimatedCounter.count(answer)).toBeLessThanOrEqual(maxTokens);
      expect(answer).not.toMatch(/plain\]\n(?:\[artifact|$)/);
      for (const id of ids) expect(answer).toContain(id.slice(0, 12));
    }
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

  it("runs regular expressions that backtrack endlessly elsewhere, and rejects invalid ones", async () => {
    const { store, ids } = await storeOf(`${"a".repeat(50_000)}b\nerror 4711: gone`);
    const [search] = createArtifactTools({ store });
    const find = (query: string): Promise<string> =>
      search.execute({ handle: ids[0], query, regex: true, around: 0 }, context);
    expect(await find("ERROR \\d{4}")).toContain("2: error 4711: gone");
    expect(await find("(a+)+$")).toContain("[nothing in");
    expect(await find("(")).toMatch(/^\[the regular expression can't be read: /);
  });

  it.each(["", "nothing", "f".repeat(64), "../../etc/passwd"])(
    "rejects %j, which is no artifact",
    async (handle) => {
      const { store } = await storeOf();
      const [search] = createArtifactTools({ store });
      expect(await search.execute({ handle, query: "x" }, context)).toMatch(
        /can't be read: no artifact/,
      );
    },
  );
});

describe("arguments that do not fit the schema", () => {
  it.each([null, 4711, ["a"], { id: "a" }])("are answered if the handle is %j", async (handle) => {
    const { store } = await storeOf("error 4711");
    const input = JSON.parse(JSON.stringify({ handle, query: "4711" }));
    const [search, read] = createArtifactTools({ store });
    expect(await search.execute(input, context)).toMatch(/^\[handle has to be the id/);
    expect(await read.execute(input, context)).toMatch(/no artifact/);
  });
});

describe("read_artifact", () => {
  it.each([
    [
      "JSON",
      JSON.stringify({
        page: 1,
        rows: Array.from({ length: 300 }, (_, at) => ({ id: `o-${at}`, sum: at })),
      }),
      "application/json",
    ],
    [
      "a text in JSON",
      JSON.stringify({ content: [{ type: "text", text: lines(900, 400, "alpha-1 fell") }] }),
      "application/json",
    ],
    [
      "a table",
      ["id,sum", ...Array.from({ length: 300 }, (_, at) => `o-${at},"${at}\n"`)].join("\n"),
      "text/csv",
    ],
    [
      "a page",
      `<html><body>${Array.from({ length: 300 }, (_, at) => `<p>part ${at}</p>`).join("")}</body></html>`,
      "text/html",
    ],
    ["lines", lines(900, 400, "alpha-1 fell"), "text/plain"],
  ] as const)(
    "reads the omitted part of %s by the numbers that were shown",
    async (_, text, mimeType) => {
      const store = createMemoryArtifactStore();
      const { artifactId: handle } = await store.store(text, { source, mimeType });
      const [, read] = createArtifactTools({ store });
      const { ranges, numbering } = compress(text, { budget: 120 });
      expect(ranges.length).toBeGreaterThan(0);
      for (const { from, to } of ranges.slice(0, 3)) {
        const answer = String(
          await read.execute({ handle, [numbering]: { start: from, end: to } }, context),
        );
        expect(answer).toMatch(
          new RegExp(`^\\[artifact \\w{12}, \\S+ ${numbering} ${from} to \\d+, `),
        );
        const piece = readContent(text, { from, to: from });
        expect(answer).toContain(piece.text);
        expect(estimatedCounter.count(answer)).toBeLessThanOrEqual(400);
      }
    },
  );

  it("says how many rows there are, and how to continue", async () => {
    const store = createMemoryArtifactStore();
    const text = JSON.stringify(
      Array.from({ length: 500 }, (_, at) => ({ id: `o-${at}`, sum: at })),
    );
    const { artifactId: handle } = await store.store(text, {
      source,
      mimeType: "application/json",
    });
    const [, read] = createArtifactTools({ store });
    expect(await read.execute({ handle, rows: { start: 700 } }, context)).toMatch(
      /it has 500 rows\]$/,
    );
    expect(await read.execute({ handle, rows: { start: 3, end: 4 } }, context)).toBe(
      `[artifact ${handle.slice(0, 12)}, application/json, rows 3 to 4, of 500]\n500 rows\nrow|id|sum\n3|o-2|2\n4|o-3|3`,
    );
    expect(await read.execute({ handle, rows: { start: 3 } }, context)).toMatch(
      / rows 3 to \d+, continue with rows from \d+\]/,
    );
  });
});

describe("artifact tools with bad input", () => {
  it.each([
    [{ query: " " }, /^\[nothing to look for: query has to be words/],
    [{ query: "x", scope: "session" as "all" }, /^\[unknown scope "session": leave it out/],
    [{ query: "(x", regex: true }, /^\[the regular expression can't be read: .*missing closing \)/],
  ])("answers a search for %j with what to change", async (input, expected) => {
    const { store } = await storeOf("x");
    const [search] = createArtifactTools({ store });
    expect(await search.execute(input, context)).toMatch(expected);
  });

  it.each([
    [{ lines: { start: 5, end: 2 } }, "lines end at 2, before they start at 5"],
    [{ rows: "1-5" as unknown as { start: number } }, 'rows has to be {"start": 1, "end": 20}'],
  ])("answers a read of %j with what to change", async (input, expected) => {
    const { store, ids } = await storeOf("x");
    const [, read] = createArtifactTools({ store });
    const answer = await read.execute({ handle: ids[0] ?? "", ...input }, context);
    expect(answer).toContain(`can't be read: ${expected}]`);
  });

  it("does not mix in parts of an id from other pieces of a large text", async () => {
    const { store, ids } = await storeOf(lines(400_000, 333_333, "error E-4711 fell"));
    const [search] = createArtifactTools({ store });
    const answer = await search.execute({ handle: ids[0], query: "E-4711", around: 0 }, context);
    expect(answer.split("\n").slice(1)).toEqual(["[1 match]", "333334: error E-4711 fell"]);
  });
});

it("requires a store", () => {
  expect(() => createArtifactTools({})).toThrow(
    expect.objectContaining({ code: "invalid_options" }),
  );
});
