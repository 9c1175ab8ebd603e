import { hash } from "node:crypto";
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

function open(live: readonly string[] = [], writer = 0): DerivedCache {
  const write = async (file: string, bytes: Uint8Array): Promise<void> =>
    writeFileSync(file, bytes);
  return createDerivedCache({
    directory,
    write,
    writerId: () => key(writer),
    liveHashes: () => live,
  });
}

describe("createDerivedCache", () => {
  it("returns what was set and flushed after reopening, by kind", async () => {
    const cache = open();
    cache.set("outline.1", key(1), "one");
    cache.set("Card", key(1), "card");
    expect(cache.get("outline.1", key(1))).toBe("one");
    expect(open().get("outline.1", key(1))).toBeUndefined();
    await cache.flush();
    expect(open().get("outline.1", key(1))).toBe("one");
    expect(open().get("Card", key(1))).toBe("card");
    expect(open().get("card", key(1))).toBeUndefined();
    expect(readdirSync(directory).sort()).toEqual([
      "derived-_43_ard.cache",
      "derived-outline_2e_1.cache",
    ]);
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

  it("writes nothing if nothing is new", async () => {
    const cache = open();
    cache.get("kind", key(1));
    await cache.flush();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("writes again after a write that failed, and what was set during a write", async () => {
    const writes: (() => void)[] = [
      () => {
        throw new Error("ENOSPC");
      },
      () => cache.set("kind", key(2), "two"),
    ];
    const cache = createDerivedCache({
      directory,
      write: async (file, bytes) => {
        writes.shift()?.();
        writeFileSync(file, bytes);
      },
      writerId: () => key(0),
      liveHashes: () => [],
    });
    cache.set("kind", key(1), "one");
    await expect(cache.flush()).rejects.toThrow("ENOSPC");
    expect(open().get("kind", key(1))).toBeUndefined();
    await cache.flush();
    expect(open().get("kind", key(1))).toBe("one");
    expect(open().get("kind", key(2))).toBeUndefined();
    await cache.flush();
    expect(open().get("kind", key(2))).toBe("two");
  });

  it("ignores a file with one changed byte, and stores new values", async () => {
    const cache = open();
    for (let number = 0; number < 3; number += 1) cache.set("kind", key(number), `value ${number}`);
    await cache.flush();
    const [file = ""] = readdirSync(directory).map((name) => join(directory, name));
    const intact = readFileSync(file);
    const valuesNow = (): (string | undefined)[] => {
      const again = open();
      return [0, 1, 2].map((number) => again.get("kind", key(number)));
    };
    expect(valuesNow()).toEqual(["value 0", "value 1", "value 2"]);
    for (let position = 0; position < intact.length; position += 1) {
      const damaged = Buffer.from(intact);
      damaged[position] = (intact[position] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      expect(valuesNow(), `byte ${position}`).toEqual([undefined, undefined, undefined]);
    }
    writeFileSync(file, intact.subarray(0, -4));
    const repaired = open();
    repaired.set("kind", key(1), "value 1");
    await repaired.flush();
    expect(valuesNow()).toEqual([undefined, "value 1", undefined]);
  });

  it("ignores a file with a correct digest that Node cannot read", () => {
    const body = `${key(1)} 99\nshort\n`;
    const digest = hash("sha256", body);
    writeFileSync(
      join(directory, "derived-kind.cache"),
      `ccl-derived-3 ${key(0)} ${digest}\n${body}`,
    );
    expect(open().get("kind", key(1))).toBeUndefined();
  });

  it("ignores values that other code derived", async () => {
    const cache = open();
    cache.set("kind", key(1), "one");
    await cache.flush();
    expect(open([], 1).get("kind", key(1))).toBeUndefined();
    expect(open().get("kind", key(1))).toBe("one");
  });

  it("replaces a stored value", async () => {
    const cache = open();
    cache.set("kind", key(1), "old");
    await cache.flush();
    const next = open();
    next.set("kind", key(1), "new");
    await next.flush();
    expect(open().get("kind", key(1))).toBe("new");
  });

  it("drops unused hashes once they are the larger part", async () => {
    const value = "x".repeat(2000);
    const cache = open();
    for (let number = 0; number < 1500; number += 1) cache.set("kind", key(number), value);
    await cache.flush();
    const next = open([key(1), key(2)]);
    next.set("kind", key(9999), "new");
    await next.flush();
    const last = open();
    expect([1, 2, 3, 9999].map((number) => last.get("kind", key(number)))).toEqual([
      value,
      value,
      undefined,
      "new",
    ]);
  });
});
