import { hash } from "node:crypto";
import { lstatSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { hashContent } from "./hash-content.ts";
import { stampOf, type TreeFile } from "./locate-file.ts";
import { createStatCache, type StatCache } from "./stat-cache.ts";

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

/** The hash from a cache that reads `file`, and whether it was cached. */
function hashAgain(file: string): { sha256: string; isKnown: boolean } {
  const cache = createStatCache(file);
  const { sha256 } = cache.hash(look());
  return { sha256, isKnown: !cache.isChanged };
}

/** Ages the file's times without waiting. */
function later(): void {
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
}

const fileOf = (rows: string): string =>
  `{"format":3,"sha256":"${hash("sha256", rows)}","rows":${rows}}\n`;

/**
 * Replaces the content on disk without changing its times. No file system call can do that, so it
 * forges the record.
 */
function forge(cache: StatCache, text: string): StatCache {
  const file = join(folder, "stat.json");
  const { rows } = JSON.parse(cache.render(() => true));
  writeFileSync(file, fileOf(JSON.stringify(rows).replaceAll(/[0-9a-f]{64}/g, hashOf(text))));
  return createStatCache(file);
}

describe("createStatCache", () => {
  it("does not read a file again if its times, size and inode are the same", () => {
    writeFileSync(realPath, "one");
    later();
    const cache = createStatCache(undefined);
    expect(cache.hash(look())).toEqual({ sha256: hashOf("one"), isBinary: false });
    expect(cache.isChanged).toBe(true);
    const forged = forge(cache, "forged");
    expect(forged.hash(look()).sha256).toBe(hashOf("forged"));
    expect(forged.isChanged).toBe(false);
  });

  it("does not cache a file that was written just now", () => {
    writeFileSync(realPath, "one");
    const cache = createStatCache(undefined);
    cache.hash(look());
    expect(cache.isChanged).toBe(false);
    expect(JSON.parse(cache.render(() => true))).toMatchObject({ rows: [] });
  });

  it("never returns an old hash for edits of the same size in quick succession", () => {
    const cache = createStatCache(undefined);
    for (let edit = 0; edit < 300; edit += 1) {
      const text = String(edit).padStart(8, "0");
      writeFileSync(realPath, text);
      expect(cache.hash(look()).sha256).toBe(hashOf(text));
    }
  });

  it("detects an edit of the same size whose modification time was set back", () => {
    writeFileSync(realPath, "one");
    const { atime, mtime } = lstatSync(realPath);
    later();
    const cache = createStatCache(undefined);
    cache.hash(look());
    vi.useRealTimers();
    writeFileSync(realPath, "two");
    utimesSync(realPath, atime, mtime);
    expect(cache.hash(look()).sha256).toBe(hashOf("two"));
  });

  it("survives on disk, binary files included, without the paths that are gone", () => {
    writeFileSync(realPath, "a\0b");
    later();
    const cache = createStatCache(undefined);
    const content = cache.hash(look());
    const file = join(folder, "stat.json");
    writeFileSync(
      file,
      cache.render((path) => path === "a.ts"),
    );
    const again = createStatCache(file);
    expect(again.hash(look())).toEqual(content);
    expect(again.isChanged).toBe(false);
    writeFileSync(
      file,
      again.render(() => false),
    );
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ rows: [] });
  });

  it("starts empty if a byte of its file has changed", () => {
    writeFileSync(realPath, "one");
    later();
    const cache = createStatCache(undefined);
    cache.hash(look());
    const file = join(folder, "stat.json");
    const intact = Buffer.from(cache.render(() => true));
    writeFileSync(file, intact);
    expect(hashAgain(file).isKnown).toBe(true);
    for (const position of intact.keys()) {
      const damaged = Buffer.from(intact);
      damaged[position] = (intact[position] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      expect(hashAgain(file), `byte ${position}`).toEqual({
        sha256: hashOf("one"),
        isKnown: false,
      });
    }
  });

  it.each(["", "{", "[]", "null", '{"format":3,"rows":[]}', fileOf("[[1],"), fileOf("null")])(
    "treats a damaged file as empty: %s",
    (text) => {
      writeFileSync(realPath, "one");
      writeFileSync(join(folder, "stat.json"), text);
      expect(createStatCache(join(folder, "stat.json")).hash(look()).sha256).toBe(hashOf("one"));
    },
  );
});
