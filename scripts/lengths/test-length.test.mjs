import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { afterEach, expect, it, vi } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
afterEach(() => vi.unstubAllEnvs());

/** The module at a length; without one, in a run by hand. */
async function moduleAt(length) {
  vi.stubEnv("CCL_TEST_LENGTH", length);
  vi.resetModules();
  return import("./test-length.mjs");
}

/** The test files that vitest would run at a length, by their path from the root. */
function filesAt(length) {
  const list = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "ccl-lengths-")), "files.json");
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, CCL_TEST_LENGTH: length };
  execFileSync(process.execPath, [vitest, "list", "--filesOnly", `--json=${list}`], {
    cwd: root,
    env,
  });
  const files = JSON.parse(fs.readFileSync(list, "utf8"));
  fs.rmSync(path.dirname(list), { recursive: true });
  return files.map(({ file }) => path.relative(root, file).replaceAll(path.sep, "/")).sort();
}

/** All files with names of tests. */
function filesNamedLikeTests(folder) {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return ["node_modules", "dist"].includes(entry.name) ? [] : filesNamedLikeTests(name);
    return /\.test\.[a-z]+$/.test(name) ? [name] : [];
  });
}

it("runs every test file at some length, and all except CI's at the shortest", () => {
  const all = [...filesNamedLikeTests("packages"), ...filesNamedLikeTests("scripts")].sort();
  const ofCi = all.filter((name) => name.endsWith(".ci.test.ts"));
  expect(ofCi.length).toBeGreaterThan(0);
  expect(filesAt("ci")).toEqual(all);
  expect(filesAt("test")).toEqual(all.filter((name) => !ofCi.includes(name)));
});

it("is CI's in the script of CI, which covers the shorter length", () => {
  const script = fs.readFileSync(path.join(root, ".ci/run"), "utf8");
  const [before, ...after] = script.split("\nexport CCL_TEST_LENGTH=ci\n");
  const tests = /"\$\{pnpm\[@\]\}" test$/m;
  expect(after).toHaveLength(1);
  expect(before).not.toMatch(tests);
  expect(after[0]).toMatch(tests);
});

it("adds tests with each longer length", async () => {
  const lengths = ["test", "ci", "faults", "nightly"];
  for (const [index, length] of lengths.entries()) {
    const { byLength, isAtLeast } = await moduleAt(length);
    expect(lengths.filter(isAtLeast)).toEqual(lengths.slice(0, index + 1));
    expect(byLength({ test: 0, ci: 1, faults: 2, nightly: 3 })).toBe(index);
    expect(byLength({ test: "short", faults: "long" })).toBe(index < 2 ? "short" : "long");
  }
});

it("is CI's for runs by hand, and must be one of the four", async () => {
  expect((await moduleAt(undefined)).testLength).toBe("ci");
  await expect(moduleAt("fault")).rejects.toThrow(
    "CCL_TEST_LENGTH is fault; use one of: test, ci, faults, nightly",
  );
});
