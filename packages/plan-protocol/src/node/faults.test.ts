import { describe, expect, it } from "vitest";

import { SimulatedDisk } from "@ccl/core/testing/node";
import { addFiles, factsOf } from "../../test-support/simulated-folder.ts";
import { editOf, openSimulatedWorkspace, planOf } from "../../test-support/simulated-workspace.ts";

const FILES = {
  "a.txt": "one\n",
  "run.sh": { text: "#!/bin/sh\n", mode: 0o755 },
  "old/c.txt": "c\n",
};
const PLAN = planOf(
  { kind: "CREATE_DIR", path: "empty" },
  { kind: "CREATE_FILE", path: "new/n.txt", content: "new\n" },
  editOf("a.txt", "one\n", ["one", "two"]),
  editOf("run.sh", "#!/bin/sh\n", ["/bin/sh", "/bin/bash"]),
  { kind: "DELETE_FILE", path: "old/c.txt" },
  { kind: "DELETE_DIR", path: "old" },
);

function freshDisk(): SimulatedDisk {
  const disk = new SimulatedDisk();
  addFiles(disk, FILES);
  return disk;
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const shapeOf = (disk: SimulatedDisk): unknown =>
  Object.entries(factsOf(disk)).map(([path, entry]) => [
    path,
    "text" in entry ? entry.text : "",
    entry.mode,
  ]);

const BEFORE = factsOf(freshDisk());

async function applyOn(
  disk: SimulatedDisk,
  arm: () => void,
): Promise<{ codes: string[]; id?: string }> {
  const workspace = openSimulatedWorkspace(disk);
  const preview = await workspace.preview(PLAN);
  if (!preview.ok) throw new Error(JSON.stringify(preview.issues));
  arm();
  const applied = await workspace.apply(PLAN, { confirm: preview.value.planHash });
  return applied.ok
    ? { codes: [], id: applied.value.transactionId }
    : { codes: applied.issues.map(({ code }) => code) };
}

describe("a disk that fails", () => {
  it.each([
    ["EIO", "once", 1],
    ["ENOSPC", "once", 1],
    ["EIO", "from then on until it is repaired", Infinity],
    ["ENOSPC", "from then on until it is repaired", Infinity],
    ["EACCES", "three times", 3],
  ])(
    "%s at any system call, %s: the tree is as before or as after, also in the end",
    async (code, _when, times) => {
      const seen = new Set<string>();
      const applied = freshDisk();
      await applyOn(applied, () => undefined);
      let isOver = false;
      for (let at = 0; !isOver; at += 1) {
        const disk = freshDisk();
        let first = Infinity;
        let failed = 0;
        disk.onStep = (_call, step) => {
          if (step < first || failed >= times) return;
          failed += 1;
          throw failure(code);
        };
        const outcome = await applyOn(disk, () => (first = disk.steps + at)).catch(
          (error: unknown) => ({
            codes: [String(Reflect.get(Object(error), "code"))],
          }),
        );
        disk.onStep = undefined;
        isOver = failed === 0;
        for (const issue of outcome.codes) seen.add(issue);
        const workspace = openSimulatedWorkspace(disk);
        const isUnsure = outcome.codes.includes("RECOVERY_REQUIRED");
        const isUndone = outcome.codes.length > 0 && !isUnsure;
        expect({ at, tree: isUndone ? factsOf(disk) : BEFORE }).toEqual({ at, tree: BEFORE });
        const open = (await workspace.transactions()).filter(
          ({ status }) => status === "unfinished",
        );
        const refusal = open.length > 0 ? await workspace.apply(PLAN) : REFUSED;
        expect(refusal).toMatchObject(REFUSED);
        expect(
          (await workspace.recover()).filter((done) => done.outcome === "rolled_back"),
        ).toHaveLength(open.length);
        // Where not even the mark of the commit could be rolled back, the transaction says itself that it stands.
        const isCommitted = (await workspace.transactions()).some(
          ({ status }) => status === "committed",
        );
        expect({ at, tree: isCommitted ? shapeOf(disk) : factsOf(disk) }).toEqual({
          at,
          tree: isCommitted ? shapeOf(applied) : BEFORE,
        });
        expect(isUnsure || isCommitted === (outcome.codes.length === 0)).toBe(true);
        const next = isCommitted ? [] : (await applyOn(disk, () => undefined)).codes;
        expect(next).toEqual([]);
        expect(await workspace.recover()).toEqual([]);
      }
      expect([...seen]).toContain("SNAPSHOT_FAILED");
      expect([...seen].some((issue) => issue === "APPLY_FAILED_ROLLED_BACK")).toBe(true);
      expect([...seen].filter((issue) => !EXPECTED.has(issue))).toEqual([]);
    },
  );

  it("at any system call of a rollback leaves it done, or to be done by recover", async () => {
    const applied = freshDisk();
    const { id = "" } = await applyOn(applied, () => undefined);
    let isOver = false;
    for (let at = 0; !isOver; at += 1) {
      const disk = applied.clone();
      let failed = 0;
      disk.onStep = (_call, step) => {
        if (step < at || failed > 0) return;
        failed += 1;
        throw failure("EIO");
      };
      const workspace = openSimulatedWorkspace(disk);
      const outcome = await workspace.rollback(id).then(
        (result) => (result.ok ? "done" : result.issues.map((issue) => issue.code).join()),
        (error: unknown) => String(Reflect.get(Object(error), "code")),
      );
      disk.onStep = undefined;
      isOver = failed === 0;
      await workspace.recover();
      const [record] = await workspace.transactions();
      const isUndone = record?.status === "rolled_back";
      expect(isUndone || outcome !== "done").toBe(true);
      expect({ at, tree: isUndone ? factsOf(disk) : shapeOf(disk) }).toEqual({
        at,
        tree: isUndone ? BEFORE : shapeOf(applied),
      });
    }
  });
});

const REFUSED = { ok: false, issues: [{ code: "RECOVERY_REQUIRED" }] };
const EXPECTED = new Set([
  "SNAPSHOT_FAILED",
  "APPLY_FAILED_ROLLED_BACK",
  "RECOVERY_REQUIRED",
  "io_failed",
  "journal_unusable",
]);
