import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { sha256Hex } from "@ccl/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  type CommitChange,
  type FileChange,
  type GitHistory,
  openGitHistory,
} from "../../test-support/git-history.ts";
import { planOfCommit, wrappings } from "../../test-support/plan-of-commit.ts";
import { parsePlan } from "../parse/parse-plan.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { ValidPlan } from "../validate/valid-plan.ts";
import { validatePlan } from "../validate/validate-plan.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import { openWorkspace } from "./open-workspace.ts";
import { byLength, isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const isWhole = isAtLeast("faults");
const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const history = openGitHistory(repository, {
  limit: byLength({ test: 2, ci: 6, faults: Infinity }),
});

/** Larger than any commit, so that only what is wrong is refused. */
const limits = {
  maxActions: 100_000,
  maxTotalContentBytes: 1 << 29,
  maxFileContentBytes: 1 << 28,
  maxEdits: 1_000,
};

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ccl-history-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What a file is: its content as git hashes it, its mode, and its time to the nanosecond. */
interface FileFacts {
  content: string;
  mode: string;
  modifiedNs: string;
}

/** All files by path; links left out. */
function filesBelow(folder: string): Map<string, FileFacts> {
  const found = new Map<string, FileFacts>();
  const walk = (path: string): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      if (below === ".ccl") continue;
      if (entry.isDirectory()) walk(below);
      else if (entry.isFile()) {
        const status = lstatSync(join(folder, below), { bigint: true });
        const content = createHash("sha1")
          .update(`blob ${status.size}\0`)
          .update(readFileSync(join(folder, below)));
        const facts = { mode: status.mode.toString(8), modifiedNs: String(status.mtimeNs) };
        found.set(below, { content: content.digest("hex"), ...facts });
      }
    }
  };
  walk("");
  return found;
}

const contentsOf = (files: Map<string, FileFacts>): Map<string, string> =>
  new Map([...files].map(([path, { content }]) => [path, content]));

const sorted = <Value>(map: Map<string, Value>): [string, Value][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** Folders that a commit leaves without a file; git keeps none, a plan has to say so. */
function emptiedFolders(before: Map<string, string>, after: Map<string, string>): string[] {
  const foldersOf = (tree: Map<string, string>): Set<string> => {
    const found = new Set<string>();
    for (const path of tree.keys())
      for (let at = dirname(path); at !== "."; at = dirname(at)) found.add(at);
    return found;
  };
  const left = foldersOf(after);
  return [...foldersOf(before)].filter((folder) => !left.has(folder));
}

/** Makes by hand what no plan can say. */
function makeByHand(changes: readonly FileChange[]): void {
  for (const { path, after, modeAfter } of changes) {
    const place = join(root, path);
    if (after === undefined) rmSync(place, { force: true });
    else {
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, after);
      chmodSync(place, modeAfter === "100755" ? 0o755 : 0o644);
    }
  }
}

interface Totals {
  commits: number;
  plans: number;
  answers: number;
  actions: Record<string, number>;
  leftOut: number;
}

/** The plans of a commit in each version, read from each wrapping and checked. */
function plansOf(change: CommitChange, folders: readonly string[], totals: Totals): ValidPlan[] {
  return ([1, 2, 3] as const).map((version: PlanVersion) => {
    const { actions, bases } = planOfCommit(change, version);
    const all = [...actions, ...folders.map((path) => ({ kind: "DELETE_DIR", path }))];
    const said = { version, summary: "As it was.", actions: all };
    const readSet = new Map(
      [...bases].map(([path, text]) => [path, { sha256: sha256Hex(text), text }]),
    );
    const valid = Object.entries(wrappings).map(([wrapping, wrap]) => {
      const parsed = parsePlan(wrap(said), { version, limits });
      if (!parsed.ok)
        throw new Error(
          `${change.id}, version ${version}, ${wrapping}: ${JSON.stringify(parsed.issues)}`,
        );
      const plan = validatePlan(parsed.value, { mode: "apply", readSet, limits });
      if (!plan.ok)
        throw new Error(
          `${change.id}, version ${version}, ${wrapping}: ${JSON.stringify(plan.issues)}`,
        );
      totals.answers += 1;
      return plan.value;
    });
    const [first] = valid;
    if (first === undefined) throw new Error("There is no wrapping.");
    for (const plan of valid) expect(plan).toEqual(first);
    for (const { kind } of first.actions) totals.actions[kind] = (totals.actions[kind] ?? 0) + 1;
    return first;
  });
}

