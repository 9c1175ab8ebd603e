import type { FileChange } from "../place/file-change.ts";
import type { EditOfFile } from "../place/place-changes.ts";
import type { PlanAction } from "../plan/plan.ts";
import type { ReadSet } from "../validate/valid-plan.ts";

/** An answer's changes for one path, in the answer's order. */
interface PathChanges {
  path: string;
  changes: FileChange[];
}

/** Converts changes to plan actions, with the edits of existing files keyed by action index. */
export function actionsOf(
  given: readonly FileChange[],
  { readSet, root }: { readSet: ReadSet; root?: string | undefined },
): { actions: PlanAction[]; edits: ReadonlyMap<number, EditOfFile[]> } {
  const groups: PathChanges[] = [];
  // Answers that explain an edit before they list all of them repeat it.
  const seen = new Set<string>();
  for (const change of given) {
    const path = relativePath(change.path, root);
    const key = JSON.stringify({ ...change, path });
    if (seen.has(key)) continue;
    seen.add(key);
    const same = groups.find((group) => group.path === path && areOfOneAction(group, change));
    if (same === undefined) groups.push({ path, changes: [change] });
    else same.changes.push(change);
  }
  const edits = new Map<number, EditOfFile[]>();
  const actions = groups.map(({ path, changes }, index): PlanAction => {
    const [first] = changes;
    const base = readSet.get(path);
    if (first?.type === "create" || (first?.type === "whole" && base === undefined))
      return { kind: "CREATE_FILE", path, content: first.content };
    if (first === undefined || first.type === "delete") return { kind: "DELETE_FILE", path };
    const movedTo = first.type === "hunks" ? first.movedTo : undefined;
    const to = movedTo === undefined ? undefined : relativePath(movedTo, root);
    if (first.type === "hunks" && to !== undefined && first.hunks.length === 0)
      return { kind: "MOVE_FILE", path, to };
    edits.set(
      index,
      changes.filter((change) => change.type !== "create" && change.type !== "delete"),
    );
    const action: PlanAction = { kind: "PATCH_FILE", path, base_sha256: base?.sha256 ?? "" };
    return to === undefined ? action : { ...action, kind: "MOVE_FILE", to };
  });
  return { actions, edits };
}

/** Converts a path to the plan's format. */
function relativePath(given: string, root: string | undefined): string {
  const path = given.replaceAll("\\", "/");
  const below =
    root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return below.replace(/^(?:\.\/)+(?=[^./])/, "");
}

/** True for several edits of one file, which become one action. Other repeated paths are conflicts. */
function areOfOneAction({ changes }: PathChanges, change: FileChange): boolean {
  const isEdit = (one: FileChange): boolean =>
    one.type === "replace" ||
    one.type === "insert" ||
    (one.type === "hunks" && one.movedTo === undefined);
  return isEdit(change) && changes.every(isEdit);
}
