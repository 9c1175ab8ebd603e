import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hashFile, readBytes } from "./file-hasher.ts";
import { hashContent, withLineFeeds } from "./hash-content.ts";

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

  it.each([
    [
      "bytes without a NUL",
      Buffer.from(Array.from({ length: 600 }, (_, at) => 1 + ((at * 89) % 255))),
      true,
    ],
    ["Latin-1", Buffer.from("déjà vu: naïve façade, größer\n", "latin1"), false],
    ["UTF-8 that is cut at 8 KiB", Buffer.from("я".repeat(5_000)), false],
    [
      "UTF-8 with some damage",
      Buffer.concat([Buffer.from("ключ: значение\n"), Buffer.from([255])]),
      false,
    ],
    ["UTF-16", Buffer.from("\uFEFFтекст", "utf16le"), false],
  ])("recognizes binary content by the share that is not UTF-8: %s", (_, bytes, isBinary) => {
    expect(hashContent(bytes).isBinary).toBe(isBinary);
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

  it.each(["", "a\r\nb", `${"x".repeat(1_048_575)}\r\ny`, "\0\r\n"])(
    "agrees with hashContent",
    (content) => {
      const file = join(folder, "file");
      writeFileSync(file, content);
      expect(readBytes(file).toString("latin1")).toBe(content);
      expect(hashFile(file)).toEqual(hashContent(Buffer.from(content)));
    },
  );

  it("does not follow a link that replaced the file", () => {
    const file = join(folder, "target");
    writeFileSync(file, "a");
    symlinkSync(file, join(folder, "link"));
    expect(() => readBytes(join(folder, "link"))).toThrow(/ELOOP/);
  });
});
