import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { kills } from "../../../../scripts/lengths/test-length.mjs";
import { requireBuilt, runChild } from "../../test-support/child-process.ts";
import { readTree } from "../../test-support/read-tree.ts";
import { editOf, planOf } from "../../test-support/simulated-workspace.ts";
import type { RecoveredTransaction } from "../workspace/file-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";

let root = "";
beforeAll(requireBuilt);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-killed-checks-"));
  await writeFile(join(root, "a.txt"), "one\ntwo\n");
  await writeFile(join(root, "b.txt"), "b\n");
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const PLAN = planOf(
  editOf("a.txt", "one\ntwo\n", ["two", "2"]),
  editOf("b.txt", "b\n", ["b", "B"]),
  { kind: "CREATE_FILE", path: "new/c.txt", content: "c\n" },
);

const script = `
  const workspace = await openWorkspace({ root });
  arm();
  const checks = [{ name: "writes", command: ["sh", "-c", process.env.CCL_CHECK] }];
  const applied = await workspace.apply(JSON.parse(process.env.CCL_PLAN), { checks });
  const count = counted();
  say({ ok: applied.ok, calls: count });
  await workspace.close();
`;

async function apply(
  check: string,
  killAt = -1,
): Promise<{ ok: boolean; calls: number } | undefined> {
  const env = {
    CCL_PLAN: JSON.stringify(PLAN),
    CCL_CHECK: `test -e new/c.txt || exit 0; ${check}`,
  };
  const [said] = await runChild(script, { root, killAt, env });
  return said as { ok: boolean; calls: number } | undefined;
}

async function recover(): Promise<{ recovered: RecoveredTransaction[]; committed: string[] }> {
  const workspace = await openWorkspace({ root });
  const recovered = await workspace.recover();
  expect(await workspace.recover()).toEqual([]);
  const records = await workspace.transactions();
  const committed = records.filter(({ status }) => status === "committed");
  for (const { transactionId } of committed)
    expect(await workspace.rollback(transactionId)).toMatchObject({ ok: true });
  await workspace.prune({ keep: 0 });
  await workspace.close();
  return { recovered, committed: committed.map(({ transactionId }) => transactionId) };
}

const WRITING: [string, string, string[]][] = [
  ["replaces a file", "sed -i s/2/3/ a.txt", ["a.txt"]],
  ["formats two files", "echo more >> a.txt; echo more >> b.txt", ["a.txt", "b.txt"]],
  ["puts files into a new folder", "mkdir new/cache; echo 1 > new/cache/c.pyc", ["new"]],
];

describe("a process that is killed while its check runs", () => {
  it.each(WRITING)("leaves the way back where the check %s", async (_name, check, written) => {
    const before = await readTree(root);
    expect(await apply(`${check}; kill -9 $PPID`)).toBeUndefined();
    expect(await readTree(root)).not.toEqual(before);
    const { recovered } = await recover();
    expect(recovered).toMatchObject([
      { outcome: "rolled_back", keptPaths: [], writtenPaths: written },
    ]);
    expect(await readTree(root)).toEqual(before);
  });

  it("leaves no way back where the check removed the journal", async () => {
    const before = await readTree(root);
    await apply("rm -rf .ccl; kill -9 $PPID");
    expect((await recover()).recovered).toEqual([]);
    expect(await readTree(root)).not.toEqual(before);
  });
});

describe("a process that is killed before, while or after its check runs", () => {
  const runs = Array.from({ length: 3 * kills }, (_, index) => ({ index }));
  it.each(runs)("leaves all or nothing, time $index", async ({ index }) => {
    const before = await readTree(root);
    const [, check = ""] = WRITING[index % WRITING.length] ?? [];
    const end = index % 2 === 0 ? "exit 1" : "exit 0";
    const first = await apply("echo more >> a.txt; exit 1");
    await recover();
    const calls = first?.calls ?? 0;
    expect(calls).toBeGreaterThan(20);
    const killAt = Math.floor(((index + Math.random()) * calls) / runs.length);
    const said = await apply(`${check}; ${end}`, killAt);
    const { committed } = await recover();
    const tree = await readTree(root);
    expect({ killAt, check, end, tree }).toEqual({ killAt, check, end, tree: before });
    expect(end === "exit 0" || committed.length === 0).toBe(true);
    expect(said?.ok !== true || committed.length === 1).toBe(true);
  });
});
