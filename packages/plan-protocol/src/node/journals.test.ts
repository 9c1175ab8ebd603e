import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { SimulatedDisk } from "@ccl/core/testing/node";
import { openLoopDisk } from "../../../../scripts/power-cut/loop-disk.ts";
import { readTree } from "../../test-support/read-tree.ts";
import { addFiles, factsOf, folderOf } from "../../test-support/simulated-folder.ts";
import { editOf, openSimulatedWorkspace, planOf } from "../../test-support/simulated-workspace.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import type { Folder } from "./file-system/folder.ts";
import { openWorkspace } from "./open-workspace.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-journals-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function applied(
  workspace: FileWorkspace,
  ...plan: Parameters<typeof planOf>
): Promise<string> {
  const outcome = await workspace.apply(planOf(...plan));
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.issues));
  return outcome.value.transactionId;
}

const create = (path: string, content = path): Parameters<typeof planOf>[0] => ({
  kind: "CREATE_FILE",
  path,
  content,
});

describe("a folder without transactions", () => {
  it("stays as it is whatever is asked about them", async () => {
    const workspace = await openWorkspace({ root });
    expect(await workspace.transactions()).toEqual([]);
    expect(await workspace.recover()).toEqual([]);
    expect(await workspace.prune({ keep: 0 })).toEqual({ removed: [], needed: [] });
    expect(await workspace.rollback("t1")).toMatchObject({
      ok: false,
      issues: [{ code: "PATH_NOT_FOUND" }],
    });
    await workspace.close();
    expect(await readdir(root)).toEqual([]);
  });
});

describe("a transaction that ended", () => {
  it("says why it was rolled back, and what it changed", async () => {
    const workspace = await openWorkspace({ root, durability: "off" });
    const id = await applied(workspace, create("a.txt"));
    const whileChecked = await workspace.apply(planOf(create("b.txt")), {
      checks: [
        {
          name: "fails after",
          command: [process.execPath, "-e", "process.exit(fs.existsSync('b.txt') ? 1 : 0)"],
        },
      ],
    });
    expect(whileChecked).toMatchObject({
      ok: false,
      issues: [{ code: "AUTO_CHECK_FAILED_ROLLED_BACK" }],
    });
    const [first, second] = await workspace.transactions();
    expect(first?.why).toBeUndefined();
    expect(second).toMatchObject({
      status: "rolled_back",
      why: expect.stringContaining('The check "fails after" failed (exit code 1)'),
    });
    expect(await workspace.rollback(id)).toMatchObject({ ok: true });
    // Both are rolled back, and still show what they changed.
    expect(await workspace.diff(id)).toContain(
      "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+a.txt",
    );
    expect(await workspace.diff(second?.transactionId ?? "")).toContain("+b.txt");
    expect(await workspace.diff("../transactions")).toBeUndefined();
    await rm(join(root, ".ccl/transactions", id, "changes.diff"));
    expect(await workspace.diff(id)).toBeUndefined();
    await workspace.close();
  });

  it("leaves no mark when it has ended, with checks or without", async () => {
    const workspace = await openWorkspace({ root, durability: "off" });
    const check = (isLast: boolean): object => ({
      checks: [{ name: "one", command: [process.execPath, "-e", script(isLast)] }],
    });
    const script = (isLast: boolean): string =>
      isLast ? "process.exit(fs.existsSync('c.txt') ? 1 : 0)" : "";
    await applied(workspace, create("a.txt"));
    expect(await workspace.apply(planOf(create("b.txt")), check(false))).toMatchObject({
      ok: true,
    });
    expect(await workspace.apply(planOf(create("c.txt")), check(true))).toMatchObject({
      ok: false,
    });
    const names = await readdir(join(root, ".ccl/transactions"));
    expect(names.filter((name) => name.startsWith("open."))).toEqual([]);
    await workspace.close();
  });

  it("is finished, also if its mark was left behind", async () => {
    const workspace = await openWorkspace({ root, durability: "off" });
    const id = await applied(workspace, create("a.txt"));
    for (const name of [`open.${id}`, "open.t-gone"])
      await writeFile(join(root, ".ccl/transactions", name), "");
    await applied(workspace, create("b.txt"));
    expect(await workspace.recover()).toEqual([]);
    const names = await readdir(join(root, ".ccl/transactions"));
    expect(names.filter((name) => name.startsWith("open."))).toEqual([]);
    await workspace.close();
  });
});

