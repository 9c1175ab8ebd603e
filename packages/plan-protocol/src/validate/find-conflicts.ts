import type { ActionKind } from "../plan/plan.ts";
import { findCollisions } from "../paths/find-collisions.ts";
import { foldName } from "../paths/fold-name.ts";
import { type PlanIssue, quote, planIssue } from "../plan-issue.ts";

/** An action with a checked path. */
export interface PlacedAction {
  kind: ActionKind;
  path: string;
  /** Index in the model's list. */
  index: number;
}

/** Finds actions that exclude each other. Each is `ERR_ACTION_CONFLICT` with the place of the later one. */
export function findConflicts(actions: readonly PlacedAction[]): PlanIssue[] {
  const issues: PlanIssue[] = [];
  const add = (action: PlacedAction, message: string): void => {
    issues.push(planIssue("ERR_ACTION_CONFLICT", message, ["actions", action.index, "path"]));
  };
  const byKey = new Map<string, PlacedAction>();
  for (const action of actions) {
    const key = foldName(action.path);
    const other = byKey.get(key);
    if (other === undefined) byKey.set(key, action);
    else if (other.path === action.path)
      add(
        action,
        `${other.kind} and ${action.kind} both name ${quote(action.path)}. Give one action for a path.`,
      );
  }
  for (const action of actions) {
    const parent = conflictingParent(action, byKey);
    if (parent !== undefined)
      add(
        action,
        `${action.kind} ${quote(action.path)} needs a folder where ${parent.kind} ${quote(parent.path)} leaves none.`,
      );
  }
  const paths = actions.map((action) => action.path);
  for (const { indexes, spellings } of findCollisions(paths)) {
    const action = actions[indexes[1]];
    if (action === undefined) continue;
    const [first, second] = spellings.map(quote);
    add(action, `${first} and ${second} are one place on some systems. Spell it one way.`);
  }
  return issues;
}

/**
 * Finds an action that turns a parent folder into something else: it puts a file there, or deletes it while something
 * in it is kept.
 */
function conflictingParent(
  action: PlacedAction,
  byKey: ReadonlyMap<string, PlacedAction>,
): PlacedAction | undefined {
  for (let end = action.path.indexOf("/"); end >= 0; end = action.path.indexOf("/", end + 1)) {
    const parent = byKey.get(foldName(action.path.slice(0, end)));
    if (parent === undefined || parent.kind === "CREATE_DIR") continue;
    const isRemoved = ["DELETE_FILE", "DELETE_DIR", "MOVE_FILE"].includes(action.kind);
    if (parent.kind !== "DELETE_DIR" || !isRemoved) return parent;
  }
  return undefined;
}
