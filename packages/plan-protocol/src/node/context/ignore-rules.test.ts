import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openFolderAt } from "../file-system/node-folder.ts";
import { searchFiles } from "./search-files.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ccl-ignore-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const PATHS =
  `a.log keep.log build/a.txt src/build/a.txt src/a.log src/keep.log docs/x/a.txt docs/a.txt src/gen/keep.txt
  src/gen/a.txt #name !name a.tmp1 a.tmpx deep/x/y/z.out logs/b.txt src/.hidden b/foo/bar.txt foo/bar.txt x/foo/bar.txt
  brace{a,b}.txt brackets[1].txt star*.txt`
    .split(/\s+/)
    .concat("space ");

async function searched(): Promise<string[]> {
  const folder = await openFolderAt(root);
  const { hits } = await searchFiles(folder, "needle", {
    isWanted: () => true,
    maxHits: 500,
    signal: undefined,
  });
  await folder.close();
  return hits.map(({ path }) => path);
}

function notIgnoredByGit(): string[] {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "core.excludesFile=/dev/null", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  git("init", "-q");
  const listed = git("ls-files", "--others", "--exclude-standard", "-z").split("\0");
  return listed.filter((path) => path !== "" && !path.endsWith(".gitignore"));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe("a search", () => {
  it.each<[string, Record<string, string>]>([
    ["names and endings", { "": "*.log\nbuild\n" }],
    ["a rule rolled back", { "": "*.log\n!keep.log\n" }],
    ["one that a deeper file takes back", { "": "*.log\n", src: "!*.log\n" }],
    ["an anchored name", { "": "/build\n/docs/*.txt\n" }],
    ["folders only", { "": "build/\nlogs/\na.log/\n" }],
    [
      "a file in a folder that is left out, rolled back in vain",
      { "": "src/gen/\n!src/gen/keep.txt\n" },
    ],
    [
      "a file in a folder of which all is left out, rolled back",
      { "": "src/gen/**\n!src/gen/keep.txt\n" },
    ],
    ["any folders", { "": "**/foo\ndeep/**/z.out\n" }],
    ["an inner slash", { "": "foo/bar.txt\n" }],
    ["classes and question marks", { "": "a.tmp[0-9]\n?.log\nbrackets[[]1].txt\n" }],
    ["escapes", { "": "\\#name\n\\!name\nstar\\*.txt\nspace\\ \n" }],
    ["comments, empty lines and line ends of Windows", { "": "# build\r\n\r\n*.log\r\n   \n" }],
    ["braces, which are no alternatives here", { "": "brace{a,b}.txt\na.{log,txt}\n" }],
    ["everything but", { "": "/*\n!/src\n/src/*\n!/src/gen\n" }],
  ])("leaves out what git leaves out: %s", async (_name, files) => {
    for (const path of PATHS) write(path, "needle\n");
    for (const [folder, text] of Object.entries(files)) write(join(folder, ".gitignore"), text);
    const expected = notIgnoredByGit();
    expect(await searched()).toEqual(expected.sort());
    expect(expected.length).toBeLessThan(PATHS.length);
  });

  it("reads no rules through a link", async () => {
    write("a.log", "needle\n");
    execFileSync("ln", ["-s", "/dev/zero", join(root, ".gitignore")]);
    expect(await searched()).toEqual(["a.log"]);
  });
});