describe("prune", () => {
  it("removes the oldest and keeps as many as it is told", async () => {
    const workspace = await openWorkspace({ root, durability: "off" });
    const ids: string[] = [];
    for (const name of ["a", "b", "c", "d"])
      ids.push(await applied(workspace, create(`${name}.txt`)));
    await workspace.rollback(ids[3] ?? "");
    expect(await workspace.prune({ keep: 10 })).toEqual({ removed: [], needed: [] });
    expect(await workspace.prune({ keep: 2 })).toEqual({ removed: ids.slice(0, 2), needed: [] });
    expect((await workspace.transactions()).map((it) => it.transactionId)).toEqual(ids.slice(2));
    expect(await workspace.rollback(ids[0] ?? "")).toMatchObject({
      ok: false,
      issues: [{ code: "PATH_NOT_FOUND" }],
    });
    expect(await workspace.rollback(ids[2] ?? "")).toMatchObject({ ok: true });
    expect(await workspace.prune({ keep: 0 })).toEqual({ removed: ids.slice(2), needed: [] });
    expect(await readdir(join(root, ".ccl/transactions"))).toEqual([".gitignore"]);
    expect(Object.keys(await readTree(root))).toEqual(["a.txt", "b.txt"]);
    await workspace.close();
  });

  it.each([-1, 1.5, Number.NaN])("refuses to keep %s", async (keep) => {
    const workspace = await openWorkspace({ root });
    await expect(workspace.prune({ keep })).rejects.toMatchObject({ code: "invalid_input" });
    await workspace.close();
  });

  it("keeps what is unfinished, and the old files that a rollback had to leave in the journal", async () => {
    const disk = new SimulatedDisk();
    addFiles(disk, { "a.txt": "one" });
    const workspace = openSimulatedWorkspace(disk);
    // The change is rolled back as someone else's file already stands in its place.
    let links = 0;
    disk.onStep = (call) => {
      if (call === "link") links += 1;
      // Two for the old file, one for the new one.
      if (call !== "rename" || links < 3) return;
      disk.onStep = undefined;
      addFiles(disk, { "a.txt": "theirs" });
    };
    expect(await workspace.apply(planOf(editOf("a.txt", "one", ["one", "two"])))).toMatchObject({
      ok: false,
    });
    const [record] = await workspace.transactions();
    expect(record).toMatchObject({ status: "rolled_back", keptPaths: ["a.txt"] });
    const plan = planOf(create("b.txt"));
    // The first move is that of the intent; soon after it the power goes.
    disk.onStep = (call, step) => {
      if (call === "rename") disk.cutBefore = step + 2;
    };
    await workspace.apply(plan).catch(() => undefined);
    disk.onStep = undefined;
    disk.cutBefore = Infinity;
    const again = openSimulatedWorkspace(disk);
    const [first, second] = (await again.transactions()).map((it) => it.transactionId);
    expect(await again.prune({ keep: 0 })).toEqual({ removed: [], needed: [first, second] });
    expect((await again.recover()).map((it) => it.transactionId)).toEqual([second]);
    expect(await again.prune({ keep: 0 })).toEqual({ removed: [second], needed: [first] });
  });

  it("may be cut off at any step and done again", async () => {
    const start = new SimulatedDisk();
    const first = openSimulatedWorkspace(start);
    for (const name of ["a", "b", "c"]) await applied(first, create(name));
    const tree = factsOf(start);
    for (let cut = 0, isDone = false; !isDone; cut += 1) {
      const disk = start.clone();
      disk.cutBefore = disk.steps + cut;
      isDone = await openSimulatedWorkspace(disk)
        .prune({ keep: 1 })
        .then(
          () => true,
          () => false,
        );
      for (const found of disk.crashStates(10)) {
        const workspace = openSimulatedWorkspace(found);
        expect(await workspace.recover()).toEqual([]);
        await workspace.prune({ keep: 1 });
        expect(await workspace.transactions()).toHaveLength(1);
        expect(factsOf(found)).toEqual(tree);
      }
      expect(cut).toBeLessThan(500);
    }
  });
});

describe("another file system", () => {
  it("has no files that a plan may change", async () => {
    const disk = await openLoopDisk({ sizeMiB: 8 });
    if ("whyNot" in disk) return console.warn(`skipped: no second file system, ${disk.whyNot}`);
    try {
      const workspace = await openWorkspace({ root: dirname(disk.folder) });
      const folder = basename(disk.folder);
      await writeFile(join(disk.folder, "a.txt"), "a");
      for (const action of [
        create(`${folder}/new.txt`),
        create(`${folder}/deep/new.txt`),
        editOf(`${folder}/a.txt`, "a", ["a", "b"]),
      ])
        expect(await workspace.apply(planOf(create("before.txt"), action))).toMatchObject({
          ok: false,
          issues: [{ code: "ERR_IO", path: ["actions", 1, "path"] }],
        });
      expect(await readdir(dirname(disk.folder))).not.toContain("before.txt");
      expect(await readFile(join(disk.folder, "a.txt"), "utf8")).toBe("a");
      await workspace.close();
    } finally {
      await disk.dispose();
    }
  });

  it("holds no journals", async () => {
    const disk = new SimulatedDisk();
    const root = folderOf(disk);
    const journals: Folder = {
      ...root,
      ownStatus: async () => ({ ...(await root.ownStatus()), device: "another" }),
      openFolder: async () => journals,
    };
    await root.makeFolder(".ccl");
    const workspace = openSimulatedWorkspace(disk, {
      root: { ...root, openFolder: async () => journals },
    });
    await expect(workspace.apply(planOf(create("a.txt")))).rejects.toMatchObject({
      code: "journal_unusable",
      message: expect.stringContaining("another file system"),
    });
  });
});
