import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { requireBuilt, runChild } from "../../test-support/child-process.ts";
import { readTree } from "../../test-support/read-tree.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";
import { kills } from "../../../../scripts/lengths/test-length.mjs";

const FILES = ["a", "b", "c", "d"].map(
  (name) => [`src/${name}.txt`, `${name} one\n`.repeat(500)] as const,
);

const PLAN = {
  version: 1,
  mode: "apply",
  summary: "A change.",
  context_requests: [],
  memory_patch: {},
  actions: [
    { kind: "CREATE_DIR", path: "made/empty" },
    { kind: "CREATE_FILE", path: "made/new.txt", content: "new\n" },
    ...FILES.slice(0, 3).map(([path, text]) => ({
      kind: "EDIT_FILE",
      path,
      base_sha256: sha256Hex(text),
      content: text.replaceAll("one", "two"),
    })),
    { kind: "DELETE_FILE", path: "src/d.txt" },
    { kind: "DELETE_FILE", path: "old/x.txt" },
    { kind: "DELETE_DIR", path: "old" },
  ],
};

const applyScript = `
  const plan = JSON.parse(process.env.CCL_PLAN);
  const workspace = await openWorkspace({ root });
  const preview = await workspace.preview(plan);
  arm();
  const applied = await workspace.apply(plan, { confirm: preview.value.planHash });
  const count = counted();
  say({ id: applied.value.transactionId, calls: count });
  await workspace.close();
`;

const rollbackScript = `
  const workspace = await openWorkspace({ root });
  arm();
  const undone = await workspace.rollback(process.env.CCL_ID);
  say({ ok: undone.ok, calls: counted() });
  await workspace.close();
`;

/** Writes in place, file by file: what the transaction is for. */
const naiveScript = `
  arm();
  for (const action of JSON.parse(process.env.CCL_PLAN).actions) {
    if (action.kind !== "EDIT_FILE") continue;
    const file = await new Promise((done, fail) => fs.open(root + "/" + action.path, fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_TRUNC, (error, file) => error ? fail(error) : done(file)));
    await new Promise((done) => fs.write(file, action.content, done));
  }
`;

let root = "";
beforeAll(requireBuilt);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-plan-kill-"));
  await mkdir(join(root, "src"));
  await mkdir(join(root, "old"));
  for (const [path, text] of [...FILES, ["old/x.txt", "x"] as const]) {
    await writeFile(join(root, path), text, { mode: 0o755 });
    await utimes(join(root, path), 1_600_000_000, 1_600_000_000);
  }
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

interface Said {
  id: string;
  ok: boolean;
  calls: number;
}

async function runStory(
  script: string,
  env: Record<string, string>,
  killAt: number,
): Promise<Said | undefined> {
  const [said] = await runChild(script, {
    root,
    killAt,
    env: { CCL_PLAN: JSON.stringify(PLAN), ...env },
  });
  return said as Said | undefined;
}

/** Numbers of calls spread over all of them, others on each run. */
function stepsOf(calls: number): number[] {
  const count = Math.min(kills, calls);
  return Array.from({ length: count }, (_, index) =>
    Math.floor(((index + Math.random()) * calls) / count),
  );
}

async function rollBackAll(workspace: FileWorkspace): Promise<void> {
  for (const { transactionId, status } of await workspace.transactions()) {
    const undone = status === "committed" ? await workspace.rollback(transactionId) : undefined;
    if (undone?.ok === false) throw new Error(JSON.stringify(undone.issues));
  }
}

/** The same without the times of new files. */
function contentsOf(tree: Record<string, string>): string {
  return JSON.stringify(
    Object.entries(tree).map(([path, entry]) => [path, entry.replace(/^(file \d+) \d+/, "$1")]),
  );
}

describe("a process that is killed", () => {
  it(`leaves all of a plan or nothing of it once recovered, ${kills} times in an apply and in a rollback`, async () => {
    const before = await readTree(root);
    const first = await runStory(applyScript, {}, -1);
    const after = await readTree(root);
    expect(contentsOf(after)).not.toBe(contentsOf(before));
    const undone = await runStory(rollbackScript, { CCL_ID: first?.id ?? "" }, -1);
    expect(await readTree(root)).toEqual(before);
    expect(undone?.ok).toBe(true);
    for (const killAt of stepsOf(first?.calls ?? 0)) {
      const said = await runStory(applyScript, {}, killAt);
      const workspace = await openWorkspace({ root });
      await workspace.recover();
      const isCommitted = (await workspace.transactions()).some(
        ({ status }) => status === "committed",
      );
      const found = await readTree(root);
      expect({ killAt, tree: isCommitted ? contentsOf(found) : found }).toEqual({
        killAt,
        tree: isCommitted ? contentsOf(after) : before,
      });
      expect(said === undefined || isCommitted).toBe(true);
      await rollBackAll(workspace);
      expect(await readTree(root)).toEqual(before);
      await workspace.close();
    }
    for (const killAt of stepsOf(undone?.calls ?? 0)) {
      const applied = await runStory(applyScript, {}, -1);
      const said = await runStory(rollbackScript, { CCL_ID: applied?.id ?? "" }, killAt);
      const workspace = await openWorkspace({ root });
      await workspace.recover();
      const record = (await workspace.transactions()).find(
        ({ transactionId }) => transactionId === applied?.id,
      );
      expect(said === undefined || record?.status === "rolled_back").toBe(true);
      await rollBackAll(workspace);
      expect({ killAt, tree: await readTree(root) }).toEqual({ killAt, tree: before });
      await workspace.close();
    }
  });

  it("would be caught with half a plan by a writer in place, so the check can fail", async () => {
    const before = contentsOf(await readTree(root));
    await runStory(naiveScript, {}, -1);
    const after = contentsOf(await readTree(root));
    await Promise.all(FILES.map(([path, text]) => writeFile(join(root, path), text)));
    await runStory(naiveScript, {}, 3);
    const found = contentsOf(await readTree(root));
    expect(found).not.toBe(before);
    expect(found).not.toBe(after);
  });
});
