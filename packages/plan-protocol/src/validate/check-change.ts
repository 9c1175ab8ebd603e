import type { Issue } from "@ccl/core";

import { linesOf } from "../place/file-change.ts";
import { elisionInNewFile } from "../place/merge-elisions.ts";
import { type PlacedText, placeChanges } from "../place/place-changes.ts";
import { readPatch } from "../place/read-hunks.ts";
import type { PlanAction } from "../plan/plan.ts";
import { quote } from "../plan-issue.ts";
import type { ActionCheck } from "./action-check.ts";
import { checkContent } from "./check-content.ts";
import type { ReadFile, ValidAction } from "./valid-plan.ts";

/** An action in its checked form and its size. Only valid if the check found no issue. */
export interface CheckedChange {
  action: ValidAction;
  sizeBytes: number;
}

/** Checks the text that an action would write against its kind and its base, and places it in the base. */
export function checkChange(action: PlanAction, check: ActionCheck): CheckedChange {
  const { kind, path, to = "" } = action;
  if (kind === "CREATE_FILE") return checkCreate(action, check);
  if (kind === "UPDATE_FILE") return checkUpdate(action, check);
  if (kind === "CREATE_DIR" || kind === "DELETE_FILE" || kind === "DELETE_DIR")
    return { action: { kind, path }, sizeBytes: 0 };
  if (kind !== "MOVE_FILE") {
    const { sizeBytes, ...changed } = checkEdit({ ...action, kind }, check);
    return { action: { kind, path, ...changed }, sizeBytes };
  }
  if (to === path)
    check.add("ERR_ACTION_CONFLICT", ["to"], `${quote(path)} is moved to where it is already.`);
  const isOnlyMoved =
    check.placed === undefined && (action.patch ?? action.content ?? "").trim() === "";
  if (isOnlyMoved) return { action: { kind, path, to }, sizeBytes: 0 };
  const { sizeBytes, ...changed } = checkEdit(action, check);
  return { action: { kind, path, to, ...changed }, sizeBytes };
}

function checkCreate({ path, content }: PlanAction, check: ActionCheck): CheckedChange {
  const sizeBytes = checkWhole("CREATE_FILE", content, check);
  const elision = content === undefined ? undefined : elisionInNewFile(linesOf(content));
  if (elision !== undefined)
    check.add(
      "ERR_ELISION",
      ["content"],
      `${quote(elision.text)} in line ${elision.line} stands for text left out. Give all of it.`,
    );
  return { action: { kind: "CREATE_FILE", path, content: content ?? "" }, sizeBytes };
}

function checkWhole(kind: string, content: string | undefined, check: ActionCheck): number {
  if (content !== undefined) return checkContent(content, ["content"], check);
  check.add("ERR_CONTENT_REQUIRED", ["content"], `${kind} needs the whole content of the file.`);
  return 0;
}

function checkUpdate({ kind, path, content }: PlanAction, check: ActionCheck): CheckedChange {
  const { version, mode, base, add } = check;
  if (base !== undefined && version > 1) {
    const way = version === 2 ? "PATCH_FILE" : "EDIT_FILE or PATCH_FILE";
    add(
      "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
      ["kind"],
      `In version ${version} a file that exists is changed with ${way}.`,
    );
  } else if (base === undefined && mode === "apply") add(...needsReading(kind));
  else if (base?.isPartial === true)
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      "The file was shown in part or with secrets masked; replacing it would lose the rest. Ask for the whole file.",
    );
  const sizeBytes = checkWhole("UPDATE_FILE", content, check);
  const { text = "", remarks } = updatedText(content ?? "", check) ?? {};
  const base_sha256 = base?.sha256 ?? "";
  return { action: { kind: "UPDATE_FILE", path, content: text, base_sha256, remarks }, sizeBytes };
}

