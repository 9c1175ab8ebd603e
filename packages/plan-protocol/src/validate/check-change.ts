import { applyEdits } from "../edit/apply-edits.ts";
import { applyPatch } from "../patch/apply-patch.ts";
import { type Hunk, parsePatch } from "../patch/parse-patch.ts";
import type { PlanAction } from "../plan/plan.ts";
import { quote } from "../plan-issue.ts";
import type { ActionCheck } from "./action-check.ts";
import { checkContent } from "./check-content.ts";
import type { ValidAction } from "./valid-plan.ts";

/** An action in its checked form, which is right if the check found no issue, and its size. */
export interface CheckedChange {
  action: ValidAction;
  sizeBytes: number;
}

/** Checks what an action would write against its kind and its base. */
export function checkChange(action: PlanAction, check: ActionCheck): CheckedChange {
  const { kind, path } = action;
  if (kind === "PATCH_FILE") {
    const { sizeBytes, ...patch } = checkPatch(action, check);
    return { action: { kind, path, ...patch }, sizeBytes };
  }
  if (kind === "EDIT_FILE") return checkEdits(action, check);
  if (kind === "MOVE_FILE") return checkMove(action, check);
  if (kind !== "CREATE_FILE" && kind !== "UPDATE_FILE")
    return { action: { kind, path }, sizeBytes: 0 };
  if (kind === "UPDATE_FILE") checkUpdate(check);
  const { content } = action;
  if (content === undefined)
    check.add("ERR_CONTENT_REQUIRED", ["content"], `${kind} needs the whole content of the file.`);
  const sizeBytes =
    content === undefined ? 0 : checkContent([{ text: content, at: ["content"] }], check);
  return { action: { kind, path, content: content ?? "" }, sizeBytes };
}

function checkMove(action: PlanAction, check: ActionCheck): CheckedChange {
  const { path, to = "", patch } = action;
  if (to === path)
    check.add("ERR_ACTION_CONFLICT", ["to"], `${quote(path)} is moved to where it is already.`);
  if (patch === undefined || patch.trim() === "")
    return { action: { kind: "MOVE_FILE", path, to }, sizeBytes: 0 };
  const { sizeBytes, base_sha256 } = checkPatch(action, check);
  return { action: { kind: "MOVE_FILE", path, to, patch, base_sha256 }, sizeBytes };
}

function checkUpdate({ version, mode, base, add }: ActionCheck): void {
  if (base !== undefined && version > 1) {
    const way = version === 2 ? "PATCH_FILE" : "EDIT_FILE or PATCH_FILE";
    add(
      "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
      ["kind"],
      `In version ${version} a file that exists is changed with ${way}.`,
    );
  } else if (base === undefined && mode === "apply")
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      "UPDATE_FILE needs the file to be read first. Ask for it with read_file.",
    );
  else if (base?.isPartial === true)
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      "The file was shown in part or with secrets masked; replacing it would lose the rest. Ask for the whole file.",
    );
}

interface CheckedPatch {
  patch: string;
  base_sha256: string;
  sizeBytes: number;
}

function checkPatch(action: PlanAction, check: ActionCheck): CheckedPatch {
  const { path, patch = "" } = action;
  const base_sha256 = checkBase(action, check);
  if (patch.trim() === "") {
    check.add(
      "ERR_PATCH_REQUIRED",
      ["patch"],
      "PATCH_FILE needs a patch: a unified diff of the file.",
    );
    return { patch, base_sha256, sizeBytes: 0 };
  }
  const hunks = parsePatch(patch, path);
  const added = hunks.ok ? addedLines(hunks.value) : "";
  const sizeBytes = checkContent([{ text: patch, added, at: ["patch"] }], check);
  const text = knownText(check, base_sha256);
  if (!hunks.ok) check.addAll(hunks.issues, ["patch"]);
  else if (text !== undefined) {
    const patched = applyPatch(text, patch);
    if (!patched.ok) check.addAll(patched.issues, ["patch"]);
  }
  return { patch, base_sha256, sizeBytes };
}

function checkEdits(action: PlanAction, check: ActionCheck): CheckedChange {
  const { path, edits = [] } = action;
  const base_sha256 = checkBase(action, check);
  const { maxEdits } = check.limits;
  if (edits.length === 0)
    check.add("ERR_EDIT_NO_EDITS", ["edits"], "EDIT_FILE needs at least one edit.");
  if (edits.length > maxEdits)
    check.add(
      "ERR_TOO_MANY_ACTIONS",
      ["edits"],
      `${edits.length} edits of one file are more than ${maxEdits}.`,
    );
  const texts = edits.map((edit, index) => ({ text: edit.after, at: ["edits", index, "after"] }));
  const sizeBytes = checkContent(texts, check);
  const text = knownText(check, base_sha256);
  if (edits.length > 0 && edits.length <= maxEdits && text !== undefined) {
    const edited = applyEdits(text, edits);
    if (!edited.ok) check.addAll(edited.issues, ["edits"]);
  }
  return { action: { kind: "EDIT_FILE", path, base_sha256, edits }, sizeBytes };
}

function addedLines(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind === "added"));
  return lines.map((line) => line.text).join("\n");
}

/** The hash of the file that the change is based on. */
function checkBase(action: PlanAction, { base, mode, add }: ActionCheck): string {
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
  if (mode === "apply" && base === undefined)
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      `${kind} needs the file to be read first. Ask for it with read_file.`,
    );
  return hash;
}

/** The file's text, where it is known and the one that the change is based on. */
function knownText({ base }: ActionCheck, hash: string): string | undefined {
  return base?.sha256 === hash ? base.text : undefined;
}
