import { canonicalJson, type Issue, type Result, sha256Hex, success } from "@ccl/core";
import { mapConcurrent } from "@ccl/core/async";
import { systemCode } from "@ccl/core/node";

import { checkPath } from "../../paths/check-path.ts";
import { foldName } from "../../paths/fold-name.ts";
import { pathUseOf } from "../../plan/action-kinds.ts";
import type { ActionKind } from "../../plan/plan.ts";
import { planIssue, quote } from "../../plan-issue.ts";
import { findConflicts, type PlacedAction } from "../../validate/find-conflicts.ts";
import { orderActions } from "../../validate/order-actions.ts";
import { type ValidAction, type ValidPlan, withoutRemarks } from "../../validate/valid-plan.ts";
import { inFolder, parentOf } from "../file-system/in-folder.ts";
import { fileAt, lookAt, refusePath, textIn } from "../file-system/look-at.ts";
import type { FileFacts } from "../file-system/read-file.ts";
import { FILES_AT_ONCE, type WorkspaceParts } from "../file-system/workspace-parts.ts";

/** An action with its effect on the current tree. */
export interface ResolvedAction {
  action: ValidAction;
  /** The old file. Undefined for new files and for folders. */
  base?: FileFacts | undefined;
  /** Permission bits of the folder that DELETE_DIR removes. */
  folderMode?: number | undefined;
}

/** Returns the bytes of the file that an action writes. */
export function contentOf({ action, base }: ResolvedAction): Uint8Array | undefined {
  const text = "content" in action ? action.content : undefined;
  if (text !== undefined) return new TextEncoder().encode(text);
  return action.kind === "MOVE_FILE" ? base?.bytes : undefined;
}

/** A plan resolved against the current tree. */
export interface ResolvedPlan {
  /** In application order. */
  actions: ResolvedAction[];
  /** Parent folders to create for files, from the top down. */
  impliedFolders: string[];
  /** SHA-256 over the plan's canonical JSON and the hashes of the files that it would change. */
  planHash: string;
  /** True if something is deleted. */
  needsConfirmation: boolean;
}

/**
 * Resolves a plan without changing the tree. Returns each action's effect, or every reason why the plan cannot be
 * applied.
 */
export async function resolvePlan(
  parts: WorkspaceParts,
  plan: ValidPlan,
): Promise<Result<ResolvedPlan>> {
  const actions = orderActions(plan.actions);
  const refused = checkNames(parts, plan.actions);
  if (refused.length > 0) return { ok: false, issues: refused };
  const indexes = new Map(plan.actions.map((action, index) => [action.path, index]));
  const impliedFolders = new Set<string>();
  const pathsOf = (...kinds: ActionKind[]): ReadonlySet<string> =>
    new Set(actions.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path));
  const context: ResolveContext = {
    parts,
    device: (await parts.root.ownStatus()).device,
    isDeleted: pathsOf("DELETE_FILE", "DELETE_DIR", "MOVE_FILE"),
    createdFolders: pathsOf("CREATE_DIR"),
    impliedFolders,
  };
  const issues: Issue[] = [];
  const resolved: ResolvedAction[] = [];
  const outcomes = await mapConcurrent(actions, FILES_AT_ONCE, (action) =>
    resolveAction(action, context).catch((error: unknown) => ioIssue(action, error)),
  );
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.ok) resolved.push(outcome.value);
    else {
      const at = ["actions", indexes.get(actions[index]?.path ?? "") ?? 0];
      issues.push(...outcome.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] })));
    }
  }
  if (issues.length > 0) return { ok: false, issues: issues.toSorted(byAction) };
  const bases = resolved.map(({ action, base }) => [action.path, base?.sha256 ?? null]);
  return success({
    actions: resolved,
    impliedFolders: [...impliedFolders].sort(),
    planHash: sha256Hex(canonicalJson({ plan: withoutRemarks(plan), bases })),
    needsConfirmation: pathsOf("DELETE_FILE", "DELETE_DIR").size > 0,
  });
}

interface ResolveContext {
  parts: WorkspaceParts;
  /** The root's file system. */
  device: string;
  isDeleted: ReadonlySet<string>;
  /** Folders that the plan itself creates. */
  createdFolders: ReadonlySet<string>;
  impliedFolders: Set<string>;
}

type Outcome = Result<ResolvedAction>;
type Failure = Result<never>;

/** Checks the plan's paths again, since the plan may come from a file rather than `validatePlan`. */
function checkNames(parts: WorkspaceParts, actions: readonly ValidAction[]): Issue[] {
  const { policy, limits } = parts;
  const named = actions.flatMap(namesOf);
  const issues = named.flatMap(({ kind, path, index }): Issue[] => {
    const checked = checkPath(path, { policy, limits, use: pathUseOf(kind) });
    const at = ["actions", index, "path"];
    if (!checked.ok) return checked.issues.map((issue) => ({ ...issue, path: at }));
    const message = `Write the path ${quote(path)} as ${quote(checked.value)}.`;
    return checked.value === path ? [] : [planIssue("ERR_INVALID_PATH", message, at)];
  });
  return issues.length > 0 ? issues : findConflicts(named);
}

