import { assertNotAborted } from "../../plan-protocol-error.ts";
import { mapConcurrent } from "@ccl/core/async";
import { systemCode, unless } from "@ccl/core/node";
import { quote } from "../../plan-issue.ts";
import type { Folder } from "../file-system/folder.ts";
import { readFacts } from "../file-system/read-file.ts";
import { atPath, inFolder, NO_FOLDER, parentOf } from "../file-system/in-folder.ts";
import { FILES_AT_ONCE, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import { tryLink, isSameStatus } from "./back-up.ts";
import type { StagedPlan, StagedStep } from "./stage-plan.ts";
import { changedMeanwhile, concurrentEdit, type Step, type StepConflict } from "./step.ts";

/**
 * Applies the changes in order. A deleted file is moved to the journal and checked there. If it was the wrong one, an
 * undo restores it. Replacement is atomic, so the path always has a file, and happens only while the old file is still
 * in place. A new file gets its name only if the name is free.
 */
export async function swapIn(
  root: Folder,
  staged: StagedPlan,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const step of staged.steps) {
    assertNotAborted(signal);
    staged.begun += 1;
    try {
      await atPath(root, step.path, (folder, name) => makeChange(staged, step, { folder, name }));
    } catch (error) {
      const code = systemCode(error) ?? "";
      const isConflict = [...NO_FOLDER, "EEXIST", "ENOTEMPTY", "ESTALE"].includes(code);
      throw isConflict ? conflictAt(step, code) : error;
    }
  }
}

interface Place {
  folder: Folder;
  name: string;
}

async function makeChange(
  { staged, moved }: StagedPlan,
  step: StagedStep,
  { folder, name }: Place,
): Promise<void> {
  if (step.change === "make_folder") return folder.makeFolder(name);
  if (step.change === "remove_folder") return folder.removeFolder(name);
  const { key } = step;
  const isNew = step.change === "write";
  if (step.before === undefined) {
    if (isNew) await giveName(staged, key, { folder, name });
    return;
  }
  // A file to be replaced is linked into the journal. Without hard links, it is briefly absent.
  if (!isNew || !(await tryLink(folder.link(name, moved, key))))
    await folder.rename(name, moved, key);
  const status = await moved.status(key);
  if (status === undefined || !isSameStatus(status, step.base?.status))
    throw changedMeanwhile(step);
  if (isNew) await giveNameOver(staged, key, { folder, name, identity: status.identity });
}

/** Like `giveName`, but replaces a file with a known identity. `ESTALE` if it is a different file. */
export async function giveNameOver(
  from: Folder,
  fileName: string,
  { folder, name, identity }: Place & { identity: string },
): Promise<void> {
  const second = `${fileName}.over`;
  await unless(["ENOENT"], from.unlink(second), undefined);
  if (!(await tryLink(from.link(fileName, from, second))))
    return await giveName(from, fileName, { folder, name });
  await from.replace(second, folder, { name, identity });
}

/** Gives a journal file a name in the tree. Fails with `EEXIST` if the name is taken. */
export async function giveName(
  from: Folder,
  fileName: string,
  { folder, name }: Place,
): Promise<void> {
  if (await tryLink(from.link(fileName, folder, name))) return;
  // Without hard links, checking beforehand is the best option.
  if ((await folder.status(name)) !== undefined)
    throw Object.assign(new Error(`EEXIST: ${name}`), { code: "EEXIST" });
  await from.rename(fileName, folder, name);
}

/**
 * Checks everything again before the commit. Each path, resolved again, must lead to the new file, and no process may
 * have written to an old file since it was read. Compares bytes, not times, since a coarse clock (a few milliseconds)
 * or a memory-mapped file can hide a change. A process that writes later through an open descriptor writes to the old
 * file, which the journal keeps.
 */
export async function confirmSwap(root: Folder, { moved, steps }: StagedPlan): Promise<void> {
  await mapConcurrent(steps, FILES_AT_ONCE, async (step) => {
    if (step.change === "write") {
      const reading = atPath(root, step.path, (folder, name) => folder.status(name));
      const status = await reading.catch(() => undefined);
      if (status?.identity !== step.stagedStatus?.identity) throw changedMeanwhile(step);
    }
    if (step.before === undefined || step.change === "remove_folder") return;
    const old = await readFacts(moved, step.key, step.before.sizeBytes + 1);
    if (old?.sha256 !== step.before.sha256) throw changedMeanwhile(step);
  });
}

/** Syncs folders in which a transaction or its undo changed names, and the `others`. */
export async function syncFoldersOf(
  parts: WorkspaceParts,
  steps: readonly Step[],
  ...others: Folder[]
): Promise<void> {
  if (parts.durability === "off") return;
  const paths = new Set(steps.map(({ path }) => parentOf(path)));
  await mapConcurrent([...others, ...paths], FILES_AT_ONCE, (place) => {
    if (typeof place !== "string") return place.sync();
    const synced = inFolder(parts.root, place, (folder) => folder.sync());
    // A deleted folder has no names to sync.
    return unless(NO_FOLDER, synced, undefined);
  });
}

function conflictAt(step: StagedStep, code: string): StepConflict {
  const path = quote(step.path);
  if (step.change === "remove_folder" && (code === "ENOTEMPTY" || code === "EEXIST"))
    return concurrentEdit(
      step,
      `Another program put something into ${path} in the meantime. It stays.`,
    );
  return code === "EEXIST"
    ? concurrentEdit(step, `${path} was created by another program in the meantime. It stays.`)
    : changedMeanwhile(step);
}
