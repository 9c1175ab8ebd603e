import { assertNotAborted } from "../../plan-protocol-error.ts";
import { mapConcurrent } from "@ccl/core/async";
import { systemCode, unless } from "@ccl/core/node";
import { quote } from "../../plan-issue.ts";
import type { Folder } from "../file-system/folder.ts";
import { readFacts } from "../file-system/read-file.ts";
import { splitPath, type Tree } from "../file-system/tree.ts";
import { FILES_AT_ONCE, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import { changedMeanwhile, hasLinked, isSameStatus } from "./back-up.ts";
import type { Journal } from "./journal.ts";
import type { StagedPlan, StagedStep } from "./stage-plan.ts";
import { concurrentEdit, type Step, type StepConflict } from "./step.ts";

/**
 * Makes the changes, in order. A file that goes is moved out of the tree and looked at there; what was moved by mistake is
 * what an undo puts back. A new file takes the place of an old one at once, so that the path is never without a file, and
 * only while the old one is there. A new file gets its name only if that is free.
 */
export async function swapIn(
  tree: Tree,
  { journal, steps }: StagedPlan,
  { progress, signal }: { progress: SwapProgress; signal?: AbortSignal | undefined },
): Promise<void> {
  for (const step of steps) {
    assertNotAborted(signal);
    progress.begun += 1;
    const { parent, name } = splitPath(step.path);
    try {
      await tree.inFolder(parent, (folder) => makeChange(journal, step, { folder, name }));
    } catch (error) {
      const code = systemCode(error) ?? "";
      const isConflict = ["EEXIST", "ENOENT", "ENOTDIR", "ELOOP", "ENOTEMPTY", "ESTALE"].includes(
        code,
      );
      throw isConflict ? conflictAt(step, code) : error;
    }
  }
}

/** How many steps may have changed something. */
export interface SwapProgress {
  begun: number;
}

interface Place {
  folder: Folder;
  name: string;
}

async function makeChange(
  journal: Journal,
  step: StagedStep,
  { folder, name }: Place,
): Promise<void> {
  if (step.change === "make_folder") return folder.makeFolder(name);
  if (step.change === "remove_folder") return folder.removeFolder(name);
  const { staged, moved } = journal;
  const key = String(step.index);
  const isNew = step.change === "write";
  if (step.before === undefined) {
    if (isNew) await giveName(staged, key, { folder, name });
    return;
  }
  // A file that is replaced gets a second name in the journal; without such names there is a moment without a file.
  if (!isNew || !(await hasLinked(folder.link(name, moved, key))))
    await folder.rename(name, moved, key);
  const status = await moved.status(key);
  if (status === undefined || !isSameStatus(status, step.baseStatus)) throw changedMeanwhile(step);
  if (isNew) await giveNameOver(staged, key, { folder, name, identity: status.identity });
}

/** `giveName` where a file of an identity is replaced; `ESTALE` where another one is there. */
export async function giveNameOver(
  from: Folder,
  fileName: string,
  { folder, name, identity }: Place & { identity: string },
): Promise<void> {
  const second = `${fileName}.over`;
  await unless(["ENOENT"], from.unlink(second), undefined);
  if (!(await hasLinked(from.link(fileName, from, second))))
    return await giveName(from, fileName, { folder, name });
  await from.replace(second, folder, { name, identity });
}

/** Gives a file of a journal a name in the tree; `EEXIST` where it is taken. */
export async function giveName(
  from: Folder,
  fileName: string,
  { folder, name }: Place,
): Promise<void> {
  if (await hasLinked(from.link(fileName, folder, name))) return;
  // Without second names a look before is the best there is.
  if ((await folder.status(name)) !== undefined)
    throw Object.assign(new Error(`EEXIST: ${name}`), { code: "EEXIST" });
  await from.rename(fileName, folder, name);
}

/**
 * Looks at everything once more before the transaction counts as done: each path, walked anew, leads to the new file, and
 * no process wrote into an old one since it was read. Its bytes are compared and not its time: a clock that ticks every few
 * milliseconds, or a mapping of the file into memory, hides a change from the time. Who writes later, through a file that
 * was open all the while, writes into the one that the journal keeps.
 */
export async function confirmSwap(tree: Tree, { journal, steps }: StagedPlan): Promise<void> {
  await mapConcurrent(steps, FILES_AT_ONCE, async (step) => {
    const { parent, name } = splitPath(step.path);
    if (step.change === "write") {
      const status = await tree
        .inFolder(parent, (folder) => folder.status(name))
        .catch(() => undefined);
      if (status?.identity !== step.stagedStatus?.identity) throw changedMeanwhile(step);
    }
    if (step.before === undefined || step.change === "remove_folder") return;
    const moved = await readFacts(journal.moved, String(step.index), step.before.sizeBytes + 1);
    if (moved?.sha256 !== step.before.sha256) throw changedMeanwhile(step);
  });
}

/** Makes the names durable that a transaction or its undoing has changed, and those in the other folders. */
export async function syncFoldersOf(
  parts: WorkspaceParts,
  tree: Tree,
  { steps, others = [] }: { steps: readonly Step[]; others?: readonly Folder[] | undefined },
): Promise<void> {
  if (parts.durability === "off") return;
  const paths = new Set(steps.map((step) => splitPath(step.path).parent));
  await mapConcurrent([...others, ...paths], FILES_AT_ONCE, async (place) => {
    if (typeof place !== "string") return place.sync();
    try {
      await tree.inFolder(place, (folder) => folder.sync());
    } catch (error) {
      // A folder that is gone has no names to keep.
      if (!["ENOENT", "ENOTDIR", "ELOOP"].includes(systemCode(error) ?? "")) throw error;
    }
  });
}

function conflictAt(step: StagedStep, code: string): StepConflict {
  const path = quote(step.path);
  if (step.change === "remove_folder" && (code === "ENOTEMPTY" || code === "EEXIST"))
    return concurrentEdit(step, `Someone else put something into ${path} meanwhile. It stays.`);
  return code === "EEXIST"
    ? concurrentEdit(step, `${path} was made by someone else meanwhile. What they made stays.`)
    : changedMeanwhile(step);
}
