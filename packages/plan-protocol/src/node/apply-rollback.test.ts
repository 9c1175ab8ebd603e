import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { sha256Hex } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { planOf } from "../../test-support/simulated-workspace.ts";
import { readTree } from "../../test-support/read-tree.ts";
import { orderActions } from "../validate/order-actions.ts";
import type { ValidAction } from "../validate/valid-plan.ts";
import { openWorkspace } from "./open-workspace.ts";

interface GivenFile {
  path: string;
  text: string;
  mode: number;
  timeMs: number;
}

const name = fc.constantFrom("a", "b", "c", "d");
const text = fc
  .array(fc.constantFrom("x\n", "y\r\n", "z", "\ufeff", "\u00e9\n", ""), { maxLength: 6 })
  .map((parts) => parts.join(""));
const files = fc.uniqueArray(
  fc.record<GivenFile>({
    // Files and folders have names of their own, so that no path is both.
    path: fc
      .tuple(fc.array(name, { maxLength: 3 }), name)
      .map(([folders, file]) => [...folders, `${file}.txt`].join("/")),
    text,
    mode: fc.constantFrom(0o644, 0o755, 0o600, 0o444, 0o664),
    timeMs: fc.integer({ min: 1_000, max: 1_700_000_000_000 }),
  }),
  { selector: ({ path }) => path, maxLength: 6 },
);

/** What to do with each file, and which new ones and folders to make. */
const choices = fc.record({
  fates: fc.array(fc.constantFrom("keep", "update", "edit", "patch", "delete"), {
    minLength: 8,
    maxLength: 8,
  }),
  created: fc.uniqueArray(fc.tuple(name, name, name), {
    maxLength: 4,
    selector: (parts) => parts.join("/"),
  }),
  isEmptyFolderDeleted: fc.boolean(),
});

function actionsFor(
  given: readonly GivenFile[],
  { fates, created }: { fates: readonly string[]; created: readonly string[][] },
): ValidAction[] {
  const actions = given.flatMap(({ path, text }, index): ValidAction[] => {
    const base_sha256 = sha256Hex(text);
    const fate = fates[index] ?? "keep";
    if (fate === "delete") return [{ kind: "DELETE_FILE", path }];
    if (fate === "update")
      return [{ kind: "UPDATE_FILE", path, base_sha256, content: `${text}more\n` }];
    if (fate === "edit" && text !== "")
      return [{ kind: "EDIT_FILE", path, base_sha256, content: `${text}!` }];
    if (fate === "patch" && text === "")
      return [{ kind: "PATCH_FILE", path, base_sha256, content: "new\n" }];
    return [];
  });
  const made = created.map(([first, second, file]): ValidAction => ({
    kind: "CREATE_FILE",
    path: `${first}/${second}/${file}.new`,
    content: "made\n",
  }));
  return orderActions([...actions, ...made, { kind: "CREATE_DIR", path: "made" }]);
}

async function fillFolder(root: string, given: readonly GivenFile[]): Promise<void> {
  for (const { path, text, mode, timeMs } of given) {
    const place = join(root, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
    await chmod(place, mode);
    await utimes(place, timeMs / 1000, timeMs / 1000);
  }
  await mkdir(join(root, "void"), { mode: 0o750 });
}

describe("a plan that is applied and rolled back", () => {
  it("gives the exact tree again, bytes, modes and times, whatever the tree and the plan", async () => {
    await fc.assert(
      fc.asyncProperty(files, choices, async (given, chosen) => {
        const root = await mkdtemp(join(tmpdir(), "ccl-apply-"));
        try {
          await fillFolder(root, given);
          const before = await readTree(root);
          const workspace = await openWorkspace({ root, durability: "off" });
          await workspace.read(given.map(({ path }) => ({ type: "read_file", path })));
          const actions = actionsFor(given, chosen);
          if (chosen.isEmptyFolderDeleted) actions.push({ kind: "DELETE_DIR", path: "void" });
          const plan = planOf(...actions);
          const preview = await workspace.preview(plan);
          if (!preview.ok) throw new Error(JSON.stringify(preview.issues));
          const applied = await workspace.apply(plan, { confirm: preview.value.planHash });
          if (!applied.ok) throw new Error(JSON.stringify(applied.issues));
          expect(await faultsOf(root, { actions, before })).toEqual([]);
          expect(await workspace.rollback(applied.value.transactionId)).toMatchObject({ ok: true });
          expect(await readTree(root)).toEqual(before);
          await workspace.close();
        } finally {
          await rm(root, { recursive: true });
        }
      }),
    );
  });
});

/** What is not as the actions say; nothing where all of it is. */
async function faultsOf(
  root: string,
  { actions, before }: { actions: readonly ValidAction[]; before: Record<string, string> },
): Promise<string[]> {
  const after = await readTree(root);
  const touched = new Set(actions.map(({ path }) => path));
  const untouched = Object.entries(before).filter(
    ([path, entry]) => !touched.has(path) && after[path] !== entry,
  );
  const wrong = actions.filter(
    (action) => !isDone(action, before[action.path], after[action.path]),
  );
  return [...untouched.map(([path]) => path), ...wrong.map(({ path }) => path)];
}

function isDone(
  action: ValidAction,
  before: string | undefined,
  after: string | undefined,
): boolean {
  const [kind, mode, , content = ""] = (after ?? "absent").split(" ");
  // A file that is changed keeps its mode.
  if (kind === "file" && before !== undefined && mode !== before.split(" ")[1]) return false;
  if (action.kind === "DELETE_FILE" || action.kind === "DELETE_DIR") return kind === "absent";
  if (action.kind === "CREATE_DIR") return kind === "folder";
  if ("content" in action) return Buffer.from(content, "base64").toString() === action.content;
  return kind === "file" && after !== before;
}
