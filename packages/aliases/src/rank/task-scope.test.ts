import { describe, expect, it } from "vitest";

import { inNamedPart } from "./score-files.ts";

const PATHS = ["packages/file-store/src/put.ts", "src/router/trie.ts", "src/cli.ts", "README.md"];

describe("inNamedPart", () => {
  it.each([
    ["file-store: sync the folder", [true, false, false, false]],
    ["fix(router): match the longest path", [false, true, false, false]],
    ["feat(router, cli)!: print routes", [false, true, true, false]],
    ["cli: print routes", [false, false, true, false]],
  ])("finds the files of the part that %j names", (task, inside) => {
    expect(inNamedPart(PATHS, task)).toEqual(inside);
  });

  it.each(["Print the routes of the router", "repo: lint", "Routes: the router prints them twice"])(
    "finds no part if a task does not begin with one: %j",
    (task) => {
      expect(inNamedPart(PATHS, task)).toBeUndefined();
    },
  );
});
