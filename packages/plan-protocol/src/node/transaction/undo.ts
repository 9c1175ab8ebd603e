import type { Issue } from "@ccl/core";
import { systemCode, unless } from "@ccl/core/node";

import { planIssue, quote } from "../../plan-issue.ts";
import type { UndoRecord } from "../../workspace/file-workspace.ts";
import type { EntryStatus, Folder } from "../file-system/folder.ts";
import { atPath } from "../file-system/in-folder.ts";
import { MAX_TEXT_BYTES } from "../file-system/look-at.ts";
import { readFacts } from "../file-system/read-file.ts";
import { syncIn, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import { tryLink } from "./back-up.ts";
import { emptyParts, type Journal, mark, stateOf, withdrawIntent } from "./journal.ts";
import { isSameState } from "./path-state.ts";
import type { Step } from "./step.ts";
import { giveName, giveNameOver, syncFoldersOf } from "./swap-in.ts";

/** Returns the issues for paths that an undo left alone. */
export async function keptIssues(journal: Journal, keptPaths: readonly string[]): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const step of journal.steps.filter(({ path }) => keptPaths.includes(path))) {
    const hasOldFile = step.before !== undefined && step.change !== "remove_folder";
    const old = !hasOldFile
      ? ""
      : (await oldFileOf({ journal, step })) === undefined
        ? " Its old file was removed from the journal, so it cannot be restored."
        : " The journal keeps its old file.";
    const message = `${quote(step.path)} was changed in the meantime, by a check or another program, and stays as it is.${old}`;
    issues.push(planIssue("CONCURRENT_EDIT", message, [step.path]));
  }
  return issues;
}

/** How a transaction is undone. */
export interface UndoOptions {
  /**
   * True if there has been no power failure since. Then an old file that is neither in place nor moved out was deleted
   * by someone else, and stays deleted. Default false: the file is restored.
   */
  isLive?: boolean | undefined;
  /** The reason, stored with the marker. */
  why?: string | undefined;
}

/**
 * Undoes whatever a transaction has done, last change first, and marks it as rolled back. Can be rerun after any
 * interruption. Files written by checks are moved to the journal. Paths that someone else changed are left alone, and
 * the journal keeps their old files.
 */
export async function undo(
  parts: WorkspaceParts,
  journal: Journal,
  { isLive = false, why }: UndoOptions = {},
): Promise<UndoRecord> {
  const { steps, begun, moved, taken } = journal;
  const keptPaths: string[] = [];
  for (const step of steps.slice(0, begun).toReversed())
    if (!(await undoStep(parts.root, journal, step, isLive))) keptPaths.push(step.path);
  await syncIn(parts, moved, taken, journal.written);
  await syncFoldersOf(parts, steps);
  // On a full disk, this frees the space that the marker needs.
  await emptyParts(journal, keptPaths.length === 0 ? ["staged", "taken"] : ["staged"]);
  const written = await journal.written.list();
  const undone = {
    keptPaths: keptPaths.toReversed(),
    writtenPaths: written.flatMap((key) => steps[Number(key)]?.path ?? []).sort(),
    why,
  };
  await markUndone(parts, journal, undone);
  if (keptPaths.length === 0) await emptyParts(journal, ["moved", "backups"]);
  return undone;
}

async function markUndone(
  parts: WorkspaceParts,
  journal: Journal,
  undone: UndoRecord,
): Promise<void> {
  try {
    await mark(parts, journal, "rolled_back", undone);
  } catch (error) {
    const isFull = ["ENOSPC", "EDQUOT"].includes(systemCode(error) ?? "");
    // Removing the intent needs no space, and loses nothing: the tree is back in its old state.
    if (!isFull || undone.keptPaths.length > 0 || (await stateOf(journal.folder)) !== "intent")
      throw error;
    await withdrawIntent(parts, journal);
  }
}

/** A step to undo, and the open folder that its path is in. */
interface StepPlace {
  journal: Journal;
  step: Step;
  folder: Folder;
  name: string;
  isLive: boolean;
}

/** Returns false if someone else's change is in the way. */
async function undoStep(
  root: Folder,
  journal: Journal,
  step: Step,
  isLive: boolean,
): Promise<boolean> {
  try {
    return await atPath(root, step.path, async (folder, name) => {
      const place: StepPlace = { journal, step, folder, name, isLive };
      if (step.change === "make_folder") return unmakeFolder(place);
      if (step.change === "remove_folder") return remakeFolder(place);
      return undoFile(place);
    });
  } catch (error) {
    const code = systemCode(error) ?? "";
    // Without its folder there is nothing to undo, unless the step had an old file there.
    if (code === "ENOENT") return step.before === undefined;
    if (code === "ENOTDIR" || code === "ELOOP") return step.change === "make_folder";
    throw error;
  }
}

async function unmakeFolder({
  journal: { checked, written },
  step: { key },
  folder,
  name,
}: StepPlace): Promise<boolean> {
  const removed = folder.removeFolder(name).then(() => true);
  if (await unless(["ENOTEMPTY", "EEXIST", "ENOTDIR"], unless(["ENOENT"], removed, true), false))
    return true;
  if (checked === undefined || (await written.status(key)) !== undefined) return false;
  const opened = await unless(["ENOTDIR"], folder.openFolder(name), undefined);
  const names = (await opened?.list().finally(() => opened.close())) ?? [];
  const isTheirs = !checked.isOver || isSameState({ names: names.sort() }, checked.written[key]);
  if (isTheirs) await folder.rename(name, written, key);
  return isTheirs;
}

