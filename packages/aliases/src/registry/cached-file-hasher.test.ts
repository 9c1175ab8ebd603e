import { lstatSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createFileHasher } from "./cached-file-hasher.ts";
import { createDerivedCache } from "./derived-cache.ts";
import { hashContent } from "./hash-content.ts";
import { stampOf, type TreeFile } from "./locate-file.ts";

let folder = "";
let realPath = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ccl-stat-"));
  realPath = join(folder, "a.ts");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const look = (): TreeFile => ({ path: "a.ts", realPath, stamp: stampOf(lstatSync(realPath)) });
const hashOf = (text: string): string => hashContent(Buffer.from(text)).sha256;

/** A cache in memory, with the keys that were set. */
function recordingCache() {
  const cache = createDerivedCache({
    directory: folder,
    write: () => Promise.resolve(),
    writerId: () => "0".repeat(64),
    liveHashes: () => [],
  });
  const keys: string[] = [];
  const set: typeof cache.set = (kind, key, value) => {
    keys.push(key);
    cache.set(kind, key, value);
  };
  return { ...cache, set, keys };
}

/** Ages the file's times without waiting. */
function later(): void {
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
}

describe("createFileHasher", () => {
  it("does not read a file again if its path, times, size and inode are the same", () => {
    writeFileSync(realPath, "one");
    later();
    const cache = recordingCache();
    expect(createFileHasher(cache)(look())).toEqual({ sha256: hashOf("one"), isBinary: false });
    const [key = ""] = cache.keys;
    cache.set("stat", key, hashOf("forged"));
    expect(createFileHasher(cache)(look()).sha256).toBe(hashOf("forged"));
    expect(createFileHasher(cache)({ ...look(), path: "b.ts" }).sha256).toBe(hashOf("one"));
  });

  it("knows binary files again", () => {
    writeFileSync(realPath, "a\0b");
    later();
    const cache = recordingCache();
    const content = createFileHasher(cache)(look());
    expect(content.isBinary).toBe(true);
    expect(createFileHasher(cache)(look())).toEqual(content);
    expect(cache.keys).toHaveLength(1);
  });

  it("does not cache a file that was written just now", () => {
    writeFileSync(realPath, "one");
    const cache = recordingCache();
    createFileHasher(cache)(look());
    expect(cache.keys).toEqual([]);
  });

  it("never returns an old hash for edits of the same size in quick succession", () => {
    const hashFile = createFileHasher(recordingCache());
    for (let edit = 0; edit < 300; edit += 1) {
      const text = String(edit).padStart(8, "0");
      writeFileSync(realPath, text);
      expect(hashFile(look()).sha256).toBe(hashOf(text));
    }
  });

  it("detects an edit of the same size whose modification time was set back", () => {
    writeFileSync(realPath, "one");
    const { atime, mtime } = lstatSync(realPath);
    later();
    const hashFile = createFileHasher(recordingCache());
    hashFile(look());
    vi.useRealTimers();
    writeFileSync(realPath, "two");
    utimesSync(realPath, atime, mtime);
    expect(hashFile(look()).sha256).toBe(hashOf("two"));
  });
});