/** Applies a plan to the tree of the parent and looks at every file of the result. */
async function applyExactly(
  workspace: FileWorkspace,
  {
    plan,
    bases,
    expected,
  }: { plan: ValidPlan; bases: ReadonlyMap<string, string>; expected: Map<string, string> },
): Promise<string> {
  for (const path of bases.keys()) await workspace.read([{ type: "read_file", path }]);
  const preview = await workspace.preview(plan);
  if (!preview.ok) throw new Error(JSON.stringify(preview.issues));
  const applied = await workspace.apply(plan, { confirm: preview.value.planHash });
  if (!applied.ok) throw new Error(JSON.stringify(applied.issues));
  expect(sorted(contentsOf(filesBelow(root)))).toEqual(sorted(expected));
  return applied.value.transactionId;
}

async function replay(git: GitHistory, totals: Totals): Promise<void> {
  let there = "";
  for (const id of git.commits) {
    const change = git.change(id);
    // The next one of another branch, or after a merge, begins elsewhere.
    if (change.parent !== there) {
      rmSync(root, { recursive: true });
      git.extract(change.parent, root);
    }
    there = id;
    const [before, after] = [git.tree(change.parent), git.tree(id)];
    const { bases, leftOut } = planOfCommit(change, 1);
    totals.leftOut += leftOut.length;
    totals.commits += 1;
    const folders = emptiedFolders(before, after).filter((folder) =>
      existsSync(join(root, folder)),
    );
    makeByHand(leftOut);
    const workspace = await openWorkspace({ root, durability: "off", limits });
    const atParent = sorted(filesBelow(root));
    for (const plan of plansOf(change, folders, totals)) {
      if (plan.actions.length === 0) continue;
      totals.plans += 1;
      const transactionId = await applyExactly(workspace, { plan, bases, expected: after });
      const undone = await workspace.rollback(transactionId);
      if (!undone.ok) throw new Error(JSON.stringify(undone.issues));
      expect(sorted(filesBelow(root))).toEqual(atParent);
      await workspace.prune({ keep: 0 });
      if (plan.version === 3) await applyExactly(workspace, { plan, bases, expected: after });
    }
    await workspace.close();
  }
}

function makesFile(git: GitHistory): boolean {
  const changes = git.commits.flatMap((id) => git.change(id).changes);
  return changes.some(({ before, after }) => before === undefined && after?.includes(0) === false);
}

describe("the history of this repository", () => {
  it(
    "is gone through again by plans of every version, each read from four wrappings, applied and rolled back exactly",
    async () => {
      if ("whyNot" in history)
        return console.warn(`skipped: no history to go through, ${history.whyNot}`);
      const totals: Totals = { commits: 0, plans: 0, answers: 0, actions: {}, leftOut: 0 };
      await replay(history, totals);
      if (isWhole) console.log(JSON.stringify(totals));
      expect(totals.commits).toBe(history.commits.length);
      expect(totals.answers).toBe(totals.commits * 12);
      // The latest commits may happen to make no file.
      const made = isWhole || makesFile(history) ? ["CREATE_FILE"] : [];
      for (const kind of [...made, "UPDATE_FILE", "PATCH_FILE", "EDIT_FILE"])
        expect(totals.actions[kind] ?? 0).toBeGreaterThan(0);
    },
    isWhole ? 1_800_000 : 240_000,
  );
});
