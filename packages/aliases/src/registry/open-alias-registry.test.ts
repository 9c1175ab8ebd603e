import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AliasesError } from "../aliases-error.ts";
import type { AliasRegistry, OpenAliasRegistryOptions, ScanEvent } from "./alias-registry.ts";
import { openAliasRegistry } from "./open-alias-registry.ts";

let root = "";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "ccl-registry-")));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const open = (options: Partial<OpenAliasRegistryOptions> = {}): Promise<AliasRegistry> =>
  openAliasRegistry({ root, ...options });
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const sha8 = (text: string): string => sha256(text).slice(0, 8);
const registryText = (): string => readFileSync(join(root, ".ccl/aliases.json"), "utf8");

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Makes files old enough for the stat cache. */
function age(...paths: string[]): void {
  for (const path of paths) utimesSync(join(root, path), 1, 1);
}

describe("openAliasRegistry", () => {
  it("writes nothing before the first change", async () => {
    write({ "a.ts": "a" });
    const registry = await open();
    await registry.verify();
    registry.cache.set("kind", sha256("a"), "value");
    await registry.close();
    expect(readdirSync(root)).toEqual(["a.ts"]);
  });

  it("never writes when it is not persistent", async () => {
    write({ "a.ts": "a", ".ccl/aliases.json": "{}\n" });
    const registry = await open({ persist: false });
    expect(registry.isPersistent).toBe(false);
    await registry.scan();
    await registry.add("H.x", "a.ts");
    registry.cache.set("kind", sha256("a"), "value");
    await registry.close();
    expect(registry.list().map(({ alias }) => alias)).toEqual(["H.a", "H.x"]);
    expect(readdirSync(join(root, ".ccl"))).toEqual(["aliases.json"]);
    expect(registryText()).toBe("{}\n");
  });

  it("stores names in the document's format, with the full hash, in a folder that ignores its cache", async () => {
    write({ "src/a.ts": "a\r\n" });
    const registry = await open();
    await registry.add("H.a", "src/a.ts");
    await registry.close();
    expect(JSON.parse(registryText())).toEqual({
      "H.a": { path: "src/a.ts", sha: sha8("a\n"), sha256: sha256("a\n"), added: true },
    });
    expect(readFileSync(join(root, ".ccl/.gitignore"), "utf8").split("\n")).toContain("cache/");
    expect((await open()).list()).toEqual([
      { alias: "H.a", path: "src/a.ts", sha8: sha8("a\n"), sha256: sha256("a\n") },
    ]);
  });

  it.each([
    ["{", "registry_corrupt"],
    ['{"version":2}', "registry_version_unsupported"],
  ])("rejects a registry file %s", async (text, code) => {
    write({ ".ccl/aliases.json": text });
    await expect(open()).rejects.toMatchObject({ code });
    await expect(open()).rejects.toBeInstanceOf(AliasesError);
    expect(registryText()).toBe(text);
  });

  it.each([["../outside"], ["/absolute"], ["."], [""], ["link"]])(
    "rejects the directory %s",
    async (directory) => {
      symlinkSync(tmpdir(), join(root, "link"));
      await expect(open({ directory })).rejects.toMatchObject({ code: "io_failed" });
    },
  );

  it("rejects a root that is not a folder", async () => {
    write({ file: "" });
    await expect(open({ root: join(root, "nowhere") })).rejects.toMatchObject({
      code: "io_failed",
    });
    await expect(open({ root: join(root, "file") })).rejects.toMatchObject({ code: "io_failed" });
  });
});

