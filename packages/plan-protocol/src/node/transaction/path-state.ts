import { mapConcurrent } from "@ccl/core/async";
import { canonicalJson } from "@ccl/core";
import { unless } from "@ccl/core/node";

import type { Folder } from "../file-system/folder.ts";
import { inFolder } from "../file-system/in-folder.ts";
import { lookAt, MAX_TEXT_BYTES } from "../file-system/look-at.ts";
import { FILES_AT_ONCE } from "../file-system/workspace-parts.ts";
import { type FileState, fileState, type Step } from "./step.ts";

/** The state of a path: a file, a folder with the names that others added to it, or null for nothing. */
export type PathState = FileState | { names: string[] } | null;

/** A step whose path is no longer in the state the step left it. `state` is undefined if something blocks the path. */
interface ChangedStep {
  step: Step;
  state?: PathState | undefined;
}

/** Finds steps whose paths differ from what the transaction left there, or from the later state in `known`. */
export async function changedSteps(
  root: Folder,
  steps: readonly Step[],
  known: Readonly<Record<string, PathState>> = {},
): Promise<ChangedStep[]> {
  const own = new Set(steps.map(({ path }) => path));
  const found = await mapConcurrent(steps, FILES_AT_ONCE, async (step) => {
    const state = await stateAt(root, step, own);
    const expected = known[step.key];
    return isSameState(state, expected === undefined ? leftBy(step) : expected)
      ? []
      : [{ step, state }];
  });
  return found.flat();
}

/** Returns whether a rollback treats two states as equal. */
export function isSameState(one: PathState | undefined, other: PathState | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return canonicalJson(one) === canonicalJson(other);
}

function leftBy({ change, after }: Step): PathState {
  return change === "make_folder" ? { names: [] } : (after ?? null);
}

async function stateAt(
  root: Folder,
  { path, change }: Step,
  own: ReadonlySet<string>,
): Promise<PathState | undefined> {
  const looked = await lookAt(root, path, MAX_TEXT_BYTES);
  if (!looked.ok) return undefined;
  const found = looked.value;
  if (found.kind === "absent") return null;
  if (found.kind === "file") return fileState(found.facts);
  if (change !== "make_folder") return undefined;
  const names = await unless(
    ["ENOENT"],
    inFolder(root, path, (folder) => folder.list()),
    [],
  );
  return { names: names.filter((name) => !own.has(`${path}/${name}`)).sort() };
}
