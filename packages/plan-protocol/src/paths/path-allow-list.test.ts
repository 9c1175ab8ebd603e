import { describe, expect, it } from "vitest";
import { checkPath } from "./check-path.ts";
import { type PathAllowList, readPathAllowList } from "./path-allow-list.ts";

const json = {
  allowed_extensions: [".py", ".ts", ".env.example"],
  allowed_no_extension: ["README", "Makefile", ".gitignore"],
  forbidden_paths: ["*.bak.ts", "generated", "src/vendor/**"],
  forbidden_prefixes: ["..", "/", "legacy-"],
};

function load(value: unknown): PathAllowList {
  const list = readPathAllowList(value);
  if (!list.ok) throw new Error(JSON.stringify(list.issues));
  return list.value;
}

describe("a path allow list", () => {
  it.each([
    ["src/a.ts", true],
    ["src/A.TS", true],
    ["Makefile", true],
    [".gitignore", true],
    [".env.example", true],
    ["src/a.exe", false],
    ["Dockerfile", false],
    ["src/a.bak.ts", false],
    ["generated/a.ts", false],
    ["a/Generated/b.ts", false],
    ["src/vendor/x/a.ts", false],
    ["legacy-a.ts", false],
  ] as const)("decides %s", (path, isAllowed) => {
    const checked = checkPath(path, { policy: { allowList: load(json) } });
    expect(checked.ok ? [] : checked.issues.map((issue) => issue.code)).toEqual(
      isAllowed ? [] : ["FORBIDDEN_PATH"],
    );
  });

  it("asks for an extension only where a file is written", () => {
    const policy = { allowList: load(json) };
    expect(checkPath("src/parts", { policy, use: "folder" }).ok).toBe(true);
    expect(checkPath("src/a.exe", { policy, use: "delete" }).ok).toBe(true);
    expect(checkPath("generated", { policy, use: "folder" }).ok).toBe(false);
  });

  it("lists everything that is wrong with the file it is read from", () => {
    const list = readPathAllowList({
      allowed_extensions: ".ts",
      forbidden_paths: [1],
      forbidden: [],
    });
    expect(list.ok ? [] : list.issues.map((issue) => issue.path[0])).toEqual([
      "allowed_extensions",
      "forbidden",
      "forbidden_paths",
    ]);
    expect(readPathAllowList([]).ok).toBe(false);
    expect(load({ allowed_extensions: null })).toEqual(load({}));
    expect(load({}).allowed_extensions).toEqual([]);
  });
});
