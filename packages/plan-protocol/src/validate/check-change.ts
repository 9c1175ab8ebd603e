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
 * Checks the text an action would write against its kind and base, and places it in the base. The result is only valid
 * if the check found no issue.
 */
export function checkChange(action: PlanAction, check: ActionCheck): ValidAction {
  const { kind, path, to = "", content = "" } = action;
  if (kind === "CREATE_DIR" || kind === "DELETE_FILE" || kind === "DELETE_DIR")
    return { kind, path };
  if (kind === "CREATE_FILE") {
    checkWhole(action, check);
    checkElision(content, check);
    checkEscapes(action, content, check);
    return { kind, path, content };
  }
  if (kind !== "MOVE_FILE") return { kind, path, ...newTextOf(action, check) };
  if (to === path)
    check.add("ERR_ACTION_CONFLICT", ["to"], `${quote(path)} is moved to its own path.`);
  const isOnlyMoved = check.edits === undefined && (action.patch ?? content).trim() === "";
  return isOnlyMoved ? { kind, path, to } : { kind, path, to, ...newTextOf(action, check) };
}

function checkElision(content: string, check: ActionCheck): void {
  const elision = elisionInNewFile(linesOf(content));
  if (elision !== undefined)
    check.add(
      "ERR_ELISION",
      ["content"],
      `${quote(elision.text)} in line ${elision.line} stands for text left out. Give all of it.`,
    );
}

