import { mkdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { openLoopDisk } from "../../../../scripts/power-cut/loop-disk.ts";
import { readTree } from "../../test-support/read-tree.ts";
import { planOf } from "../../test-support/simulated-workspace.ts";
import type { ValidAction, ValidPlan } from "../validate/valid-plan.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const isLong = isAtLeast("faults");

describe("a disk that is full", () => {
  it("refuses a plan that does not fit, keeps the tree, and takes it once there is room", async () => {
    const disk = await openLoopDisk({ sizeMiB: 8 });
    if ("whyNot" in disk) return console.warn(`skipped: no full disk, ${disk.whyNot}`);
    try {
      const root = join(disk.folder, "root");
      await mkdir(root);
      const text = "old\n".repeat(1_000);
      await writeFile(join(root, "a.txt"), text);
      const workspace = await openWorkspace({ root });
      await workspace.transactions();
      const { bfree, bsize } = await statfs(root);
      await writeFile(join(disk.folder, "filler"), new Uint8Array(bfree * bsize - 200 * 1024));
      const before = await readTree(root);
      const plan = planOf(
        {
          kind: "EDIT_FILE",
          path: "a.txt",
          base_sha256: sha256Hex(text),
          content: "new\n",
        },
        ...[1, 2, 3, 4].map((index): ValidAction => ({
          kind: "CREATE_FILE",
          path: `new/${index}.txt`,
          content: "x".repeat(100_000),
        })),
      );
      const applied = await workspace.apply(plan);
      expect(applied).toMatchObject({ ok: false, issues: [{ code: "SNAPSHOT_FAILED" }] });
      expect(JSON.stringify(applied)).toContain("ENOSPC");
      expect(await readTree(root)).toEqual(before);
      expect(await workspace.recover()).toEqual([]);
      await rm(join(disk.folder, "filler"));
      expect(await workspace.apply(plan)).toMatchObject({ ok: true });
      expect((await stat(join(root, "new/4.txt"))).size).toBe(100_000);
      await workspace.close();
    } finally {
      await disk.dispose();
    }
  });
});

const NAMES = ["a", "b", "c"];

function fileOf(index: number, name: string): ValidAction {
  return { kind: "CREATE_FILE", path: `${index}/${name}.txt`, content: name.repeat(5_000) };
}

/** The plan, if it was acknowledged. */
async function applied(workspace: FileWorkspace, plan: ValidPlan): Promise<ValidPlan[]> {
  return (await workspace.apply(plan)).ok ? [plan] : [];
}

/** How many files of a plan are there with all that they should hold. */
function wholeFiles(tree: Record<string, string>, index: number): number {
  const isWhole = (name: string): boolean => {
    const content = (tree[`${index}/${name}.txt`] ?? "").split(" ")[3] ?? "";
    return Buffer.from(content, "base64").toString() === name.repeat(5_000);
  };
  return NAMES.filter(isWhole).length;
}

describe("a power cut on a file system of its own", () => {
  it("leaves what was acknowledged, and of the rest all or nothing", async () => {
    const disk = await openLoopDisk({ sizeMiB: 64 });
    if ("whyNot" in disk)
      return console.warn(`skipped: no power cut on a disk of its own, ${disk.whyNot}`);
    try {
      for (let round = 0; round < (isLong ? 20 : 2); round += 1) {
        const root = join(disk.folder, `root-${round}`);
        await mkdir(root);
        await writeFile(join(root, "first.txt"), "first");
        const workspace = await openWorkspace({ root });
        const plans = Array.from({ length: 8 }, (_, index) =>
          planOf(...NAMES.map((name) => fileOf(index, name))),
        );
        const acknowledged: ValidPlan[] = [];
        for (const plan of plans.slice(0, -1))
          acknowledged.push(...(await applied(workspace, plan)));
        // In the last one the power goes while it is at work.
        const [last = planOf()] = plans.slice(-1);
        await Promise.all([applied(workspace, last).catch(() => []), disk.cutPower()]);
        await workspace.close();
        await disk.mountAgain();
        // Its owner would have ended with the power; here it is the process that looks.
        await rm(join(root, ".ccl/transactions/lock"), { force: true });
        const again = await openWorkspace({ root });
        await again.recover();
        const tree = await readTree(root);
        expect(acknowledged).toHaveLength(plans.length - 1);
        const counts = plans.map((_plan, index) => wholeFiles(tree, index));
        expect(counts.slice(0, -1)).toEqual(acknowledged.map(() => 3));
        expect([0, 3]).toContain(counts.at(-1));
        await again.close();
      }
    } finally {
      await disk.dispose();
    }
  });
});
