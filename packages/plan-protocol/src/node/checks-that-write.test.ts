import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readTree } from "../../test-support/read-tree.ts";
import { editOf, planOf } from "../../test-support/simulated-workspace.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import type { PlanCheck } from "../workspace/plan-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";

let root = "";
let workspace: FileWorkspace;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-writing-checks-"));
  await mkdir(join(root, "old"));
  await writeFile(join(root, "a.txt"), A);
  await writeFile(join(root, "b.txt"), "b\n");
  await writeFile(join(root, "old/x.txt"), "x\n");
  // Far from where `roundTimes` rounds up.
  for (const path of ["a.txt", "b.txt", "old/x.txt"]) await utimes(join(root, path), 1e9, 1e9);
  workspace = await openWorkspace({ root });
});
afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

const A = "one\ntwo\n";
const PLAN = planOf(
  editOf("a.txt", A, ["two", "2"]),
  editOf("b.txt", "b\n", ["b", "B"]),
  { kind: "CREATE_FILE", path: "new/c.txt", content: "c\n" },
  { kind: "DELETE_FILE", path: "old/x.txt" },
  { kind: "DELETE_DIR", path: "old" },
);
/** Acts only on the changed tree. */
const shell = (script: string): PlanCheck => ({
  name: "writes",
  command: ["sh", "-c", `test -e new/c.txt || exit 0; ${script}`],
});

async function apply(script: string): Promise<Awaited<ReturnType<FileWorkspace["apply"]>>> {
  const preview = await workspace.preview(PLAN);
  const confirm = preview.ok ? preview.value.planHash : "";
  return await workspace.apply(PLAN, { checks: [shell(script)], confirm });
}

/** A file whose journal a check removed gets its time back to a few microseconds. */
function roundTimes(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tree).map(([path, entry]) => [
      path,
      entry.replace(/^(file \d+) (\d+)/, (_match, mode: string, timeNs: string) =>
        [mode, Math.round(Number(timeNs) / 1e5)].join(" "),
      ),
    ]),
  );
}

