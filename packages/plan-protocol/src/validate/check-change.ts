import { linesOf } from "../place/file-change.ts";
import { elisionInNewFile } from "../place/merge-elisions.ts";
import { type EditOfFile, type PlacedText, placeChanges } from "../place/place-changes.ts";
import { readPatch } from "../place/read-hunks.ts";
import type { PlanAction } from "../plan/plan.ts";
import { quote } from "../plan-issue.ts";
import type { ActionCheck } from "./action-check.ts";
import { checkContent } from "./check-content.ts";
import type { NewText, ReadFile, ValidAction } from "./valid-plan.ts";

/**
 * Checks the text that an action would write against its kind and its base, and places it in the base. The result only
 * counts if the check found no issue.
 */
export function checkChange(action: PlanAction, check: ActionCheck): ValidAction {
  const { kind, path, to = "", content = "" } = action;
  if (kind === "CREATE_DIR" || kind === "DELETE_FILE" || kind === "DELETE_DIR")
    return { kind, path };
  if (kind === "CREATE_FILE") {
    checkCreate(action, check);
    return { kind, path, content };
  }
  if (kind === "UPDATE_FILE") return { kind, path, ...checkUpdate(action, check) };
  if (kind !== "MOVE_FILE") return { kind, path, ...checkEdit(action, check) };
  if (to === path)
    check.add("ERR_ACTION_CONFLICT", ["to"], `${quote(path)} is moved to where it is already.`);
  const isOnlyMoved = check.edits === undefined && (action.patch ?? content).trim() === "";
  return isOnlyMoved ? { kind, path, to } : { kind, path, to, ...checkEdit(action, check) };
}

function checkCreate(action: PlanAction, check: ActionCheck): void {
  const content = checkWhole(action, check);
  const elision = elisionInNewFile(linesOf(content));
  if (elision !== undefined)
    check.add(
      "ERR_ELISION",
      ["content"],
      `${quote(elision.text)} in line ${elision.line} stands for text left out. Give all of it.`,
    );
}

/** Checks and returns the whole content of a file. */
function checkWhole({ kind, content }: PlanAction, check: ActionCheck): string {
  if (content === undefined)
    check.add("ERR_CONTENT_REQUIRED", ["content"], `${kind} needs the whole content of the file.`);
  else checkContent(content, ["content"], check);
  return content ?? "";
}

function checkUpdate(action: PlanAction, check: ActionCheck): NewText {
  const { path } = action;
  const { version, mode, base, add } = check;
  if (base !== undefined && version > 1) {
    const way = version === 2 ? "PATCH_FILE" : "EDIT_FILE or PATCH_FILE";
    add(
      "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
      ["kind"],
      `In version ${version} a file that exists is changed with ${way}.`,
    );
  } else if (base === undefined && mode === "apply") addUnread(action, check);
  else if (base?.isPartial === true)
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      "The file was shown in part or with secrets masked; replacing it would lose the rest. Ask for the whole file.",
    );
  const content = checkWhole(action, check);
  const whole: EditOfFile = { type: "whole", path, content, isWhole: true };
  const { text = "", remarks } = place(base, { path, edits: [whole], at: "content" }, check) ?? {};
  return { content: text, base_sha256: base?.sha256 ?? "", remarks };
}

function checkEdit(action: PlanAction, check: ActionCheck): NewText {
  const { base_sha256 = "" } = action;
  const { text = "", added, remarks = [] } = placedIn(action, check) ?? {};
  if (added !== undefined) checkContent(added, [fieldOf(action)], check);
  return { content: text, base_sha256, remarks: remarks.length === 0 ? undefined : remarks };
}

function fieldOf({ patch, edits, content, kind }: PlanAction): "patch" | "edits" | "content" {
  if (content !== undefined && patch === undefined && edits === undefined) return "content";
  return kind === "EDIT_FILE" ? "edits" : "patch";
}

