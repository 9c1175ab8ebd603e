import { applyEdits } from "../edit/apply-edits.ts";
import { applyPatch } from "../patch/apply-patch.ts";
import type { PlanAction } from "../plan/plan.ts";
import { type PlanIssue, quote } from "../plan-issue.ts";
import type { ReadFile, ReadSet } from "../validate/valid-plan.ts";
import { type ChangeHunk, type FileChange, linesOf, type TextChange } from "./file-change.ts";
import { nearestLines } from "./nearest-lines.ts";
import { type LineReplacement, placeHunks } from "./place-change.ts";
import { placeText } from "./place-text.ts";
import { splitHunks } from "./read-unified-diff.ts";
import { renderPatch, splitWithEnds } from "./render-patch.ts";

const MARK = "\ufeff";
const MAX_PLACES = 400;
/** A shorter file may lose more than half of its lines. */
const MIN_LINES = 20;

/** Actions in their order, and why some can't be applied; paths of issues begin with `actions` and an index. */
export interface PlacedActions {
  /** One that has no place stands here too, so that its path is checked. */
  actions: PlanAction[];
  unplaced: PlanIssue[];
}

/** The actions of a plan that make the changes, each edit placed in the file as it was read. */
export function actionsOf(
  changes: readonly FileChange[],
  readSet: ReadSet,
  unread?: ReadonlyMap<string, string>,
): PlacedActions {
  return collect(changes, (change) => [
    readChange(change, readSet, unread),
    { kind: "PATCH_FILE", path: change.path },
  ]);
}

/** The actions of a plan in this package's own JSON, with hashes filled in and edits with slips placed. */
export function placedActions(actions: readonly PlanAction[], readSet: ReadSet): PlacedActions {
  return collect(actions, (action) => [placedAction(action, readSet.get(action.path)), action]);
}

function collect<Item>(
  items: readonly Item[],
  place: (item: Item) => [PlanAction | PlanIssue, PlanAction],
): PlacedActions {
  const unplaced: PlanIssue[] = [];
  const actions = items.map((item, index) => {
    const [placed, otherwise] = place(item);
    if (!("code" in placed)) return placed;
    unplaced.push({ ...placed, path: ["actions", index] });
    return otherwise;
  });
  return { actions, unplaced };
}

function placedAction(action: PlanAction, base: ReadFile | undefined): PlanAction | PlanIssue {
  const { path, patch, edits, base_sha256: stated } = action;
  const isEdit = patch !== undefined || edits !== undefined;
  if (!isEdit || base === undefined) return action;
  const filled = { ...action, base_sha256: stated ?? base.sha256 };
  if (filled.base_sha256 !== base.sha256 || base.text === undefined) return filled;
  const file = fileOf(base.text);
  if (patch !== undefined) {
    if (applyPatch(base.text, patch).ok) return filled;
    const lines = linesOf(patch);
    const hunks = splitHunks(
      lines.slice(
        Math.max(
          0,
          lines.findIndex((line) => line.startsWith("@@")),
        ),
      ),
    );
    if (typeof hunks === "string" || hunks.length === 0) return filled;
    const placed = asPatch(path, base, placedHunks(file, path, hunks));
    return "code" in placed ? placed : { ...filled, patch: placed.patch };
  }
  if (edits === undefined || applyEdits(base.text, edits).ok) return filled;
  // What an anchor is near to can't be placed by lines alone.
  if (edits.some(({ anchor }) => anchor !== undefined)) return filled;
  return asPatch(path, base, placedTexts(file, path, edits));
}

function readChange(
  change: FileChange,
  readSet: ReadSet,
  unread: ReadonlyMap<string, string> | undefined,
): PlanAction | PlanIssue {
  const { path } = change;
  const base = readSet.get(path);
  if (change.type === "create" || (change.type === "whole" && base === undefined))
    return { kind: "CREATE_FILE", path, content: change.content };
  if (change.type === "delete") return { kind: "DELETE_FILE", path };
  const to = change.type === "hunks" ? change.movedTo : undefined;
  if (to !== undefined && change.type === "hunks" && change.hunks.length === 0)
    return { kind: "MOVE_FILE", path, to };
  if (base?.text === undefined)
    return {
      code: "ERR_UPDATE_WITHOUT_BASE",
      path: [],
      message:
        unread?.get(path) ??
        `${quote(path)} was not shown in full. Ask for it with read_file before you change it.`,
    };
  const file = fileOf(base.text);
  const count =
    change.type === "replace"
      ? change.texts.length
      : change.type === "hunks"
        ? change.hunks.length
        : 0;
  if (count > MAX_PLACES)
    return {
      code: "ERR_TOO_MANY_ACTIONS",
      path: [],
      message: `${count} edits of ${quote(path)} are more than ${MAX_PLACES}. Give the whole file.`,
    };
  if (change.type === "whole") {
    if (base.isPartial === true)
      return {
        code: "ERR_UPDATE_WITHOUT_BASE",
        path: [],
        message: `${quote(path)} was shown in part or with secrets masked; replacing it would lose the rest. Ask for it with read_file, or give an edit.`,
      };
    const lines = linesOf(change.content);
    // A snippet under its file's name looks like a whole file.
    if (file.bare.length > MIN_LINES && lines.length < file.bare.length / 2)
      return {
        code: "ERR_ELISION",
        path: [],
        message: `${quote(path)} has ${file.bare.length} lines, of which ${lines.length} are given. Give the whole file, or an edit of it.`,
      };
    return asPatch(path, base, [{ start: 0, end: file.bare.length, lines }]);
  }
  const placed =
    change.type === "replace"
      ? placedTexts(file, path, change.texts)
      : placedHunks(file, path, change.hunks);
  const patched = asPatch(path, base, placed);
  return to === undefined || "code" in patched ? patched : { ...patched, kind: "MOVE_FILE", to };
}

