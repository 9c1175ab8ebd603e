import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { neutralEntries, tryNeutralEntry } from "./neutral-entries.mjs";

const folders = [];
afterEach(() => folders.splice(0).forEach((folder) => fs.rmSync(folder, { recursive: true })));

async function problemOf(text, { manifest = {}, subpath = "." } = {}) {
  const directory = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "ccl-neutral-"));
  folders.push(directory);
  const built = path.join(directory, "index.js");
  fs.writeFileSync(built, text);
  const rows = { "@ccl/x": { platform: "neutral" } };
  const packages = [{ name: "@ccl/x", directory, manifest, entries: [{ subpath, built }] }];
  const [entry] = neutralEntries({ rows, packages });
  return (await tryNeutralEntry(entry, directory)).problem;
}

describe("tryNeutralEntry", () => {
  it("accepts an entry that only needs the language", async () => {
    expect(await problemOf("export const a = new TextEncoder().encode(`b`);")).toBeUndefined();
  });

  it.each([
    ["an import of Node", 'import "node:fs";', 'does not bundle: Could not resolve "node:fs"'],
    ["one without its scheme", 'import "fs";', 'does not bundle: Could not resolve "fs"'],
    [
      "a lazy import of Node",
      'export const a = () => import("node:crypto");',
      'does not bundle: Could not resolve "node:crypto"',
    ],
    [
      "code from a string",
      'export const a = new Function("return 1")();',
      "does not run: EvalError: Code generation from strings disallowed for this context",
    ],
    [
      "a name of Node",
      "export const a = process.env;",
      "does not run: ReferenceError: process is not defined",
    ],
    [
      "a peer that every user needs and nobody installed",
      'import "some-peer";',
      'does not bundle: Could not resolve "some-peer"',
      { manifest: { peerDependencies: { "some-peer": "1" } } },
    ],
  ])("reports %s", async (_what, text, problem, options) => {
    expect(await problemOf(text, options)).toBe(problem);
  });

  it("leaves an optional peer to the application", async () => {
    const manifest = {
      peerDependencies: { "some-peer": "1" },
      peerDependenciesMeta: { "some-peer": { optional: true } },
    };
    const text = 'export const a = () => import("some-peer");';
    expect(await problemOf(text, { manifest })).toBeUndefined();
  });

  it("lets a conformance kit use node:assert", async () => {
    const text = 'import assert from "node:assert/strict";\nassert(true);';
    expect(await problemOf(text, { subpath: "./conformance" })).toBeUndefined();
  });
});
