import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type CclRun, runCcl } from "./__fixtures__/run-ccl.ts";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "ccl-base-tree-"));
});
afterEach(() => rmSync(place, { recursive: true, maxRetries: 3 }));

const isWindows = process.platform === "win32";

function git(folder: string, ...args: string[]): string {
  const names = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
  return execFileSync("git", ["-C", folder, ...names, ...args], {
    encoding: "utf8",
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function write(root: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Each file's path, whether it can be run, and its bytes or where it links to. */
function treeOf(root: string, skipped = [".git", ".ccl"]): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => !skipped.includes(name))
    .flatMap((entry): string[] => {
      const path = join(root, entry.name);
      if (entry.isDirectory()) return treeOf(path, []).map((line) => `${entry.name}/${line}`);
      if (entry.isSymbolicLink()) return [`${entry.name} -> ${readlinkSync(path)}`];
      const mode = (lstatSync(path).mode & 0o100) === 0 ? "" : "*";
      return [`${entry.name}${mode} ${readFileSync(path).toString("base64")}`];
    })
    .sort();
}

const lines = (word: string): string =>
  Array.from({ length: 40 }, (_, at) => `${word} ${at}\n`).join("");

const BEFORE = {
  "src/greet.ts": `export const a = 1;\n${lines("// line")}`,
  "src/moved and edited.ts": lines("const x"),
  "src/moved.ts": lines("const y"),
  "src/gone.ts": lines("gone"),
  "tools/run.sh": "#!/bin/sh\necho\n",
  "windows.txt": lines("crlf").replaceAll("\n", "\r\n"),
  "latin1.txt": Buffer.from("Stra\xdfe\n", "latin1"),
  "picture.png": Buffer.from([137, 80, 78, 71, 0, 1, 2, 255]),
  "open end.txt": "no line end",
  "ключ.md": "# One\n",
  "markers.txt": "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
  "build/kept.js": "1\n",
  ".gitignore": "build/\nlocal.env\n",
};

/** One change of every kind that a tree can have. */
function change(root: string): void {
  const at = (path: string): string => join(root, path);
  write(root, {
    "src/greet.ts": `export const a = 2;\n${lines("// line")}last\n`,
    "windows.txt": lines("crlf").replaceAll("\n", "\r\n").replace("crlf 7", "CRLF 7"),
    "latin1.txt": Buffer.from("Stra\xdfe und Gr\xfc\xdfe\n", "latin1"),
    "picture.png": Buffer.from([137, 80, 78, 71, 0, 9, 2, 255]),
    "open end.txt": "no line end, still",
    "ключ.md": "# Two\n",
    "markers.txt": "<<<<<<< ours\nc\n=======\nb\n>>>>>>> theirs\n",
    "new/файл 2.ts": "export {};\n",
    "empty.txt": "",
    "local.env": "PASSWORD=1\n",
  });
  renameSync(at("src/moved and edited.ts"), at("src/other.ts"));
  writeFileSync(at("src/other.ts"), lines("const x").replace("const x 3\n", "const z 3\n"));
  mkdirSync(at("lib"));
  renameSync(at("src/moved.ts"), at("lib/moved.ts"));
  rmSync(at("src/gone.ts"));
  if (isWindows) return;
  chmodSync(at("tools/run.sh"), 0o755);
  symlinkSync("src/greet.ts", at("link"));
}

/** Whether a copy of the base becomes the changed tree by the patch. */
function appliesTo(root: string, copy: string, patch: string): boolean {
  writeFileSync(join(place, "delta.patch"), patch);
  git(copy, "apply", "--whitespace=nowarn", join(place, "delta.patch"));
  const changed = treeOf(root).filter((line) => !line.startsWith("local.env"));
  return JSON.stringify(treeOf(copy)) === JSON.stringify(changed);
}

describe("ccl diff --patch", () => {
  it.each([
    ["a repository", "project", "project"],
    ["a folder of a repository", "repository", "repository/project"],
    ["a folder without a repository", undefined, "project"],
  ])("gives what git applies to the base exactly, in %s", async (_, repository, name) => {
    const [root, copy] = [join(place, name), join(place, "copy")];
    for (const folder of [root, copy]) write(folder, BEFORE);
    // Without a repository, what is ignored is not in the tree.
    if (repository === undefined)
      for (const folder of [root, copy]) rmSync(join(folder, "build"), { recursive: true });
    else {
      git(join(place, repository), "init", "--quiet");
      git(join(place, repository), "add", "--all", "--force");
      git(join(place, repository), "commit", "--quiet", "-m", "base");
    }
    const ccl = (...args: string[]): Promise<CclRun> => runCcl(args, { cwd: root });
    const userFiles = (): string[] =>
      repository === undefined ? [] : treeOf(join(place, repository, ".git"), []);
    const before = userFiles();
    await ccl("init");
    await ccl("pack", "--accept");
    change(root);
    if (repository !== undefined) write(root, { "build/kept.js": "2\n" });

    const { code, stdout: patch } = await ccl("diff", "--patch", "--show");
    expect(code).toBe(0);
    expect(patch).toContain("rename from src/moved and edited.ts");
    expect(patch).not.toContain("PASSWORD");
    // Only the file of Latin-1 and the picture are no text.
    expect(patch).toContain("+export const a = 2;");
    expect(patch.match(/^GIT binary patch$/gm)).toHaveLength(2);
    expect(appliesTo(root, copy, patch)).toBe(true);
    expect(userFiles()).toEqual(before);
    expect((await ccl("diff")).code).toBe(0);
    expect(readFileSync(join(root, ".ccl/ctx/delta.patch"), "utf8")).toBe(patch);

    // The control: a patch that lacks one file's part makes another tree.
    const other = join(place, "other");
    write(other, BEFORE);
    const part = /^diff --git a\/src\/greet[^]*?(?=^diff --git)/m;
    expect(appliesTo(root, other, patch.replace(part, ""))).toBe(false);
  });

  it("sees an edit of equal size in the second in which the index was written", async () => {
    const second = new Date("2026-01-01T00:00:00Z");
    const writeThen = (text: string): void => {
      write(place, { "a.txt": text });
      utimesSync(join(place, "a.txt"), second, second);
    };
    writeThen("1\n");
    git(place, "init", "--quiet");
    // Git also looks at the time of the last change of a file's attributes, which nothing can set.
    git(place, "config", "core.trustCtime", "false");
    git(place, "add", "a.txt");
    utimesSync(join(place, ".git/index"), second, second);
    const ccl = (...args: string[]): Promise<CclRun> => runCcl(args, { cwd: place });
    await ccl("init");
    await ccl("pack", "--accept");
    writeThen("2\n");
    expect(await ccl("diff", "--patch", "--show")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("-1\n+2\n"),
    });
  });

  it("says what to do where the base was accepted without a tree", async () => {
    write(place, { "a.ts": "export {};\n" });
    const ccl = (...args: string[]): Promise<CclRun> => runCcl(args, { cwd: place });
    await ccl("init");
    await ccl("pack", "--accept");
    rmSync(join(place, ".ccl/ctx/tree/id"));
    write(place, { "a.ts": "export const a = 1;\n" });
    expect(await ccl("diff", "--patch")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /no files were stored for ctx@[0-9a-f]{8}; run "ccl pack --accept" again/,
      ),
    });
    const { code, stdout, stderr } = await ccl("diff");
    expect([code, stdout]).toEqual([0, expect.stringContaining("a: ")]);
    expect(stderr).toContain("ctx/delta.patch was not written: no files were stored");
  });
});
