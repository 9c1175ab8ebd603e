import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ScanRules } from "./alias-registry.ts";
import { walkTree, type FileTree } from "./file-tree.ts";
import { createPacer } from "./pacer.ts";

let root = "";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "ccl-tree-")));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function walk(rules: ScanRules = {}, folder = root): Promise<FileTree> {
  return walkTree({ root: folder, registryDirectory: "ctx", rules, pacer: createPacer({}) });
}

const pathsOf = async (rules?: ScanRules, folder?: string): Promise<string[]> =>
  (await walk(rules, folder)).files.map(({ path }) => path);

describe("walkTree", () => {
  it("applies .ignore and .cclignore over the rules of git", async () => {
    write({
      ".gitignore": "built/\nnotes.md\n",
      ".ignore": "vendor/\n!notes.md\n",
      ".cclignore": "*.sql\n",
      "a.ts": "",
      "built/a.js": "",
      "notes.md": "",
      "vendor/lib.ts": "",
      "data/dump.sql": "",
      "data/.cclignore": "!small.sql\n",
      "data/small.sql": "",
    });
    expect((await pathsOf()).filter((path) => !path.includes("ignore"))).toEqual([
      "a.ts",
      "data/small.sql",
      "notes.md",
    ]);
  });

  it("takes files that git tracks although it ignores them, unless another file leaves them out", async () => {
    execFileSync("git", ["init", "-q", root]);
    write({
      ".gitignore": "bin/\n*.gen.ts\n",
      ".cclignore": "bin/secret.ts\n",
      "bin/run.ts": "",
      "bin/deep/tool.ts": "",
      "bin/deep/app.min.js": "",
      "bin/secret.ts": "",
      "a.gen.ts": "",
    });
    execFileSync("git", ["-C", root, "add", "-f", "."]);
    write({ "bin/fresh.ts": "", "b.gen.ts": "", "bin/out/x.ts": "" });
    expect(await pathsOf()).toEqual([
      ".cclignore",
      ".gitignore",
      "a.gen.ts",
      "bin/deep/tool.ts",
      "bin/run.ts",
    ]);
    expect((await walk()).skipped.map(({ path }) => path)).toEqual([
      "b.gen.ts",
      "bin/deep/app.min.js",
      "bin/fresh.ts",
      "bin/out/",
      "bin/secret.ts",
    ]);
    expect(await pathsOf({}, join(root, "bin"))).toEqual([
      "deep/tool.ts",
      "fresh.ts",
      "out/x.ts",
      "run.ts",
      "secret.ts",
    ]);
  });

  it("finds the same files as git, with ignore files at all levels", async () => {
    execFileSync("git", ["init", "-q", root]);
    write({
      ".git/info/exclude": "excluded\n",
      ".gitignore":
        "# comment\n\n*.log\n!keep.log\n/top\nbuild/\ndeep/**/x\n\\#hash\n\\!bang\ntrailing \\ \nsub/anchored\n[ab].txt\n",
      "a.ts": "",
      "debug.log": "",
      "keep.log": "",
      top: "",
      "sub/top": "",
      "build/out.js": "",
      "sub/build/out.js": "",
      "sub/build-not/a": "",
      "deep/1/2/x": "",
      "deep/1/2/y": "",
      "#hash": "",
      "sub/!bang": "",
      "a.txt": "",
      "c.txt": "",
      "Build/case.ts": "",
      excluded: "",
      "sub/anchored": "",
      "sub/sub/anchored": "",
      "sub/.gitignore": "*.md\n!README.md\n/only-here\nnested/x\n!debug.log\n\\#other\n!/build\n",
      "sub/a.md": "",
      "sub/README.md": "",
      "sub/debug.log": "",
      "sub/#other": "",
      "sub/only-here": "",
      "sub/x/only-here": "",
      "sub/nested/x": "",
      "sub/x/nested/x": "",
      "sub/x/.gitignore": "!*.md\nREADME.md\n",
      "sub/x/b.md": "",
      "sub/x/README.md": "",
      "odd [x]* ?/.gitignore": "y*\n",
      "odd [x]* ?/yes": "",
      "odd [x]* ?/no": "",
      "odd x ?/yes": "",
    });
    const listed = execFileSync(
      "git",
      ["-C", root, "ls-files", "-co", "-z", "--exclude-standard"],
      {
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
      },
    );
    const expected = listed.toString().split("\0").filter(Boolean).sort();
    expect(expected).toContain("sub/build/out.js");
    expect(await pathsOf()).toEqual(expected);
  });

  it("applies the ignore files above a root inside a repository", async () => {
    write({
      ".git/info/exclude": "secret\n",
      ".gitignore": "dist/\n/packages/a/local\n",
      "packages/.gitignore": "*.tmp\n",
      "packages/a/dist/x.js": "",
      "packages/a/local": "",
      "packages/a/secret": "",
      "packages/a/x.tmp": "",
      "packages/a/x.ts": "",
    });
    expect(await pathsOf({}, join(root, "packages/a"))).toEqual(["x.ts"]);
  });

  it("walks a root that its repository ignores", async () => {
    write({
      ".git/HEAD": "",
      ".gitignore": "tmp/\n",
      "tmp/a.ts": "",
      "tmp/.gitignore": "b.ts\n",
      "tmp/b.ts": "",
    });
    expect(await pathsOf({}, join(root, "tmp"))).toEqual([".gitignore", "a.ts"]);
  });

  it("leaves out lock files and the like, unless an ignore file includes them", async () => {
    write({
      "a.min.js": "",
      ".env": "",
      "sub/.env.local": "",
      "a.js.map": "",
      "pnpm-lock.yaml": "",
      "sub/yarn.lock": "",
      "a.js": "",
    });
    expect(await pathsOf()).toEqual(["a.js"]);
    expect(await pathsOf({ ignore: ["!yarn.lock", "*.js"] })).toEqual(["sub/yarn.lock"]);
  });

  it("never enters the registries, .git and node_modules", async () => {
    write({
      ".ccl/aliases.json": "",
      ".ado/aliases.json": "",
      "ctx/aliases.json": "",
      "sub/ctx/a.ts": "",
      "sub/.ccl/a.ts": "",
      "sub/node_modules/a/a.js": "",
      "sub/.git/config": "",
    });
    expect(await pathsOf({ ignore: ["!node_modules", "!.git"] })).toEqual(["sub/ctx/a.ts"]);
  });

  it("lists only included files", async () => {
    write({ "src/a.ts": "", "src/.x/b.ts": "", "src/c.js": "", "d.ts": "" });
    expect(await pathsOf({ include: ["src/**/*.ts"] })).toEqual(["src/.x/b.ts", "src/a.ts"]);
    expect(await pathsOf({ include: ["src/**"], ignore: [".x/"] })).toEqual([
      "src/a.ts",
      "src/c.js",
    ]);
  });

  it("does not follow links, and reports those that lead out or nowhere", async () => {
    write({ "in/a.ts": "" });
    symlinkSync(join(root, "in/a.ts"), join(root, "link-in.ts"));
    symlinkSync(join(root, "in"), join(root, "folder-link"));
    symlinkSync("/", join(root, "root-link"));
    symlinkSync("/etc/hostname", join(root, "link-out"));
    symlinkSync("nowhere", join(root, "dangling"));
    symlinkSync("loop", join(root, "loop"));
    const tree = await walk();
    expect(tree.files.map(({ path }) => path)).toEqual(["in/a.ts"]);
    expect(tree.skipped).toEqual([
      { path: "dangling", reason: "unreadable" },
      { path: "link-out", reason: "outside_root" },
      { path: "loop", reason: "unreadable" },
      { path: "root-link", reason: "outside_root" },
    ]);
  });

  it("reports names that mean a different file on another system", async () => {
    write({ "C:a.ts": "", "a\\b.ts": "", "ok.ts": "" });
    const tree = await walk();
    expect(tree.files.map(({ path }) => path)).toEqual(["ok.ts"]);
    expect(tree.skipped).toEqual([
      { path: "C:a.ts", reason: "unreadable" },
      { path: "a\\b.ts", reason: "unreadable" },
    ]);
  });

  it("skips pipes and reports files that are too large", async () => {
    write({ "large.ts": "x".repeat(2 ** 20 + 1), "small.ts": "x".repeat(2 ** 20) });
    execFileSync("mkfifo", [join(root, "pipe"), join(root, ".gitignore")]);
    const tree = await walk();
    expect(tree.files.map(({ path }) => path)).toEqual(["small.ts"]);
    expect(tree.skipped).toEqual([{ path: "large.ts", reason: "too_large" }]);
  });
});