describe("add and remove", () => {
  it.each([
    ["main", "a.ts", ["alias_invalid"]],
    ["H.a@12345678", "a.ts", ["alias_invalid"]],
    ["h.a", "../a.ts", ["alias_invalid", "path_outside_root"]],
    ["H.a", "/etc/hostname", ["path_outside_root"]],
    ["H.a", "out/hostname", ["path_outside_root"]],
    ["H.a", "a.ts/b", ["path_not_found"]],
    ["H.a", "nowhere.ts", ["path_not_found"]],
    ["H.a", "folder", ["path_not_a_file"]],
    ["H.OLD", "a.ts", ["alias_taken"]],
  ])("rejects %s for %s with %j", async (alias, path, codes) => {
    write({ "a.ts": "a", "folder/b.ts": "b" });
    symlinkSync("/etc", join(root, "out"));
    const registry = await open({ persist: false });
    await registry.add("H.old", "a.ts");
    const result = await registry.add(alias, path);
    expect(result.ok ? [] : result.issues.map(({ code }) => code)).toEqual(codes);
    expect(registry.list()).toHaveLength(1);
  });

  it("renames, orders by code units and removes", async () => {
    write({ "a.ts": "a", "b.ts": "b" });
    const registry = await open();
    for (const alias of ["P.x", "PR.x", "A.b", "A.a"]) await registry.add(alias, "a.ts");
    await registry.add("A.b", "./b.ts");
    expect(await registry.remove("P.x")).toBe(true);
    expect(await registry.remove("P.x")).toBe(false);
    const names = (await open()).list().map(({ alias, path }) => `${alias} ${path}`);
    expect(names).toEqual(["A.a a.ts", "A.b b.ts", "PR.x a.ts"]);
  });

  it("loses no name if many are added at once", async () => {
    write({ "a.ts": "a" });
    const registry = await open();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => registry.add(`H.n${index}`, "a.ts")),
    );
    expect((await open()).list()).toHaveLength(20);
  });

  it("does not overwrite what another registry wrote", async () => {
    write({ "a.ts": "a" });
    const [first, second] = [await open(), await open()];
    await first.add("H.first", "a.ts");
    const before = registryText();
    await expect(second.add("H.second", "a.ts")).rejects.toMatchObject({
      code: "registry_conflict",
    });
    expect(registryText()).toBe(before);
    expect(second.list()).toEqual([]);
    await (await open()).add("H.second", "a.ts");
    expect((await open()).list().map(({ alias }) => alias)).toEqual(["H.first", "H.second"]);
  });

  it("does nothing once aborted", async () => {
    write({ "a.ts": "a" });
    const registry = await open();
    const signal = AbortSignal.abort();
    await expect(registry.add("H.a", "a.ts", { signal })).rejects.toMatchObject({
      code: "aborted",
    });
    await expect(registry.scan({ signal })).rejects.toMatchObject({ code: "aborted" });
    await expect(registry.verify({ signal })).rejects.toMatchObject({ code: "aborted" });
    await expect(registry.resolve("H.a", { signal })).rejects.toMatchObject({ code: "aborted" });
    expect(readdirSync(root)).toEqual(["a.ts"]);
  });
});

