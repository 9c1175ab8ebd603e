import type { ActionKind } from "../plan/plan.ts";
import { foldName } from "../paths/fold-name.ts";
import { type PlanIssue, quote, planIssue } from "../plan-issue.ts";

/** An action with a checked path. */
export interface PlacedAction {
  kind: ActionKind;
  path: string;
  /** Index in the model's list. */
  index: number;
}

/**
 * Finds actions that exclude each other. Each is an `ERR_ACTION_CONFLICT` at the later one's path. Spellings that
 * differ only by case or Unicode form count as one place, since some systems see two files, others one.
 */
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
  const spellings = new Map<string, string>();
  for (const action of actions) {
    const [clash] = placesOn(action.path).flatMap((place) => {
      const key = foldName(place);
      const first = spellings.get(key) ?? place;
      spellings.set(key, first);
      return first === place ? [] : [`${quote(first)} and ${quote(place)}`];
    });
    if (clash !== undefined)
      add(action, `${clash} are the same path on some systems. Use one spelling.`);
  }
  return issues;
}

/** Finds an action that replaces a parent folder with a file, or deletes it while something in it is kept. */
function conflictingParent(
  action: PlacedAction,
  byKey: ReadonlyMap<string, PlacedAction>,
): PlacedAction | undefined {
  const isRemoved = ["DELETE_FILE", "DELETE_DIR", "MOVE_FILE"].includes(action.kind);
  const parents = placesOn(action.path).slice(0, -1);
  return parents
    .map((folder) => byKey.get(foldName(folder)))
    .find(
      (parent) =>
        parent !== undefined &&
        parent.kind !== "CREATE_DIR" &&
        (parent.kind !== "DELETE_DIR" || !isRemoved),
    );
}

/** Returns a path's parent folders, from the top down, and the path itself. */
function placesOn(path: string): string[] {
  const names = path.split("/");
  return names.map((_name, index) => names.slice(0, index + 1).join("/"));
}
