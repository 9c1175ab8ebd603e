import { canonicalJson, type Issue, type Result, sha256Hex, success } from "@ccl/core";
import { mapConcurrent } from "@ccl/core/async";
import { systemCode } from "@ccl/core/node";

import { checkPath } from "../../paths/check-path.ts";
import { foldName } from "../../paths/fold-name.ts";
import { pathUseOf } from "../../plan/action-kinds.ts";
import type { ActionKind } from "../../plan/plan.ts";
import { planIssue, type PlanIssueCode, quote, refusal } from "../../plan-issue.ts";
import { findConflicts, type PlacedAction } from "../../validate/find-conflicts.ts";
import { orderActions } from "../../validate/order-actions.ts";
import { type ValidAction, type ValidPlan, withoutRemarks } from "../../validate/valid-plan.ts";
import type { FileFacts } from "../file-system/read-file.ts";
import { inFolder, splitPath } from "../file-system/in-folder.ts";
import { FILES_AT_ONCE, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import { fileIn, type FoundEntry, lookAt, MAX_TEXT_BYTES, textIn } from "./look-at.ts";

/** An action with its effect on the current tree. */
export interface ResolvedAction {
  action: ValidAction;
  /** The old file. Undefined for new files and for folders. */
  base?: FileFacts | undefined;
  /** Permission bits of the folder that DELETE_DIR removes. */
  folderMode?: number | undefined;
  /** The old file's text. Undefined if it is binary. */
  baseText?: string | undefined;
  /** New content of a file to write. */
  content?: Uint8Array | undefined;
  text?: string | undefined;
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
  const resolved = await mapConcurrent(
    actions,
    FILES_AT_ONCE,
    async (action): Promise<ResolvedAction> => {
      const outcome = await resolveAction(action, context).catch((error: unknown) =>
        ioIssue(action, error),
      );
      if (outcome.ok) return outcome.value;
      const at = ["actions", indexes.get(action.path) ?? 0];
      issues.push(...outcome.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] })));
      return { action };
    },
  );
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