/** A file by its lines: as they stand, and without their ends. */
interface FileLines {
  whole: string[];
  bare: string[];
}

function fileOf(text: string): FileLines {
  const whole = splitWithEnds(text);
  const bare = whole.map((line, index) => {
    const start = index === 0 && line.startsWith(MARK) ? 1 : 0;
    return line.slice(start).replace(/\r?\n$/, "");
  });
  return { whole, bare };
}

function placedHunks(
  file: FileLines,
  path: string,
  hunks: readonly ChangeHunk[],
): LineReplacement[] | PlanIssue {
  const placed = placeHunks(file.bare, hunks);
  if (Array.isArray(placed)) return placed;
  const hunk = hunks[placed.hunk];
  const old = hunk?.lines.filter(({ mark }) => mark !== "+").map(({ text }) => text) ?? [];
  const name = `Hunk ${placed.hunk + 1} of ${hunks.length} for ${quote(path)}`;
  return unplaced("ERR_PATCH_APPLY_FAILED", name, { file, old, reason: placed.reason });
}

function placedTexts(
  file: FileLines,
  path: string,
  texts: readonly TextChange[],
): LineReplacement[] | PlanIssue {
  const found: LineReplacement[] = [];
  for (const [index, change] of texts.entries()) {
    const place = placeText(file.bare, change);
    const name = `Edit ${index + 1} of ${texts.length} for ${quote(path)}`;
    if (place === "ambiguous" || place === "missing") {
      const code = place === "missing" ? "ERR_EDIT_BEFORE_NOT_FOUND" : "ERR_EDIT_AMBIGUOUS";
      return unplaced(code, name, { file, old: linesOf(change.before), reason: place });
    }
    found.push(...place);
  }
  found.sort((a, b) => a.start - b.start);
  const clash = found.findIndex((one, index) => one.start < (found[index - 1]?.end ?? 0));
  return clash < 0
    ? found
    : {
        code: "ERR_EDIT_APPLY_FAILED",
        path: [],
        message: `Two edits of ${quote(path)} change line ${(found[clash]?.start ?? 0) + 1}. Give one edit for both.`,
      };
}

function unplaced(
  code: PlanIssue["code"],
  name: string,
  { file, old, reason }: { file: FileLines; old: string[]; reason: string },
): PlanIssue {
  if (reason === "ambiguous")
    return {
      code,
      path: [],
      message: `${name} fits in more than one place. Give more lines above and below it, so that they stand only once.`,
    };
  if (reason === "unchecked")
    return {
      code,
      path: [],
      message: `${name} has no line of the file. Give lines above and below it.`,
    };
  const near = nearestLines(file.bare, old);
  const shown = near === "" ? "" : ` The nearest lines are:\n${near}\n`;
  return {
    code,
    path: [],
    message: `${name} does not stand in the file.${shown} Send its old lines exactly as they stand there.`,
  };
}

/** New lines take the line end of the line above them. */
function withEnds(file: FileLines, { start, end, lines }: LineReplacement): LineReplacement {
  const last = file.whole.at(-1) ?? "\n";
  const isOpenEnd = file.whole.length > 0 && !last.endsWith("\n");
  const hasMark = file.whole[0]?.startsWith(MARK) === true;
  const from = isOpenEnd && start === file.whole.length ? start - 1 : start;
  // What stands above the first line takes its byte order mark, so that line is written again.
  const to = hasMark && end === 0 ? 1 : end;
  const above = from < start ? [file.bare[from] ?? ""] : [];
  const all = [...above, ...lines, ...(to > end ? [file.bare[0] ?? ""] : [])];
  const model = file.whole[Math.max(0, from - 1)] ?? "\n";
  const lineEnd = model.endsWith("\r\n") ? "\r\n" : "\n";
  const ended = all.map((line, index) => {
    const mark = index === 0 && from === 0 && hasMark ? MARK : "";
    const isLast = isOpenEnd && to === file.whole.length && index === all.length - 1;
    return mark + line + (isLast ? "" : lineEnd);
  });
  return { start: from, end: to, lines: ended };
}

function asPatch(
  path: string,
  base: ReadFile,
  placed: LineReplacement[] | PlanIssue,
): PlanAction | PlanIssue {
  if (!Array.isArray(placed)) return placed;
  const file = fileOf(base.text ?? "");
  const patch = renderPatch(
    file.whole,
    placed.map((one) => withEnds(file, one)),
  );
  return patch === undefined
    ? {
        code: "ERR_PATCH_APPLY_FAILED",
        path: [],
        message: `${quote(path)} is changed to what it is already. Leave it out.`,
      }
    : { kind: "PATCH_FILE", path, patch, base_sha256: base.sha256 };
}