/** The new text by edits, by a patch, or as it was placed earlier. Undefined if there is none. */
function placedIn(action: PlanAction, check: ActionCheck): PlacedText | undefined {
  if (check.edits !== undefined) return placeRead(action.path, check.edits, check);
  const { limits, add } = check;
  const { path, to, kind, content = "", patch = "", edits: texts = [] } = action;
  const base = checkBase(action, check);
  const field = fieldOf(action);
  if (field === "content") return { text: content, added: content, remarks: [] };
  if (field === "edits") {
    if (texts.length === 0)
      add("ERR_EDIT_NO_EDITS", ["edits"], "EDIT_FILE needs at least one edit.");
    else if (texts.length > limits.maxEdits)
      add(
        "ERR_TOO_MANY_ACTIONS",
        ["edits"],
        `${texts.length} edits of one file are more than ${limits.maxEdits}.`,
      );
    else return place(base, { path, edits: [{ type: "replace", path, texts }], at: field }, check);
    return undefined;
  }
  if (patch.trim() === "") {
    add("ERR_PATCH_REQUIRED", ["patch"], `${kind} needs a patch: a unified diff of the file.`);
    return undefined;
  }
  const hunks = readPatch(patch, to === undefined ? [path] : [path, to]);
  if (typeof hunks !== "string")
    return place(base, { path, edits: [{ type: "hunks", path, hunks }], at: field }, check);
  const message = `The patch ${hunks}. Give a unified diff of this one file.`;
  add("ERR_PATCH_NOT_UNIFIED", ["patch"], message);
  return undefined;
}

/** Places the edits of an answer in another format, whose issues name their own places. */
function placeRead(
  path: string,
  edits: readonly EditOfFile[],
  check: ActionCheck,
): PlacedText | undefined {
  const { base, unread, add } = check;
  if (base === undefined)
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      unread ??
        `${quote(path)} was not shown in full. Ask for it with read_file before you change it.`,
    );
  else if (base.isPartial === true && edits.some(({ type }) => type === "whole"))
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      `${quote(path)} was shown in part or with secrets masked; replacing it would lose the rest. Ask for it with read_file, or give an edit.`,
    );
  else return place(base, { path, edits }, check);
  return undefined;
}

/** The new text by edits of the base, or undefined if they do not fit. */
function place(
  base: ReadFile | undefined,
  { path, edits, at }: { path: string; edits: readonly EditOfFile[]; at?: string | undefined },
  { addAll }: ActionCheck,
): PlacedText | undefined {
  if (base === undefined) return undefined;
  const placed = placeChanges(base.text, path, edits);
  if (!Array.isArray(placed)) return placed;
  if (at === undefined)
    addAll(
      placed.map((issue) => ({ ...issue, path: [] })),
      [],
    );
  else addAll(placed, [at]);
  return undefined;
}

/** The file that the change is based on. Undefined if it is not the file that was read. */
function checkBase(action: PlanAction, check: ActionCheck): ReadFile | undefined {
  const { base, mode, add } = check;
  const { base_sha256: hash = "", kind } = action;
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    const given = hash === "" ? "There is none" : `${quote(hash)} is none`;
    add(
      "ERR_BASE_SHA256_INVALID",
      ["base_sha256"],
      `${given}. ${kind} needs the SHA-256 of the file as it was read.`,
    );
  } else if (base !== undefined && base.sha256 !== hash)
    add(
      "ERR_BASE_MISMATCH",
      ["base_sha256"],
      "The file is not the one that this change was made for. Read it again.",
    );
  if (mode === "apply" && base === undefined) addUnread(action, check);
  return base?.sha256 === hash ? base : undefined;
}

function addUnread({ kind }: PlanAction, { unread, add }: ActionCheck): void {
  const message = unread ?? `${kind} needs the file to be read first. Ask for it with read_file.`;
  add("ERR_UPDATE_WITHOUT_BASE", ["path"], message);
}
