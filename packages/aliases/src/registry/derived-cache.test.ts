import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { DerivedCache } from "./alias-registry.ts";
import { createDerivedCache } from "./derived-cache.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "ccl-derived-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const key = (number: number): string => number.toString(16).padStart(64, "0");

function open(live: readonly string[] = []): DerivedCache {
  const write = async (file: string, text: string): Promise<void> => writeFileSync(file, text);
  return createDerivedCache({ directory, write, liveHashes: () => live });
}

describe("createDerivedCache", () => {
  it("gives back after reopening what was set and flushed, by kind", async () => {
    const cache = open();
    cache.set("outline.1", key(1), "one");
    cache.set("Card", key(1), "card");
    expect(cache.get("outline.1", key(1))).toBe("one");
    expect(open().get("outline.1", key(1))).toBeUndefined();
    await cache.flush();
    expect(open().get("outline.1", key(1))).toBe("one");
    expect(open().get("Card", key(1))).toBe("card");
    expect(open().get("card", key(1))).toBeUndefined();
    expect(readdirSync(directory).sort()).toEqual(["derived-_43_ard.jsonl", "derived-outline_2e_1.jsonl"]);
  });

  it("keeps line separators, which JSON does not escape", async () => {
    const cache = open();
    cache.set("kind", key(1), "a\u2028b\nc");
    await cache.flush();
    expect(open().get("kind", key(1))).toBe("a\u2028b\nc");
  });

  it("keeps any text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary" })), async (texts) => {
        const cache = open();
        for (const [index, text] of texts.entries()) cache.set("kind", key(index), text);
        await cache.flush();
        const again = open();
        expect(texts.map((_, index) => again.get("kind", key(index)))).toEqual(texts);
      }),
    );
  });

  it("writes nothing when nothing is new, or when it may not", async () => {
    open().get("kind", key(1));
    await open().flush();
    const reader = createDerivedCache({ directory, write: undefined, liveHashes: () => [] });
    reader.set("kind", key(1), "one");
    await reader.flush();
    expect(reader.get("kind", key(1))).toBe("one");
    expect(readdirSync(directory)).toEqual([]);
  });

  it("loses only the damaged lines of a damaged file", async () => {
    const cache = open();
    for (let number = 0; number < 5; number += 1) cache.set("kind", key(number), `value ${number}`);
    await cache.flush();
    const [file = ""] = readdirSync(directory).map((name) => join(directory, name));
    const lines = readFileSync(file, "utf8").split("\n");
    lines[1] = "rubbish";
    lines[2] = `${key(2)} "\0"`;
    lines[4] = (lines[4] ?? "").slice(0, -3);
    writeFileSync(file, lines.slice(0, 5).join("\n"));
    const again = open();
    const values = Array.from({ length: 5 }, (_, number) => again.get("kind", key(number)));
    expect(values).toEqual(["value 0", undefined, undefined, "value 3", undefined]);
  });

  it("drops hashes that nobody uses once they are the larger part", async () => {
    const cache = open();
    for (let number = 0; number < 1500; number += 1) cache.set("kind", key(number), "x");
    await cache.flush();
    const next = open([key(1), key(2)]);
    next.set("kind", key(9999), "new");
    await next.flush();
    const last = open();
    expect([1, 2, 3, 9999].map((number) => last.get("kind", key(number)))).toEqual(["x", "x", undefined, "new"]);
  });
});