async function remakeFolder({ step: { before }, folder, name }: StepPlace): Promise<boolean> {
  const status = await folder.status(name);
  if (status !== undefined && status.kind !== "folder") return false;
  if (status === undefined) await folder.makeFolder(name);
  if (before === undefined || status?.mode === before.mode) return true;
  const created = await folder.openFolder(name);
  await created.setMode(before.mode).finally(() => created.close());
  return true;
}

async function undoFile(place: StepPlace): Promise<boolean> {
  const { journal, step, folder, name } = place;
  const status = await folder.status(name);
  if (status === undefined)
    return restore(place, { to: journal.taken, sha256: step.after?.sha256 });
  const found = { ...status, sha256: await hashAt(folder, name) };
  if (await isOriginal(place, found)) return true;
  const own = await findOwn(place, found);
  if (own === undefined) return false;
  // Left by an interrupted undo, or by a move that a power failure left half done.
  await unless(["ENOENT"], own.to.unlink(step.key), undefined);
  const source = await oldFileOf(place);
  if (source !== undefined && status.kind === "file") {
    const isPutBack = await putBack(place, source, own);
    if (isPutBack !== undefined) return isPutBack;
  }
  await folder.rename(name, own.to, step.key);
  // Checks the file again after the move, since someone else may have changed it in between.
  return restore(place, own);
}

/** A file that an undo may remove from its path, and the folder it moves to. */
interface OwnFile {
  to: Folder;
  /** Undefined if the content is unchecked. */
  sha256: string | undefined;
}

/** An entry at a step's path. The hash is undefined for anything but a regular file. */
type FoundFile = Pick<EntryStatus, "kind" | "identity"> & { sha256: string | undefined };

/**
 * Recognizes the transaction's own file, or what checks replaced it with. Returns undefined if the file is someone
 * else's.
 */
async function findOwn(
  { journal: { staged, taken, written, checked }, step: { key, after } }: StepPlace,
  { identity, kind, sha256 }: FoundFile,
): Promise<OwnFile | undefined> {
  if (sha256 !== undefined && sha256 === after?.sha256) {
    const own = await staged.status(key);
    if (own === undefined || own.identity === identity) return { to: taken, sha256 };
  }
  if (checked === undefined) return undefined;
  // The journal already holds another file for this step, which must not be lost.
  const earlier = await written.status(key);
  if (earlier !== undefined && earlier.identity !== identity) return undefined;
  const known = checked.written[key] ?? after;
  const isKnown =
    sha256 !== undefined && known !== undefined && "sha256" in known && known.sha256 === sha256;
  const isTheirs = isKnown || (!checked.isOver && (kind === "file" || kind === "link"));
  return isTheirs ? { to: written, sha256 } : undefined;
}

/** Replaces the new file with the old one, so the path always has a file. Returns undefined without hard links. */
async function putBack(
  { step: { key }, folder, name }: StepPlace,
  source: Folder,
  own: OwnFile,
): Promise<boolean | undefined> {
  if (!(await tryLink(folder.link(name, own.to, key)))) return undefined;
  const taken = await own.to.status(key);
  const isOwn = async (): Promise<boolean> => (await hashAt(own.to, key)) === own.sha256;
  if (taken === undefined || !(await isOwn())) return false;
  const { identity } = taken;
  const isDone = await unless(
    ["ESTALE", "ENOENT"],
    giveNameOver(source, key, { folder, name, identity }).then(() => true),
    false,
  );
  if (!isDone || (await isOwn())) return isDone;
  // Someone else wrote to the file in between, so it goes back.
  const put = await folder.status(name);
  if (put !== undefined) await giveNameOver(own.to, key, { folder, name, identity: put.identity });
  return false;
}

async function oldFileOf({
  journal: { moved, backups },
  step: { key },
}: Pick<StepPlace, "journal" | "step">): Promise<Folder | undefined> {
  if ((await moved.status(key)) !== undefined) return moved;
  return (await backups.status(key)) === undefined ? undefined : backups;
}

/** Moves the old file to its path if that is free, or the new file if someone else changed it. */
async function restore(place: StepPlace, own: OwnFile): Promise<boolean> {
  const { key, before } = place.step;
  const taken = await hashAt(own.to, key);
  if (taken !== undefined && taken !== own.sha256) {
    await unless(["EEXIST"], giveName(own.to, key, place), undefined);
    return false;
  }
  const source = await oldFileOf(place);
  const isDeletedByOthers = place.isLive && source !== place.journal.moved && before !== undefined;
  if (isDeletedByOthers) return false;
  if (source === undefined) return true;
  const named = giveName(source, key, place).then(() => true);
  return unless(["EEXIST"], named, false);
}

/** True if the old file itself, or a file with its exact content, is at its path. */
async function isOriginal(
  { journal: { backups, moved }, step: { key, before } }: StepPlace,
  { identity, sha256 }: FoundFile,
): Promise<boolean> {
  if (before === undefined || sha256 === undefined) return false;
  if (sha256 === before.sha256) return true;
  const kept = [await backups.status(key), await moved.status(key)];
  return kept.some((status) => status?.identity === identity);
}

/** Returns a regular file's hash. Undefined for other kinds of entry, and if there is none. */
async function hashAt(folder: Folder, name: string): Promise<string | undefined> {
  const facts = await unless(["ENOENT"], readFacts(folder, name, MAX_TEXT_BYTES), undefined);
  return facts?.sha256;
}
