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
  const statistics = { results: 0, before: 0, after: 0, shortened: 0, repeated: 0 };
  const options = { resultTokens, counter: estimatedCounter, store, sessionId: "test", statistics };
  const shrinker = createResultShrinker(options);
  const shrink = async (...texts: string[]): Promise<string[]> =>
    textsOf(await shrinker.shrink(resultOf(...texts), call));
  return { store, shrinker, shrink, statistics };
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
  it("are never longer than they came, nor above the budget", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(seen, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 200, max: 2_000 }),
        async (calls, resultTokens) => {
          const { store, statistics, shrink } = open(resultTokens);
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
            expect(count(shown)).toBeLessThanOrEqual(resultTokens);
            expect(shown === text || count(text) >= 150).toBe(true);
            if (handle === undefined) continue;
            const { handles } = await store.listHandles({ source: "logs" });
            const { artifactId = "" } =
              handles.find((one) => one.artifactId.startsWith(handle)) ?? {};
            const bytes = await store.retrieve(artifactId);
            expect(new TextDecoder().decode(bytes)).toBe(text);
          }
          expect(statistics).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("become a line where the same was seen, and come again once that is long ago", async () => {
    const { shrink, statistics } = open(300);
    const first = logOf(3, 100);
    const [shown = ""] = await shrink(first);
    const line = `[The same as artifact ${handleIn(shown)}.]`;
    for (let at = 1; at < 40; at++) await shrink(logOf(at * 31 + 100, 60 + at));
    expect(await shrink(first)).toEqual([line]);
    expect(statistics.repeated).toBe(1);
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

  it("keep all that is no text, and become one text where several have no room", async () => {
    const { shrinker } = open(300);
    const image = { type: "image", data: "aaaa", mimeType: "image/png" } as const;
    const [first, last] = resultOf("before", logOf(3, 100)).content;
    const resource = { uri: "test://log", text: logOf(5, 100) };
    if (first === undefined || last === undefined) throw new Error("unreachable");
    const content = [image, first, { type: "resource", resource } as const, image, last];
    const shown = await shrinker.shrink({ content, isError: true }, call);
    expect(shown).toMatchObject({ isError: true, content: [image, { type: "text" }, image] });
    expect(textsOf(shown)[1]).toMatch(/^\[artifact [0-9a-f]{12}: \d+ of 201 lines shown; /);
    const short = { content: [image, first] };
    expect(await shrinker.shrink(short, call)).toBe(short);
  });

  it("are shortened in an embedded resource too, under a handle of the whole", async () => {
    const { shrinker, store } = open(300);
    const text = logOf(3, 200);
    const resource = { uri: "test://log", mimeType: "text/plain", text };
    const shown = await shrinker.shrink({ content: [{ type: "resource", resource }] }, call);
    const [short = ""] = textsOf(shown);
    expect(JSON.stringify(shown).length).toBeLessThan(text.length / 4);
    expect(count(short)).toBeLessThanOrEqual(300);
    const { handles } = await store.listHandles();
    expect(handles.map(({ artifactId }) => artifactId.slice(0, 12))).toEqual([handleIn(short)]);
  });

  it.each([{ at: "order 1222" }, { where: [{ order: 1222 }] }, { text: "1222" }])(
    "show what the values of %j ask for, wherever these stand",
    async (input) => {
      const lines = Array.from({ length: 400 }, (_, at) => `order ${at + 1_000} was sent to Oslo`);
      const text = lines.join("\n");
      const shownFor = async (asked: Record<string, unknown>): Promise<string> => {
        const result = await open(300).shrinker.shrink(resultOf(text), { name: "x", input: asked });
        return textsOf(result).join("\n");
      };
      expect(await shownFor(input)).toContain("order 1222 was sent");
      expect(await shownFor({ text: "1333" })).not.toContain("order 1222 was sent");
    },
  );

  it("keep structured content that says what the text says, and no other", async () => {
    const { shrinker } = open(300);
    const shownOf = async (structuredContent: Record<string, unknown>): Promise<unknown> => {
      const given = { ...resultOf("It rains."), structuredContent };
      const shown = await shrinker.shrink(given, call);
      return shown === given ? "as it came" : shown;
    };
    expect(await shownOf({ content: "It rains." })).toBe("as it came");
    expect(await shownOf({ content: "It rains.", degrees: 7 })).toEqual({
      content: [{ type: "text", text: 'It rains.\n{"content":"It rains.","degrees":7}' }],
    });
    const rows = { rows: [1, 2], count: 2 };
    const same = { ...resultOf(JSON.stringify(rows, null, 2)), structuredContent: rows };
    expect(await shrinker.shrink(same, call)).toBe(same);
    const only = { ...resultOf("[1, 2]"), structuredContent: { rows: [1, 2] } };
    expect(await shrinker.shrink(only, call)).toBe(only);
  });

  it("name what was shown whole by what gave it", async () => {
    const { shrink } = open(3_000);
    const text = logOf(3, 60);
    await shrink(text);
    expect(await shrink(text)).toEqual([
      expect.stringMatching(/^\[The same as what logs gave before, artifact [0-9a-f]{12}\.\]$/),
    ]);
  });

  const data = fc.oneof(
    fc.integer({ min: 0, max: 300 }).map((rows) => ({
      rows: Array.from({ length: rows }, (_, id) => ({ id, city: `city ${(id * 7919) % 997}` })),
    })),
    seen.map(({ seed, lines }) => ({ content: logOf(seed, lines) })),
  );
  const words = fc.constantFrom("json", "content", "done", "none");

  it("say in structured content what texts say, or in one text what both say, within the budget", async () => {
    let shortened = 0;
    await fc.assert(
      fc.asyncProperty(
        data,
        words,
        fc.integer({ min: 200, max: 900 }),
        async (given, said, room) => {
          const { shrinker, store } = open(room);
          const texts = { json: JSON.stringify(given), done: "Done.", none: "", content: "" };
          if ("content" in given) texts.content = given.content;
          const { content } = said === "none" ? resultOf() : resultOf(texts[said]);
          const result: CallToolResult = { content, structuredContent: given };
          const shown = await shrinker.shrink(result, call);
          const isKept = shown === result;
          const holdsAll = said !== "done" && count(JSON.stringify(given)) <= room;
          expect(isKept && !holdsAll).toBe(false);
          if (isKept) return;
          shortened += 1;
          expect(shown.structuredContent).toBeUndefined();
          const [text = "", ...others] = textsOf(shown);
          expect(others).toEqual([]);
          expect(count(text)).toBeLessThanOrEqual(room);
          expect(said !== "done" || handleIn(text) !== undefined || text.includes("Done.")).toBe(
            true,
          );
          const handle = handleIn(text);
          if (handle === undefined) return;
          const { handles } = await store.listHandles({ sessionId: "test" });
          expect(handles.map(({ artifactId }) => artifactId.slice(0, 12))).toContain(handle);
        },
      ),
      { numRuns: 60 },
    );
    expect(shortened).toBeGreaterThan(0);
  });

  it("are kept with their type", async () => {
    const { shrink, store } = open(300);
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, text: `row ${id * 7919}` }));
    await shrink(` ${JSON.stringify(rows)}`);
    await shrink(logOf(3, 100));
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
    const { shrink, statistics } = open(5_000);
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, state: "paid", country: "AT" }));
    const text = JSON.stringify(rows, null, 2);
    const [shown = ""] = await shrink(text);
    expect(count(shown)).toBeLessThan(count(text) / 2);
    expect(shown).not.toContain("artifact");
    expect(statistics).toMatchObject({ shortened: 0, after: count(shown) });
  });
});