describe("resolve", () => {
  it("returns the current file with its line ends, which do not affect the hash", async () => {
    write({ "a.ts": "a" });
    const registry = await open({ persist: false });
    await registry.add("H.a", "a.ts");
    write({ "a.ts": "new\r\n" });
    expect(await registry.resolve("H.a")).toEqual({
      ok: true,
      value: {
        alias: "H.a",
        path: "a.ts",
        sha8: sha8("new\n"),
        sha256: sha256("new\n"),
        text: "new\r\n",
        sizeBytes: 5,
      },
    });
  });

  it("accepts a reference while it is fresh, even one to the bytes with CRLF", async () => {
    write({ "a.ts": "a\r\n" });
    const registry = await open({ persist: false });
    await registry.add("H.a", "a.ts");
    expect(await registry.resolve(`H.a@${sha8("a\n")}`)).toMatchObject({ ok: true });
    expect(await registry.resolve(`H.a@${sha8("a\r\n")}`)).toMatchObject({ ok: true });
    expect(await registry.resolve("H.a@00000000")).toMatchObject({
      ok: false,
      issues: [
        {
          code: "alias_stale",
          message: `H.a has changed: it is H.a@${sha8("a\n")} now, not @00000000.`,
        },
      ],
    });
  });

  it("suggests the nearest aliases for an unknown one", async () => {
    write({ "a.ts": "a" });
    const registry = await open({ persist: false });
    await registry.add("H.main", "a.ts");
    for (const alias of ["H.mian", "main", "H.mian@00000000"]) {
      expect(await registry.resolve(alias)).toMatchObject({
        ok: false,
        issues: [{ code: "alias_unknown", message: expect.stringContaining("Nearest: H.main.") }],
      });
    }
  });

  it("does not follow a link out of the root that was created later", async () => {
    write({ "a.ts": "a", "folder/b.ts": "b" });
    const registry = await open({ persist: false });
    await registry.add("H.a", "a.ts");
    await registry.add("H.b", "folder/b.ts");
    const outside = mkdtempSync(join(tmpdir(), "ccl-outside-"));
    writeFileSync(join(outside, "b.ts"), "secret");
    unlinkSync(join(root, "a.ts"));
    symlinkSync(join(outside, "b.ts"), join(root, "a.ts"));
    rmSync(join(root, "folder"), { recursive: true });
    symlinkSync(outside, join(root, "folder"));
    for (const alias of ["H.a", "H.b"]) {
      expect(await registry.resolve(alias)).toMatchObject({
        ok: false,
        issues: [{ code: "path_outside_root" }],
      });
    }
    expect((await registry.verify()).checks.map(({ status }) => status)).toEqual([
      "missing",
      "missing",
    ]);
    expect((await registry.scan()).removed).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  it("has no text for a binary file", async () => {
    write({ "a.bin": "\0" });
    const registry = await open({ persist: false });
    await registry.add("R.a", "a.bin");
    expect(await registry.resolve("R.a")).toMatchObject({
      ok: true,
      value: { text: undefined, sizeBytes: 1 },
    });
  });
});

describe("verify", () => {
  it("reports ok, changed, missing or moved", async () => {
    write({
      "ok.ts": "ok",
      "changed.ts": "1",
      "missing.ts": "m",
      "old/moved.ts": "mv",
      "empty.ts": "",
    });
    const registry = await open({ persist: false });
    for (const name of ["ok", "changed", "missing", "empty"])
      await registry.add(`H.${name}`, `${name}.ts`);
    await registry.add("H.moved", "old/moved.ts");
    expect((await registry.verify()).isClean).toBe(true);
    write({ "changed.ts": "2", "a-copy.ts": "mv", "new/moved.ts": "mv", "other-empty.ts": "" });
    for (const path of ["missing.ts", "old/moved.ts", "empty.ts"]) unlinkSync(join(root, path));
    expect(await registry.verify()).toEqual({
      isClean: false,
      checks: [
        {
          alias: "H.changed",
          path: "changed.ts",
          status: "changed",
          sha8: sha8("1"),
          currentSha8: sha8("2"),
        },
        { alias: "H.empty", path: "empty.ts", status: "missing", sha8: sha8("") },
        { alias: "H.missing", path: "missing.ts", status: "missing", sha8: sha8("m") },
        {
          alias: "H.moved",
          path: "old/moved.ts",
          status: "moved",
          sha8: sha8("mv"),
          movedTo: "new/moved.ts",
        },
        { alias: "H.ok", path: "ok.ts", status: "ok", sha8: sha8("ok") },
      ],
    });
  });

  it("detects every edit of the same size, however quick, with a cache on disk", async () => {
    write({ "a.ts": "0000" });
    await (await open()).add("H.a", "a.ts");
    const registry = await open();
    for (let edit = 1; edit < 200; edit += 1) {
      const text = String(edit).padStart(4, "0");
      write({ "a.ts": text });
      expect((await registry.verify()).checks[0]?.currentSha8).toBe(sha8(text));
    }
  });
});

describe("scan", () => {
  const aliasesOf = (registry: AliasRegistry): string[] =>
    registry.list().map(({ alias, path }) => `${alias} ${path}`);

  it("names the files of a tree, and finds them unchanged the second time", async () => {
    write({
      "src/a.ts": "a",
      "src/a.test.ts": "t",
      "README.md": "#",
      "logo.png": "\0",
      ".gitignore": "out\n",
      "out/x.ts": "",
    });
    const registry = await open();
    const report = await registry.scan();
    expect(report.added).toEqual(["C.gitignore", "D.readme", "H.a", "T.a"]);
    expect(report.skipped).toEqual([
      { path: "logo.png", reason: "binary" },
      { path: "out/", reason: "ignored", rule: ".gitignore: out" },
    ]);
    expect(report.entries).toEqual(registry.list());
    const text = registryText();
    const again = await (await open()).scan();
    expect([again.added, again.updated, again.moved, again.removed]).toEqual([[], [], [], []]);
    expect(registryText()).toBe(text);
    await expect(registry.verify()).resolves.toMatchObject({ isClean: true });
  });

  it("keeps names that exist, through edits and moves, and drops those whose file is gone", async () => {
    write({
      "a.ts": "a",
      "b.ts": "b",
      "c.ts": "c",
      "ignored.ts": "i",
      ".gitignore": "ignored.ts\n",
    });
    const registry = await open();
    await registry.add("H.mine", "a.ts");
    await registry.add("H.hidden", "ignored.ts");
    await registry.scan();
    expect(aliasesOf(registry)).toEqual([
      "C.gitignore .gitignore",
      "H.b b.ts",
      "H.c c.ts",
      "H.hidden ignored.ts",
      "H.mine a.ts",
    ]);
    mkdirSync(join(root, "x"));
    renameSync(join(root, "a.ts"), join(root, "x/renamed.ts"));
    unlinkSync(join(root, "b.ts"));
    write({ "c.ts": "cc", "y/c.ts": "new" });
    const report = await registry.scan();
    expect(report).toMatchObject({
      added: ["H.y.c"],
      updated: ["H.c"],
      moved: ["H.mine"],
      removed: ["H.b"],
    });
    expect(aliasesOf(await open())).toEqual([
      "C.gitignore .gitignore",
      "H.c c.ts",
      "H.hidden ignored.ts",
      "H.mine x/renamed.ts",
      "H.y.c y/c.ts",
    ]);
    await expect(registry.verify()).resolves.toMatchObject({ isClean: true });
  });

  it("drops names of files that an ignore file excludes later, but not names from add", async () => {
    write({ "a.ts": "a", "docs/b.md": "b", "docs/c.md": "c", "log.txt": "l" });
    const registry = await open();
    await registry.scan();
    await registry.add("D.c", "docs/c.md");
    write({ ".cclignore": "docs/\n*.txt\n" });
    expect((await (await open()).scan()).removed).toEqual(["D.b", "D.log"]);
    expect(aliasesOf(await open())).toEqual([
      "C.cclignore .cclignore",
      "D.c docs/c.md",
      "H.a a.ts",
    ]);
    await registry.close();
  });

  it("gives the same report and file for a second copy of the tree", async () => {
    const files = { "b/x.ts": "1", "a/x.ts": "2", "a/y/index.ts": "3", "Z.md": "4" };
    write(files);
    await (await open()).scan();
    const text = registryText();
    rmSync(root, { recursive: true });
    write(Object.fromEntries(Object.entries(files).toReversed()));
    await (await open()).scan();
    expect(registryText()).toBe(text);
  });

  it("reports its progress", async () => {
    write({ "a.ts": "a" });
    const events: ScanEvent[] = [];
    await (await open({ persist: false })).scan({ onEvent: (event) => events.push(event) });
    expect(events).toEqual([
      { type: "files_found", done: 1 },
      { type: "files_hashed", done: 1, total: 1 },
    ]);
  });

  it("keeps a cache that a second registry reads, and that goes with the file", async () => {
    write({ "a.ts": "a" });
    const registry = await open();
    await registry.scan();
    registry.cache.set("outline", sha256("a"), "derived");
    await registry.close();
    const again = await open();
    expect(again.cache.get("outline", sha256("a"))).toBe("derived");
    expect(again.cache.get("outline", sha256("b"))).toBeUndefined();
  });

  it("works without a cache if none can be written", async () => {
    write({ "a.ts": "a" });
    age("a.ts");
    const registry = await open();
    await registry.scan();
    rmSync(join(root, ".ccl/cache"), { recursive: true, force: true });
    write({ ".ccl/cache": "a file where the folder would be" });
    registry.cache.set("outline", sha256("a"), "derived");
    await expect(registry.cache.flush()).resolves.toBeUndefined();
    await expect(registry.verify()).resolves.toMatchObject({ isClean: true });
  });
});

describe("an AdaOS folder", () => {
  const ADO = `{
  "S.entities":  {"path":"schemas/entities.json","sha":"SHA1","owner":"ada"},
  "H.main":      {"path":"handlers/main.py","sha":"SHA2"}
}`;

  it("is read and written without other changes", async () => {
    const text = ADO.replace("SHA1", sha8("{}\r\n")).replace("SHA2", sha8("pass\n"));
    write({
      ".ado/aliases.json": text,
      ".ado/prompt.pack": "pack",
      "schemas/entities.json": "{}\r\n",
      "handlers/main.py": "pass\n",
    });
    const registry = await open({ directory: ".ado" });
    expect(registry.list()).toEqual([
      { alias: "H.main", path: "handlers/main.py", sha8: sha8("pass\n") },
      { alias: "S.entities", path: "schemas/entities.json", sha8: sha8("{}\r\n") },
    ]);
    expect((await registry.verify()).isClean).toBe(true);
    await registry.scan();
    registry.cache.set("kind", sha256("a"), "value");
    await registry.close();
    expect(readFileSync(join(root, ".ado/aliases.json"), "utf8")).toBe(text);
    expect(readdirSync(join(root, ".ado"))).toEqual(["aliases.json", "prompt.pack"]);

    write({ "README.md": "#" });
    await registry.add("D.readme", "README.md");
    const line = `  "D.readme": {"path":"README.md","sha":"${sha8("#")}","sha256":"${sha256("#")}"}\n}`;
    expect(readFileSync(join(root, ".ado/aliases.json"), "utf8")).toBe(
      text.replace(/\n}$/, `,\n${line}`),
    );
    expect(readdirSync(join(root, ".ado"))).toEqual(["aliases.json", "prompt.pack"]);
    expect(existsSync(join(root, ".ccl"))).toBe(false);
  });
});