/** The new text in the form of the old one, with the lines that comments stand for. */
function updatedText(content: string, { base, addAll }: ActionCheck): PlacedText | undefined {
  if (base === undefined) return undefined;
  const placed = placeChanges(base.text, "", [{ type: "whole", path: "", content, isWhole: true }]);
  if (!Array.isArray(placed)) return placed;
  addAll(placed, ["content"]);
  return undefined;
}

interface CheckedEdit {
  content: string;
  base_sha256: string;
  remarks?: string[] | undefined;
  sizeBytes: number;
}

function checkEdit(action: PlanAction, check: ActionCheck): CheckedEdit {
  const { base_sha256: hash = "", content } = action;
  const base = check.placed === undefined ? checkBase(action, check) : check.base;
  const placed = check.placed ?? placedIn(base, action, check);
  if (placed === undefined) return { content: content ?? "", base_sha256: hash, sizeBytes: 0 };
  if (!("text" in placed)) {
    check.addAll(placed, []);
    return { content: "", base_sha256: hash, sizeBytes: 0 };
  }
  const { text, added, remarks } = placed;
  const sizeBytes = checkContent(added, [fieldOf(action)], check);
  return {
    content: text,
    base_sha256: hash,
    remarks: remarks.length === 0 ? undefined : remarks,
    sizeBytes,
  };
}

function fieldOf({ patch, edits, content, kind }: PlanAction): "patch" | "edits" | "content" {
  if (content !== undefined && patch === undefined && edits === undefined) return "content";
  return kind === "EDIT_FILE" ? "edits" : "patch";
}

/** The new text by a patch, by edits, or as it was placed earlier. Undefined if the base is not known. */
function placedIn(
  base: ReadFile | undefined,
  action: PlanAction,
  { limits, add }: ActionCheck,
): PlacedText | Issue[] | undefined {
  const { path, to, kind, content, patch = "", edits = [] } = action;
  const field = fieldOf(action);
  if (field === "content") return { text: content ?? "", added: content ?? "", remarks: [] };
  if (field === "edits") {
    if (edits.length === 0)
      add("ERR_EDIT_NO_EDITS", ["edits"], "EDIT_FILE needs at least one edit.");
    if (edits.length > limits.maxEdits)
      add(
        "ERR_TOO_MANY_ACTIONS",
        ["edits"],
        `${edits.length} edits of one file are more than ${limits.maxEdits}.`,
      );
    if (edits.length === 0 || edits.length > limits.maxEdits || base === undefined)
      return undefined;
    return below("edits", placeChanges(base.text, path, [{ type: "replace", path, texts: edits }]));
  }
  if (patch.trim() === "") {
    add("ERR_PATCH_REQUIRED", ["patch"], `${kind} needs a patch: a unified diff of the file.`);
    return undefined;
  }
  const hunks = readPatch(patch, to === undefined ? [path] : [path, to]);
  if (typeof hunks === "string") {
    const message = `The patch ${hunks}. Give a unified diff of this one file.`;
    add("ERR_PATCH_NOT_UNIFIED", ["patch"], message);
    return undefined;
  }
  if (base === undefined) return undefined;
  return below("patch", placeChanges(base.text, path, [{ type: "hunks", path, hunks }]));
}

function below(field: string, placed: PlacedText | Issue[]): PlacedText | Issue[] {
  if (!Array.isArray(placed)) return placed;
  return placed.map((issue) => ({ ...issue, path: [field, ...issue.path] }));
}

/** The file that the change is based on. Undefined if it is not the file that was read. */
function checkBase(action: PlanAction, { base, mode, add }: ActionCheck): ReadFile | undefined {
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
  if (mode === "apply" && base === undefined) add(...needsReading(kind));
  return base?.sha256 === hash ? base : undefined;
}

function needsReading(kind: string): Parameters<ActionCheck["add"]> {
  const message = `${kind} needs the file to be read first. Ask for it with read_file.`;
  return ["ERR_UPDATE_WITHOUT_BASE", ["path"], message];
}
