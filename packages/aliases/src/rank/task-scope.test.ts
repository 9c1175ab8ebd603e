import { describe, expect, it } from "vitest";

import { scopeWeights } from "./task-scope.ts";

const PATHS = ["packages/file-store/src/put.ts", "src/router/trie.ts", "src/cli.ts", "README.md"];

describe("scopeWeights", () => {
  it.each([
    ["file-store: sync the folder", [true, false, false, false]],
    ["fix(router): match the longest path", [false, true, false, false]],
    ["feat(router, cli)!: print routes", [false, true, true, false]],
    ["cli: print routes", [false, false, true, false]],
  ])("keeps the score of files in the part that %j names", (task, inside) => {
    const weights = scopeWeights(PATHS, task);
    expect(weights.map((weight) => weight === 1)).toEqual(inside);
  });

  it.each(["Print the routes of the router", "repo: lint", "Routes: the router prints them twice"])(
    "weighs all files alike where a task names no part first: %j",
    (task) => {
      expect(new Set(scopeWeights(PATHS, task))).toEqual(new Set([1]));
    },
  );
});
