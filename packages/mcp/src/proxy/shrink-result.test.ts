import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { estimatedCounter } from "@ccl/core";
import type { CallToolResult } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createResultShrinker } from "./shrink-result.ts";

const count = (text: string): number => estimatedCounter.count(text);
const call = { name: "logs", input: { level: "error" } };
const resultOf = (...texts: string[]): CallToolResult => ({
  content: texts.map((text) => ({ type: "text", text })),
});
const textsOf = ({ content }: CallToolResult): string[] =>
  content.map((block) => (block.type === "text" ? block.text : ""));

function open(resultTokens: number) {
  const store = createMemoryArtifactStore();
  const shrinker = createResultShrinker({ resultTokens, counter: estimatedCounter, store });
  const shrink = async (...texts: string[]): Promise<string[]> =>
    textsOf(await shrinker.shrink(resultOf(...texts), call));
  return { store, shrinker, shrink };
}

const logOf = (seed: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, at) => `10:00:${at % 60} worker ${(at * seed) % 17} took ${(at * seed * 7919) % 9973} ms`,
  ).join("\n");
const seen = fc.record({
  seed: fc.integer({ min: 1, max: 4 }),
  lines: fc.constantFrom(1, 5, 30, 200),
});
const handleIn = (text: string): string | undefined => /artifact ([0-9a-f]{12})/.exec(text)?.[1];

describe("results", () => {
  it("are never longer than they came, nor above the budget but for the line that names the rest", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(seen, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 200, max: 2_000 }),
        async (calls, resultTokens) => {
          const { store, shrinker, shrink } = open(resultTokens);
          const expected = { results: 0, before: 0, after: 0, shortened: 0, repeated: 0 };
          for (const { seed, lines } of calls) {
            const text = logOf(seed, lines);
            const [shown = ""] = await shrink(text);
            const handle = handleIn(shown);
            const isRepeat = shown.startsWith("[The same as ");
            expected.results += 1;
            expected.before += count(text);
            expected.after += count(shown);
            if (isRepeat) expected.repeated += 1;
            else if (handle !== undefined) expected.shortened += 1;
            expect(count(shown)).toBeLessThanOrEqual(count(text));
            expect(count(shown)).toBeLessThanOrEqual(resultTokens + 40);
            expect(shown === text || count(text) >= 150).toBe(true);
            if (handle === undefined) continue;
            const { handles } = await store.listHandles({ source: "logs" });
            const { artifactId = "" } =
              handles.find((one) => one.artifactId.startsWith(handle)) ?? {};
            const bytes = await store.retrieve(artifactId);
            expect(new TextDecoder().decode(bytes)).toBe(text);
          }
          expect(shrinker.statistics).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("become a line where the same was seen, and come again once that is long ago", async () => {
    const { shrink, shrinker } = open(300);
    const first = logOf(3, 100);
    const [shown = ""] = await shrink(first);
    const line = `[The same as artifact ${handleIn(shown)}.]`;
    for (let at = 1; at < 40; at++) await shrink(logOf(at * 31 + 100, 60 + at));
    expect(await shrink(first)).toEqual([line]);
    expect(shrinker.statistics.repeated).toBe(1);
    await shrink(logOf(9_999, 120));
    expect(await shrink(first)).toEqual([shown]);
  });

  it("are compared with no more text than a process can hold, but with the last one whatever its size", async () => {
    const { shrink } = open(300);
    const [small, large] = [logOf(3, 100), logOf(5, 80_000)];
    expect(large.length).toBeGreaterThan(2_000_000);
    const [shown = ""] = await shrink(small);
    const [cut = ""] = await shrink(large);
    expect(await shrink(large)).toEqual([`[The same as artifact ${handleIn(cut)}.]`]);
    expect(await shrink(small)).toEqual([shown]);
  });

  it("keep all that is no text in its place, and what the result says beside its content", async () => {
    const { shrinker } = open(300);
    const image = { type: "image", data: "aaaa", mimeType: "image/png" } as const;
    const structuredContent = { rows: 100 };
    const { content } = resultOf("before", logOf(3, 100));
    const given: CallToolResult = { content: [image, ...content, image], structuredContent };
    const shown = await shrinker.shrink(given, call);
    expect(shown).toMatchObject({ structuredContent, content: [image, content[0], {}, image] });
    expect(textsOf(shown)[2]).toMatch(/^\[artifact [0-9a-f]{12}: \d+ of 100 lines shown; /);
  });

  it("are kept with their type", async () => {
    const { shrink, store } = open(300);
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, text: `row ${id * 7919}` }));
    await shrink(` ${JSON.stringify(rows)}`, logOf(3, 100));
    const { handles } = await store.listHandles();
    const kinds = await Promise.all(
      handles.map(async ({ artifactId, mimeType }) => {
        const bytes = await store.retrieve(artifactId);
        return [new TextDecoder().decode(bytes).slice(0, 3), mimeType];
      }),
    );
    expect(kinds.sort()).toEqual([
      [" [{", "application/json"],
      ["10:", "text/plain"],
    ]);
  });

  it("lose no byte where their rows take less room otherwise", async () => {
    const { shrink, shrinker } = open(5_000);
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, state: "paid", country: "AT" }));
    const text = JSON.stringify(rows, null, 2);
    const [shown = ""] = await shrink(text);
    expect(count(shown)).toBeLessThan(count(text) / 2);
    expect(shown).not.toContain("artifact");
    expect(shrinker.statistics).toMatchObject({ shortened: 0, after: count(shown) });
  });
});
