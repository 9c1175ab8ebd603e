import { describe, expect, it } from "vitest";

import { namedFiles } from "./rank-files.ts";

const PATHS = [
  "README.md",
  "docs/README.md",
  "scrapy/exceptions.py",
  "tests/test_exceptions.py",
  "src/a/index.ts",
  "src/b/index.ts",
  "src/c/index.ts",
  "src/d/index.ts",
  ".github/workflows/ci.yml",
];

describe("namedFiles", () => {
  it.each([
    ["Full typing for scrapy/exceptions.py.", ["scrapy/exceptions.py"]],
    ["TypeError at build (./src/a/index.ts:12:3)", ["src/a/index.ts"]],
    ['File "/srv/app/scrapy/exceptions.py", line 3', ["scrapy/exceptions.py"]],
    ["Correct exceptions.py", ["scrapy/exceptions.py"]],
    ["Typo in README.md", ["README.md"]],
    ["Pin actions in .github/workflows/ci.yml", [".github/workflows/ci.yml"]],
    ["Sort index.ts", []],
    ["Shorten X.f1", ["docs/README.md"]],
    ["Use e.g. Node 20.19 or and/or v2.0", []],
  ])("finds exactly the files that %j names", (task, named) => {
    const files = PATHS.map((path, at) => ({ path, alias: `X.f${at}` }));
    expect(namedFiles(task, files).map((at) => PATHS[at])).toEqual(named);
  });
});
