import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hashFile, readBytes } from "./file-hasher.ts";
import { stampOf, type TreeFile } from "./locate-file.ts";
import { hashContent, withLineFeeds } from "./hash-content.ts";

const look = (realPath: string): TreeFile => ({
  path: "file",
  realPath,
  stamp: stampOf(lstatSync(realPath)),
});
const sha256 = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

describe("hashContent", () => {
  it.each([
    ["LF stays", "a\nb\n", "a\nb\n"],
    ["CRLF is hashed as LF", "a\r\nb\r\n", "a\nb\n"],
    ["a CR alone stays", "a\rb\r\r\n", "a\rb\r\n"],
    ["UTF-8 stays whole", "ü\r\n日本\r\n", "ü\n日本\n"],
  ])("%s", (_, content, hashed) => {
    expect(hashContent(Buffer.from(content))).toEqual({ sha256: sha256(hashed), isBinary: false });
  });

  it("hashes a binary file unchanged", () => {
    const bytes = Buffer.from("\0a\r\nb");
    expect(hashContent(bytes)).toEqual({ sha256: sha256(bytes), isBinary: true });
  });

  it("treats a file as text if its first NUL comes after 8 KiB", () => {
    expect(hashContent(Buffer.from(`${"x".repeat(8192)}\0`)).isBinary).toBe(false);
    expect(hashContent(Buffer.from(`${"x".repeat(8191)}\0`)).isBinary).toBe(true);
  });

  it("gives the same hash for all line ends of a checkout", () => {
    const line = fc.string().map((text) => text.replaceAll(/[\r\n\0]/g, ""));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const unix = hashContent(Buffer.from(lines.join("\n")));
        const windows = hashContent(Buffer.from(lines.join("\r\n")));
        expect(unix.sha256).toBe(windows.sha256);
      }),
    );
  });

  it("changes no other byte", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const expected = Buffer.from(bytes).toString("latin1").split("\r\n").join("\n");
        expect(withLineFeeds(Buffer.from(bytes)).toString("latin1")).toBe(expected);
      }),
    );
  });
});

describe("hashFile", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ccl-hash-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const mebibyte = 1024 * 1024;
  it.each([
    ["an empty file", ""],
    ["a small file", "a\r\nb"],
    ["exactly one chunk", "x".repeat(mebibyte)],
    ["a chunk and a byte", "x".repeat(mebibyte + 1)],
    ["CRLF across chunks", `${"x".repeat(mebibyte - 1)}\r\n${"y".repeat(mebibyte)}`],
    ["CR at a chunk's end that no LF follows", `${"x".repeat(mebibyte - 1)}\ry\r\n`],
    ["CR as the very last byte of a full chunk", `${"x".repeat(mebibyte - 1)}\r`],
    ["only CRs", "\r".repeat(2 * mebibyte + 1)],
    ["CRs before the LF", `${"\r".repeat(mebibyte)}\n`],
    ["binary", `\0${"x".repeat(mebibyte - 2)}\r\n`],
  ])("agrees with hashContent on %s", (_, content) => {
    const file = join(folder, "file");
    writeFileSync(file, content);
    const bytes = readBytes(look(file));
    expect(bytes.toString("latin1")).toBe(content);
    expect(hashFile(file)).toEqual(hashContent(bytes));
  });

  it("reads a file that grew after it was stat'ed", () => {
    const file = join(folder, "grown");
    writeFileSync(file, "a");
    const before = look(file);
    writeFileSync(file, "a".repeat(100_000));
    expect(readBytes(before)).toHaveLength(100_000);
  });
});