/** Checks the plan's paths again, since the plan may come from a file rather than `validatePlan`. */
function checkNames(parts: WorkspaceParts, actions: readonly ValidAction[]): Issue[] {
  const { policy, limits } = parts;
  const named = actions.flatMap(namesOf);
  const issues = named.flatMap(({ kind, path, index }): Issue[] => {
    const checked = checkPath(path, { policy, limits, use: pathUseOf(kind) });
    const at = ["actions", index, "path"];
    if (!checked.ok) return checked.issues.map((issue) => ({ ...issue, path: at }));
    const message = `${quote(path)} is to be written as ${quote(checked.value)}.`;
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
  const isOfFolder = action.kind === "CREATE_DIR" || action.kind === "DELETE_DIR";
  const looked = await lookAt(context.parts.root, action.path, isOfFolder ? 0 : MAX_TEXT_BYTES);
  if (!looked.ok) return looked;
  const found = looked.value;
  if (!isOfFolder && found.device !== context.device)
    return refuse(
      "ERR_IO",
      `${quote(action.path)} is on another file system than the root, so that no change to it can be undone as a whole. ` +
        "Open a workspace there.",
    );
  switch (action.kind) {
    case "CREATE_DIR":
    case "CREATE_FILE":
      return resolveCreate(action, found, context);
    case "MOVE_FILE":
      return resolveMove(action, found, context);
    case "DELETE_DIR":
      return resolveDeleteFolder(action, found, context);
    default:
      return resolveExisting(action, found, context);
  }
}

/** Resolves the old file and its new path, which must not exist. */
async function resolveMove(
  action: Extract<ValidAction, { kind: "MOVE_FILE" }>,
  found: FoundEntry,
  context: ResolveContext,
): Promise<Outcome> {
  const target = await lookAt(context.parts.root, action.to, 0);
  if (!target.ok) return target;
  const taken = await takePlace(action, { path: action.to, found: target.value }, context);
  if (taken !== undefined) return taken;
  const resolved = resolveExisting(action, found, context);
  if (!resolved.ok || resolved.value.content !== undefined) return resolved;
  const { base, baseText } = resolved.value;
  if (base?.bytes === undefined)
    return refuse(
      "ERR_CONTENT_TOO_LARGE",
      `${quote(action.path)} has more than ${MAX_TEXT_BYTES} bytes.`,
    );
  return success({ action, base, baseText, text: baseText, content: base.bytes });
}

/** Returns why a new path cannot be used. Otherwise, collects the parent folders to create. */
async function takePlace(
  { kind }: ValidAction,
  { path, found }: { path: string; found: FoundEntry },
  { parts, isDeleted, createdFolders, impliedFolders }: ResolveContext,
): Promise<Outcome | undefined> {
  if (found.kind !== "absent")
    return refuse(
      "ERR_TARGET_EXISTS",
      `${quote(path)} exists already; ${kind} would have to replace it.`,
    );
  const { lastFolder } = found;
  const above = lastFolder === "" ? "" : `${lastFolder}/`;
  const [first = ""] = path.slice(above.length).split("/");
  const names = await inFolder(parts.root, lastFolder, (folder) => folder.list());
  const twin = names.find(
    (name) => name !== first && foldName(name) === foldName(first) && !isDeleted.has(above + name),
  );
  if (twin !== undefined)
    return refuse(
      "ERR_ACTION_CONFLICT",
      `${quote(above + twin)} already exists and is the same path as ${quote(above + first)} on some systems. Use its spelling.`,
    );
  for (
    let folder = splitPath(path).parent;
    folder.length > lastFolder.length;
    folder = splitPath(folder).parent
  )
    if (!createdFolders.has(folder)) impliedFolders.add(folder);
  return undefined;
}

async function resolveCreate(
  action: ValidAction,
  found: FoundEntry,
  context: ResolveContext,
): Promise<Outcome> {
  const taken = await takePlace(action, { path: action.path, found }, context);
  if (taken !== undefined) return taken;
  if (action.kind !== "CREATE_FILE") return success({ action });
  return success({
    action,
    text: action.content,
    content: new TextEncoder().encode(action.content),
  });
}

async function resolveDeleteFolder(
  action: ValidAction,
  found: FoundEntry,
  context: ResolveContext,
): Promise<Outcome> {
  const { path } = action;
  if (found.kind !== "folder")
    return refuse("PATH_NOT_FOUND", `There is no folder ${quote(path)} to delete.`);
  const names = await inFolder(context.parts.root, path, (folder) => folder.list());
  const left = names.filter((name) => !context.isDeleted.has(`${path}/${name}`)).sort();
  if (left.length > 0)
    return refuse(
      "ERR_NOT_EMPTY",
      `${quote(path)} has ${left.length} entries that the plan does not delete, such as ${quote(left[0] ?? "")}.`,
    );
  return success({ action, folderMode: found.mode });
}

function resolveExisting(
  action: ValidAction,
  found: FoundEntry,
  { parts }: ResolveContext,
): Outcome {
  const { path } = action;
  const file = fileIn(found, path);
  if (!file.ok) return file;
  const base = file.value;
  const read = textIn(base, path);
  const text = "content" in action ? action.content : undefined;
  if (text === undefined) {
    const shown = parts.readSet.get(path);
    if (shown !== undefined && shown.sha256 !== base.sha256)
      return refuse("CONCURRENT_EDIT", `${quote(path)} has been changed since it was read.`);
    return success({ action, base, baseText: read.ok ? read.value : undefined });
  }
  if (!("base_sha256" in action) || action.base_sha256 !== base.sha256)
    return refuse(
      "ERR_BASE_MISMATCH",
      `${quote(path)} is not the version that the change was written for. Read it again.`,
    );
  if (!read.ok) return read;
  const content = new TextEncoder().encode(text);
  return success({ action, base, baseText: read.value, text, content });
}

function refuse(code: PlanIssueCode, message: string): Outcome {
  return refusal(code, message, ["path"]);
}

function ioIssue(action: ValidAction, error: unknown): Outcome {
  const code = systemCode(error);
  if (code === undefined) throw error;
  return refuse("ERR_IO", `${quote(action.path)} could not be read (${code}).`);
}

function byAction(a: Issue, b: Issue): number {
  return Number(a.path[1] ?? 0) - Number(b.path[1] ?? 0);
}
