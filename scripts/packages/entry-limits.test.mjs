import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { entryLimits } from "./entry-limits.mjs";

const folders = [];
afterEach(() => folders.splice(0).forEach((folder) => fs.rmSync(folder, { recursive: true })));

function limitsOf(files, { subpath = ".", row = {} } = {}) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-entry-"));
  folders.push(directory);
  for (const [file, text] of Object.entries(files))
    fs.writeFileSync(path.join(directory, file), text);
  const entries = [{ subpath, built: path.join(directory, "index.js") }];
  const rows = { "@ccl/x": { platform: "neutral", maxGzipBytes: { "*": 500 }, ...row } };
  return entryLimits({ rows, packages: [{ name: "@ccl/x", directory, entries, bins: [] }] });
}

const tidy = {
  "index.js": 'export { a } from "./chunk.js";',
  "chunk.js": 'import "eventemitter3";\nexport const a = { process: 1 };',
};
const inChunk = (text) => ({ ...tidy, "chunk.js": text });

describe("entryLimits", () => {
  it("accepts a small entry for every platform", () => {
    expect(limitsOf(tidy).problems).toEqual([]);
  });

  it("counts the chunks that an entry reaches", () => {
    const alone = limitsOf({ "index.js": tidy["index.js"] }).summary[0];
    expect(limitsOf(tidy).summary[0]).not.toEqual(alone);
  });

  it.each([
    [
      "a builtin in a chunk",
      inChunk('import "node:fs";'),
      "@ccl/x .: chunk.js imports node:fs, which only Node has",
    ],
    [
      "node:crypto too",
      inChunk('import "node:crypto";'),
      "@ccl/x .: chunk.js imports node:crypto, which only Node has",
    ],
    [
      "a lazy builtin",
      inChunk('await import("node:fs");'),
      "@ccl/x .: chunk.js imports node:fs, which only Node has",
    ],
    [
      "a name of Node",
      inChunk("\nexport const a = process.env;"),
      "@ccl/x .: chunk.js:2 names process, which only Node has",
    ],
    ["an entry that is not built", {}, "index.js is not built"],
  ])("reports %s", (_fault, files, message) => {
    expect(limitsOf(files).problems).toEqual([expect.stringContaining(message)]);
  });

  it("reports an entry above its limit, and one without a limit", () => {
    expect(limitsOf(tidy, { row: { maxGzipBytes: { ".": 10 } } }).problems[0]).toMatch(
      /bytes with gzip; at most 10$/,
    );
    expect(limitsOf(tidy, { row: { maxGzipBytes: {} } }).problems[0]).toMatch(
      /gives it no maxGzipBytes$/,
    );
  });

  it("lets ./node and packages for Node use all of Node", () => {
    const files = inChunk('import "node:fs";\nexport const a = process.env;');
    expect(limitsOf(files, { subpath: "./node" }).problems).toEqual([]);
    expect(limitsOf(files, { row: { platform: "node" } }).problems).toEqual([]);
  });
});