function namesOf(action: ValidAction, index: number): PlacedAction[] {
  const { kind, path } = action;
  const own = { kind, path, index };
  return kind === "MOVE_FILE" ? [own, { kind: "CREATE_FILE", path: action.to, index }] : [own];
}

async function resolveAction(action: ValidAction, context: ResolveContext): Promise<Outcome> {
  const { kind, path } = action;
  if (kind === "CREATE_DIR" || kind === "CREATE_FILE")
    return (await takePlace(action, path, context)) ?? success({ action });
  if (kind === "DELETE_DIR") return resolveDeleteFolder(action, context);
  const taken = kind === "MOVE_FILE" ? await takePlace(action, action.to, context) : undefined;
  return taken ?? resolveExisting(action, context);
}

/** Returns why a new path cannot be used. Otherwise, collects the parent folders to create. */
async function takePlace(
  { kind }: ValidAction,
  path: string,
  context: ResolveContext,
): Promise<Failure | undefined> {
  const { parts, isDeleted, createdFolders, impliedFolders } = context;
  const looked = await lookAt(parts.root, path, 0);
  if (!looked.ok) return looked;
  const found = looked.value;
  if (found.kind !== "absent")
    return refusePath(
      "ERR_TARGET_EXISTS",
      `${quote(path)} exists already, and ${kind} does not replace anything.`,
    );
  if (kind !== "CREATE_DIR" && found.device !== context.device) return otherFileSystem(path);
  const { lastFolder } = found;
  const above = lastFolder === "" ? "" : `${lastFolder}/`;
  const [first = ""] = path.slice(above.length).split("/");
  const names = await inFolder(parts.root, lastFolder, (folder) => folder.list());
  const twin = names.find(
    (name) => name !== first && foldName(name) === foldName(first) && !isDeleted.has(above + name),
  );
  if (twin !== undefined)
    return refusePath(
      "ERR_ACTION_CONFLICT",
      `${quote(above + twin)} exists already and is the same path as ${quote(above + first)} on some systems. Use its spelling.`,
    );
  let folder = parentOf(path);
  for (; folder.length > lastFolder.length; folder = parentOf(folder))
    if (!createdFolders.has(folder)) impliedFolders.add(folder);
  return undefined;
}

async function resolveDeleteFolder(
  action: ValidAction,
  { parts: { root }, isDeleted }: ResolveContext,
): Promise<Outcome> {
  const { path } = action;
  const looked = await lookAt(root, path, 0);
  if (!looked.ok) return looked;
  if (looked.value.kind !== "folder")
    return refusePath("PATH_NOT_FOUND", `There is no folder ${quote(path)} to delete.`);
  const names = await inFolder(root, path, (folder) => folder.list());
  const left = names.filter((name) => !isDeleted.has(`${path}/${name}`)).sort();
  if (left.length > 0)
    return refusePath(
      "ERR_NOT_EMPTY",
      `${quote(path)} has ${left.length} entries that the plan does not delete, such as ${quote(left[0] ?? "")}.`,
    );
  return success({ action, folderMode: looked.value.mode });
}

async function resolveExisting(
  action: ValidAction,
  { parts, device }: ResolveContext,
): Promise<Outcome> {
  const { kind, path } = action;
  const file = await fileAt(parts.root, path);
  if (!file.ok) return file;
  const base = file.value;
  if (base.status.device !== device) return otherFileSystem(path);
  const read = textIn(base, path);
  if ("content" in action && action.content !== undefined) {
    if (!("base_sha256" in action) || action.base_sha256 !== base.sha256)
      return refusePath(
        "ERR_BASE_MISMATCH",
        `${quote(path)} is not the file that the change was made for. Read it again.`,
      );
    return read.ok ? success({ action, base }) : read;
  }
  const shown = parts.readSet.get(path);
  if (shown !== undefined && shown.sha256 !== base.sha256)
    return refusePath("CONCURRENT_EDIT", `${quote(path)} has been changed since it was read.`);
  // A file above the limit cannot be moved, because its bytes are not there to be written.
  const isTooLarge = kind === "MOVE_FILE" && base.bytes === undefined;
  return isTooLarge && !read.ok ? read : success({ action, base });
}

function otherFileSystem(path: string): Failure {
  return refusePath(
    "ERR_IO",
    `${quote(path)} is on another file system than the root, so a plan that changes it could not be undone as a whole. ` +
      "Open a workspace there.",
  );
}

function ioIssue(action: ValidAction, error: unknown): Failure {
  const code = systemCode(error);
  if (code === undefined) throw error;
  return refusePath("ERR_IO", `${quote(action.path)} could not be read (${code}).`);
}

function byAction(a: Issue, b: Issue): number {
  return Number(a.path[1] ?? 0) - Number(b.path[1] ?? 0);
}