describe("a check that writes and fails", () => {
  it.each([
    ["replaces a file, as sed -i does", "sed -i s/2/3/ a.txt", ["a.txt"]],
    [
      "writes into a file, as a formatter does",
      "echo more >> a.txt; echo b >> b.txt",
      ["a.txt", "b.txt"],
    ],
    ["writes the same size", "printf 'one\nX\n' > a.txt", ["a.txt"]],
    ["writes into a new file", "echo more >> new/c.txt", ["new/c.txt"]],
    ["puts files into a new folder", "mkdir new/cache; echo 1 > new/cache/c.pyc", ["new"]],
    ["removes a file", "rm a.txt", []],
    ["removes a new folder", "rm -r new", []],
    ["makes a deleted file again", "mkdir -p old; echo again > old/x.txt", ["old/x.txt"]],
    ["takes the journals away", "rm -rf .ccl", []],
    ["takes the journals away and writes", "rm -rf .ccl; echo more >> a.txt", ["a.txt"]],
    [
      "takes the old files away",
      "rm -rf .ccl/transactions/*/moved .ccl/transactions/*/backups",
      [],
    ],
    ["cleans all that git does not know", "git init -q; git add a.txt b.txt; git clean -fdxq", []],
  ])("leaves all as it was before the plan where it %s", async (_name, script, written) => {
    const before = await readTree(root);
    const applied = await apply(`${script}; rm -rf .git; exit 1`);
    const paths = applied.ok
      ? []
      : applied.issues.flatMap(({ path }) => (path.length === 1 ? path : []));
    expect(roundTimes(await readTree(root))).toEqual(roundTimes(before));
    expect(paths).toEqual(written);
    const [record] = await workspace.transactions();
    expect(record).toMatchObject({ status: "rolled_back", keptPaths: [], writtenPaths: written });
    expect(await workspace.diff(record?.transactionId ?? "")).toContain("-two\n+2\n");
    expect(await workspace.recover()).toEqual([]);
  });

  it("has its text in the journal, at the place that the issue names", async () => {
    const applied = await apply("echo more >> a.txt; exit 1");
    const issue = applied.ok ? undefined : applied.issues.find(({ path }) => path[0] === "a.txt");
    const place = / is stored as (.*)\.$/.exec(issue?.message ?? "")?.[1] ?? "";
    expect(await readFile(place, "utf8")).toBe("one\n2\nmore\n");
  });

  it("leaves a link that it put in the place of a file, and says so", async () => {
    const applied = await apply("ln -sf b.txt a.txt; exit 1");
    const issues = applied.ok ? [] : applied.issues;
    expect(issues.map(({ code, path }) => [code, ...path])).toEqual([
      ["AUTO_CHECK_FAILED_ROLLED_BACK", "checks", "writes"],
      ["CONCURRENT_EDIT", "a.txt"],
    ]);
    const [record] = await workspace.transactions();
    expect(record).toMatchObject({ keptPaths: ["a.txt"] });
  });

  it.each([
    ["a file", "echo 1 > .ccl"],
    ["a folder without journals", "mkdir .ccl; echo 1 > .ccl/transactions"],
  ])("names the files that it cannot restore where it puts %s for .ccl", async (_name, script) => {
    const issues = await apply(`rm -rf .ccl; ${script}; exit 1`).then((applied) =>
      applied.ok ? [] : applied.issues,
    );
    const paths = ["a.txt", "b.txt", "new", "new/c.txt", "old", "old/x.txt"];
    expect(issues).toMatchObject([{ code: "RECOVERY_REQUIRED" }]);
    for (const path of paths) expect(issues[0]?.message).toContain(`"${path}"`);
    expect(issues[0]?.message).toContain("cannot be undone");
    expect(issues[0]?.message).not.toContain("recover()");
  });

  it("says that it lost a file that is too large to keep in memory", async () => {
    const large = { kind: "DELETE_FILE", path: "large.bin" } as const;
    await writeFile(join(root, "large.bin"), new Uint8Array(17 * 1024 * 1024));
    const plan = planOf(editOf("a.txt", A, ["two", "2"]), large);
    const preview = await workspace.preview(plan);
    const confirm = preview.ok ? preview.value.planHash : "";
    const command: PlanCheck["command"] = [
      "sh",
      "-c",
      "test -e large.bin || { rm -rf .ccl; exit 1; }",
    ];
    const applied = await workspace.apply(plan, { checks: [{ name: "writes", command }], confirm });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe(A);
    const issues = applied.ok ? [] : applied.issues;
    expect(issues.find(({ path }) => path[0] === "large.bin")?.message).toMatch(
      / Its old file was removed from the journal, so it cannot be restored\.$/,
    );
  });

  it("does not stand for what others write after it, which stays", async () => {
    const watched = await openWorkspace({ root, ids: { next: () => "t1" } });
    const preview = await watched.preview(PLAN);
    const confirm = preview.ok ? preview.value.planHash : "";
    const applied = await watched.apply(PLAN, { checks: [shell("exit 0")], confirm });
    expect(applied.ok).toBe(true);
    await writeFile(join(root, "a.txt"), "mine\n");
    expect(await watched.rollback("t1")).toMatchObject({
      ok: false,
      issues: [{ code: "CONCURRENT_EDIT" }],
    });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("mine\n");
    await watched.close();
  });
});

describe("a check that writes and passes", () => {
  it.each([
    ["formats a file", "echo more >> a.txt", ["a.txt"]],
    ["replaces a file", "sed -i s/2/3/ a.txt", ["a.txt"]],
    ["puts files into a new folder", "mkdir new/cache; echo 1 > new/cache/c.pyc", []],
    ["takes the journals away", "rm -rf .ccl", []],
    ["takes the journals away and writes", "rm -rf .ccl; echo more >> b.txt", ["b.txt"]],
  ])("can be rolled back where it %s", async (_name, script, rewrittenPaths) => {
    const before = await readTree(root);
    const applied = await apply(script);
    expect(applied).toMatchObject({ ok: true, value: { rewrittenPaths } });
    const id = applied.ok ? applied.value.transactionId : "";
    expect(await workspace.diff(id)).toContain("-two\n+2\n");
    expect(await workspace.rollback(id)).toMatchObject({ ok: true });
    expect(roundTimes(await readTree(root))).toEqual(roundTimes(before));
  });
});
