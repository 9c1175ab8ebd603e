import { systemCode, unless } from "@ccl/core/node";

import type { EntryStatus, Folder } from "../file-system/folder.ts";
import { readFacts } from "../file-system/read-file.ts";
import { inFolder, splitPath } from "../file-system/in-folder.ts";
import { syncIn, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import { tryLink } from "./back-up.ts";
import {
  emptyParts,
  type Journal,
  mark,
  stateOf,
  type UndoRecord,
  withdrawIntent,
} from "./journal.ts";
import { MAX_TEXT_BYTES } from "./look-at.ts";
import { isSameState } from "./path-state.ts";
import type { Step } from "./step.ts";
import { giveName, giveNameOver, syncFoldersOf } from "./swap-in.ts";

interface Place {
  folder: Folder;
  name: string;
  /** Names the step's files in the journal. */
  key: string;
  isLive: boolean;
}

/** How a transaction is undone. */
export interface UndoOptions {
  /** How many steps may have changed something. Defaults to all. */
  begun?: number | undefined;
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
  options: UndoOptions = {},
): Promise<UndoRecord> {
  const { begun = journal.steps.length, isLive = false, why } = options;
  const keptPaths: string[] = [];
  const { root } = parts;
  for (const [index, step] of [...journal.steps.entries()].slice(0, begun).toReversed())
    if (!(await undoStep(journal, step, { root, key: String(index), isLive })))
      keptPaths.push(step.path);
  await syncIn(parts, journal.moved, journal.taken, journal.written);
  await syncFoldersOf(parts, { steps: journal.steps });
  // On a full disk, this frees the space that the marker needs.
  await emptyParts(journal, keptPaths.length === 0 ? ["staged", "taken"] : ["staged"]);
  const written = await journal.written.list();
  const undone = {
    keptPaths: keptPaths.toReversed(),
    writtenPaths: written.flatMap((key) => journal.steps[Number(key)]?.path ?? []).sort(),
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

/** Returns false if someone else's change is in the way. */
async function undoStep(
  journal: Journal,
  step: Step,
  { root, key, isLive }: { root: Folder; key: string; isLive: boolean },
): Promise<boolean> {
  const { parent, name } = splitPath(step.path);
  try {
    return await inFolder(root, parent, async (folder) => {
      const place: Place = { folder, name, key, isLive };
      if (step.change === "make_folder") return unmakeFolder(journal, place);
      if (step.change === "remove_folder") return remakeFolder(step, place);
      return undoFile(journal, step, place);
    });
  } catch (error) {
    const code = systemCode(error) ?? "";
    // Without its folder there is nothing to undo, unless the step had an old file there.
    if (code === "ENOENT") return step.before === undefined;
    if (code === "ENOTDIR" || code === "ELOOP") return step.change === "make_folder";
    throw error;
  }
}

async function unmakeFolder(
  { checked, written }: Journal,
  { folder, name, key }: Place,
): Promise<boolean> {
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

async function remakeFolder({ before }: Step, { folder, name }: Place): Promise<boolean> {
  const status = await folder.status(name);
  if (status !== undefined && status.kind !== "folder") return false;
  if (status === undefined) await folder.makeFolder(name);
  if (before === undefined || status?.mode === before.mode) return true;
  const created = await folder.openFolder(name);
  try {
    await created.setMode(before.mode);
  } finally {
    await created.close();
  }
  return true;
}

async function undoFile(journal: Journal, step: Step, place: Place): Promise<boolean> {
  const { folder, name, key } = place;
  const status = await folder.status(name);
  if (status === undefined)
    return restore(journal, step, {
      place,
      own: { to: journal.taken, sha256: step.after?.sha256 },
    });
  const { identity, kind } = status;
  const sha256 = (await readOwn(folder, name))?.sha256;
  if (await isOriginal(journal, step, { key, identity, sha256 })) return true;
  const own = await findOwn(journal, step, { key, identity, kind, sha256 });
  if (own === undefined) return false;
  // Left by an interrupted undo, or by a move that a power failure left half done.
  await unless(["ENOENT"], own.to.unlink(key), undefined);
  const source = await oldFileOf(journal, place);
  if (step.before !== undefined && source !== undefined && kind === "file") {
    const isPutBack = await putBack({ place, source, own });
    if (isPutBack !== undefined) return isPutBack;
  }
  await folder.rename(name, own.to, key);
  // Checks the file again after the move, since someone else may have changed it in between.
  return restore(journal, step, { place, own });
}

/** A file that an undo may remove from its path, and the folder it moves to. */
interface OwnFile {
  to: Folder;
  /** Undefined if the content is unchecked. */
  sha256: string | undefined;
}

/** A file at a step's path. */
interface FoundFile {
  key: string;
  identity: string;
  /** Undefined for anything but a regular file. */
  sha256: string | undefined;
}

/**
 * Recognizes the transaction's own file, or what checks replaced it with. Returns undefined if the file is someone
 * else's.
 */
async function findOwn(
  { staged, taken, written, checked }: Journal,
  { after }: Step,
  { key, identity, kind, sha256 }: FoundFile & Pick<EntryStatus, "kind">,
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
async function putBack({
  place: { folder, name, key },
  source,
  own,
}: {
  place: Place;
  source: Folder;
  own: OwnFile;
}): Promise<boolean | undefined> {
  if (!(await tryLink(folder.link(name, own.to, key)))) return undefined;
  const taken = await own.to.status(key);
  const isOwn = async (): Promise<boolean> => (await readOwn(own.to, key))?.sha256 === own.sha256;
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

async function oldFileOf(journal: Journal, { key }: Place): Promise<Folder | undefined> {
  if ((await journal.moved.status(key)) !== undefined) return journal.moved;
  return (await journal.backups.status(key)) === undefined ? undefined : journal.backups;
}

/** Moves the old file to its path if that is free, or the new file if someone else changed it. */
async function restore(
  journal: Journal,
  step: Step,
  { place, own }: { place: Place; own: OwnFile },
): Promise<boolean> {
  const { key } = place;
  const taken = await readOwn(own.to, key);
  const isTheirs = taken !== undefined && taken.sha256 !== own.sha256;
  if (isTheirs) {
    await unless(["EEXIST"], giveName(own.to, key, place), undefined);
    return false;
  }
  const source = await oldFileOf(journal, place);
  const isDeletedByOthers = place.isLive && source !== journal.moved && step.before !== undefined;
  if (isDeletedByOthers) return false;
  if (source === undefined) return true;
  return unless(
    ["EEXIST"],
    giveName(source, key, place).then(() => true),
    false,
  );
}

/** True if the old file itself, or a file with its exact content, is at its path. */
async function isOriginal(
  { backups, moved }: Journal,
  { before }: Step,
  { key, identity, sha256 }: FoundFile,
): Promise<boolean> {
  if (before === undefined || sha256 === undefined) return false;
  if (sha256 === before.sha256) return true;
  const kept = [await backups.status(key), await moved.status(key)];
  return kept.some((status) => status?.identity === identity);
}

async function readOwn(folder: Folder, name: string): Promise<{ sha256: string } | undefined> {
  return unless(["ENOENT"], readFacts(folder, name, MAX_TEXT_BYTES), undefined);
}
