import { compareCodeUnits } from "@ccl/core";

import type { ActionKind } from "../plan/plan.ts";

const RANK: Readonly<Record<ActionKind, number>> = {
  CREATE_DIR: 0,
  CREATE_FILE: 1,
  UPDATE_FILE: 1,
  PATCH_FILE: 2,
  EDIT_FILE: 2,
  MOVE_FILE: 2,
  DELETE_FILE: 3,
  DELETE_DIR: 4,
};

/**
 * Sorts actions into application order: folders, whole files, patches and edits, deleted files, then deleted
 * folders, deepest first. Ties are sorted by path.
 */
export function orderActions<Action extends { kind: ActionKind; path: string }>(
  actions: readonly Action[],
): Action[] {
  return actions.toSorted(
    (a, b) => RANK[a.kind] - RANK[b.kind] || byDepth(a, b) || compareCodeUnits(a.path, b.path),
  );
}

function byDepth(a: { kind: ActionKind; path: string }, b: { path: string }): number {
  return a.kind === "DELETE_DIR" ? depthOf(b.path) - depthOf(a.path) : 0;
}

function depthOf(path: string): number {
  return path.split("/").length;
}