const ENTITY = /&(?:lt|gt|amp|quot|#0?39);/;
const CODE_FILE =
  /\.(?:[cm]?[jt]s|py|rb|go|rs|java|kts?|c|h|[ch]pp|cs|php|swift|scala|sh|sql|css)$/;
/** Operators of code, escaped, outside of texts and comments. */
const ESCAPED_CODE = /^(?!\s*(?:\/\/|\*|#))[^"'`]*(?:&amp;&amp;|=&gt;|\w&lt;\w| &[lg]t; )/;

/** Rejects text that was escaped as HTML, if the file has the same lines without escapes or holds code. */
function checkEscapes({ path }: PlanAction, added: string, check: ActionCheck): void {
  const base = check.base?.text ?? "";
  if (!ENTITY.test(added) || ENTITY.test(base)) return;
  const known = new Set(linesOf(base));
  const plain = (line: string): string =>
    line.replaceAll(/&(lt|gt|amp|quot|#0?39);/g, (_, name: string) => PLAIN[name] ?? "'");
  const escaped = linesOf(added).find(
    (line) =>
      ENTITY.test(line) &&
      (known.has(plain(line)) || (CODE_FILE.test(path) && ESCAPED_CODE.test(line))),
  );
  if (escaped !== undefined)
    check.add(
      "ERR_EDIT_APPLY_FAILED",
      [],
      `${quote(escaped.trim())} is escaped as HTML. Write < > & and quotes as they are.`,
    );
}

const PLAIN: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** Checks a file's full content. */
function checkWhole({ kind, content }: PlanAction, check: ActionCheck): void {
  if (content === undefined)
    check.add("ERR_CONTENT_REQUIRED", ["content"], `${kind} needs the whole content of the file.`);
  else checkContent(content, ["content"], check);
}

/** Returns an existing file's new text. */
function newTextOf(action: PlanAction, check: ActionCheck): NewText {
  const { kind, path, content = "" } = action;
  const field = fieldOf(action);
  const isWhole = kind === "UPDATE_FILE";
  const isPlaced = field === "content" && !isWhole && check.edits === undefined;
  if (isWhole) checkVersion(check);
  const base = baseOf(action, check);
  if (isWhole) checkWhole(action, check);
  const edits = check.edits ?? (isPlaced ? undefined : editsOf(action, field, check));
  const placed = isPlaced
    ? { text: content, added: content, remarks: [] }
    : place(path, check, { base, edits, field });
  if (placed !== undefined && !isWhole) checkContent(placed.added, [field], check);
  checkEscapes(action, placed?.added ?? "", check);
  const { text = "", remarks = [] } = placed ?? {};
  const base_sha256 = (isWhole ? base?.sha256 : action.base_sha256) ?? "";
  return { content: text, base_sha256, remarks: remarks.length === 0 ? undefined : remarks };
}

type Field = "patch" | "edits" | "content";

function fieldOf({ patch, edits, content, kind }: PlanAction): Field {
  if (content !== undefined && patch === undefined && edits === undefined) return "content";
  if (kind === "UPDATE_FILE") return "content";
  return kind === "EDIT_FILE" ? "edits" : "patch";
}

function checkVersion({ version, base, add }: ActionCheck): void {
  if (base === undefined || version === 1) return;
  const way = version === 2 ? "PATCH_FILE" : "EDIT_FILE or PATCH_FILE";
  add(
    "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
    ["kind"],
    `In version ${version} a file that exists is changed with ${way}.`,
  );
}

/** Returns the file that the change is based on. Undefined if it was not read, or is not the file the action names. */
function baseOf(
  { kind, path, base_sha256: hash = "" }: PlanAction,
  { base, edits, mode, unread, add }: ActionCheck,
): ReadFile | undefined {
  const isStated = edits === undefined && kind !== "UPDATE_FILE";
  if (isStated && !/^[0-9a-f]{64}$/.test(hash))
    add(
      "ERR_BASE_SHA256_INVALID",
      ["base_sha256"],
      `${hash === "" ? "It is missing" : `${quote(hash)} is not a SHA-256`}. ${kind} needs the SHA-256 of the file as it was read.`,
    );
  else if (isStated && base !== undefined && base.sha256 !== hash)
    add(
      "ERR_BASE_MISMATCH",
      ["base_sha256"],
      "This change was written for another version of the file. Read it again.",
    );
  const isWhole = kind === "UPDATE_FILE" || edits?.some(({ type }) => type === "whole") === true;
  if (base === undefined && mode === "apply")
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      unread ?? `${quote(path)} must be read before it is changed. Request it with read_file.`,
    );
  else if (base?.isPartial === true && isWhole)
    add(
      "ERR_UPDATE_WITHOUT_BASE",
      ["path"],
      `${quote(path)} was shown in part or with secrets masked; replacing it would lose the rest. Ask for all of it with read_file, or give an edit.`,
    );
  return isStated && base?.sha256 !== hash ? undefined : base;
}

/** Returns what an action in this package's JSON changes in its file. Undefined if unstated. */
function editsOf(
  action: PlanAction,
  field: Field,
  { limits, add }: ActionCheck,
): EditOfFile[] | undefined {
  const { path, to, kind, content = "", patch = "", edits: texts = [] } = action;
  if (field === "content") return [{ type: "whole", path, content, isWhole: true }];
  if (field === "edits") {
    if (texts.length > 0 && texts.length <= limits.maxEdits)
      return [{ type: "replace", path, texts }];
    if (texts.length === 0)
      add("ERR_EDIT_NO_EDITS", ["edits"], "EDIT_FILE needs at least one edit.");
    else
      add(
        "ERR_TOO_MANY_ACTIONS",
        ["edits"],
        `${texts.length} edits of one file are more than ${limits.maxEdits}.`,
      );
    return undefined;
  }
  if (patch.trim() === "") {
    add("ERR_PATCH_REQUIRED", ["patch"], `${kind} needs a patch: a unified diff of the file.`);
    return undefined;
  }
  const hunks = readPatch(patch, to === undefined ? [path] : [path, to]);
  if (typeof hunks !== "string") return [{ type: "hunks", path, hunks }];
  const message = `The patch ${hunks}. Give a unified diff of this one file.`;
  add("ERR_PATCH_NOT_UNIFIED", ["patch"], message);
  return undefined;
}

/** Places edits in their base. Returns undefined if they do not fit or if either is missing. */
function place(
  path: string,
  check: ActionCheck,
  {
    base,
    edits,
    field,
  }: { base: ReadFile | undefined; edits: readonly EditOfFile[] | undefined; field: Field },
): PlacedText | undefined {
  if (base === undefined || edits === undefined) return undefined;
  const placed = placeChanges(base.text, path, edits);
  if (!Array.isArray(placed)) return placed;
  // Edits in other formats name their own locations.
  if (check.edits === undefined) check.addAll(placed, [field]);
  else
    check.addAll(
      placed.map((issue) => ({ ...issue, path: [] })),
      [],
    );
  return undefined;
}
