import fs from "node:fs";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { subjects } from "./subjects.mjs";

const packages = path.resolve(import.meta.dirname, "../../packages");

/** Tells whether a filter of vitest, the beginning of a path, selects a test file. */
const selectsTests = (filter) => {
  const { dir, base } = path.parse(path.join(packages, filter));
  const folder = filter.endsWith("/") ? path.join(dir, base) : dir;
  const beginning = filter.endsWith("/") ? "" : base;
  return fs
    .readdirSync(folder, { recursive: true })
    .some((file) => file.startsWith(beginning) && file.endsWith(".test.ts"));
};

describe("subjects of mutants", () => {
  it.each(Object.entries(subjects))(
    "%s names sources and tests that exist",
    (_, { files, tests }) => {
      expect(files.filter((file) => !fs.existsSync(path.join(packages, file)))).toEqual([]);
      expect(tests.filter((test) => !selectsTests(test))).toEqual([]);
    },
  );
});
