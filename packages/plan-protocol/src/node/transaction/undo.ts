import { systemCode, unless } from "@ccl/core/node";

import type { EntryStatus, Folder } from "../file-system/folder.ts";
import { readFacts } from "../file-system/read-file.ts";
import { splitPath, type Tree, withTree } from "../file-system/tree.ts";
import { syncIn, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import { hasLinked } from "./back-up.ts";
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
  /** Of what the journal keeps for the step. */
  key: string;
  isLive: boolean;
}

/** What is known of a transaction that is to be undone. */
export interface UndoOptions {
  /** How many of its steps may have changed something; default all. */
  begun?: number | undefined;
  /**
   * True where no power was lost since: an old file that is neither in its place nor moved out was then deleted by
   * someone else. Default false: it comes back.
   */
  isLive?: boolean | undefined;
  /** Written down with the mark. */
  why?: string | undefined;
}

/**
 * Takes back what a transaction did, as far as it got, last change first, and marks it as rolled back. May be run again
 * after any interruption. What checks wrote is taken into the journal. Paths that someone else has changed are not touched,
 * and their old files stay in the journal.
 */
export async function undo(
  parts: WorkspaceParts,
  journal: Journal,
  options: UndoOptions = {},
): Promise<UndoRecord> {
  const { begun = journal.steps.length, isLive = false, why } = options;
  const keptPaths: string[] = [];
  await withTree(parts.root, async (tree) => {
    for (const [index, step] of [...journal.steps.entries()].slice(0, begun).toReversed())
      if (!(await undoStep(journal, step, { tree, key: String(index), isLive })))
        keptPaths.push(step.path);
    await syncIn(parts, journal.moved, journal.taken, journal.written);
  });
  // By a new walk: folders that were created again are others than those that were open.
  await withTree(parts.root, (tree) => syncFoldersOf(parts, tree, { steps: journal.steps }));
  // On a full disk this makes the room that the mark needs.
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
    await mark(parts, journal, { state: "rolled_back", undone });
  } catch (error) {
    const isFull = ["ENOSPC", "EDQUOT"].includes(systemCode(error) ?? "");
    // Taking the intent away needs no room, and nothing is lost with it: the tree is as it was before.
    if (!isFull || undone.keptPaths.length > 0 || (await stateOf(journal.folder)) !== "intent")
      throw error;
    await withdrawIntent(parts, journal);
  }
}

/** False where someone else's change is in the way. */
async function undoStep(
  journal: Journal,
  step: Step,
  { tree, key, isLive }: { tree: Tree; key: string; isLive: boolean },
): Promise<boolean> {
  const { parent, name } = splitPath(step.path);
  try {
    return await tree.inFolder(parent, async (folder) => {
      const place: Place = { folder, name, key, isLive };
      if (step.change === "make_folder") return unmakeFolder(journal, place);
      if (step.change === "remove_folder") return remakeFolder(step, place);
      return undoFile(journal, step, place);
    });
  } catch (error) {
    const code = systemCode(error) ?? "";
    // Without its folder there is nothing to take back but an old file that had its place there.
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
  if (status === undefined) return restore(journal, step, { place, own: ownOf(journal, step) });
  if (await isOriginal(journal, step, { status, place })) return true;
  const own = await findOwn(journal, step, { status, place });
  if (own === undefined) return false;
  // Of an undo that was interrupted, or of a move that a power cut left there by half.
  await unless(["ENOENT"], own.to.unlink(key), undefined);
  const source = await oldFileOf(journal, place);
  if (step.before !== undefined && source !== undefined && status.kind === "file") {
    const isPutBack = await putBack({ place, source, own });
    if (isPutBack !== undefined) return isPutBack;
  }
  await folder.rename(name, own.to, key);
  // What was taken is looked at again: the file may have become someone else's in between.
  return restore(journal, step, { place, own });
}

/** What stands at a path and may be taken away, and where it goes. */
interface OwnFile {
  to: Folder;
  /** Undefined for what is not looked at. */
  sha256: string | undefined;
}

function ownOf({ taken }: Journal, { after }: Step): OwnFile {
  return { to: taken, sha256: after?.sha256 };
}

/** The transaction's own file, or what checks turned it into; undefined where it is someone else's. */
async function findOwn(
  journal: Journal,
  step: Step,
  { status, place }: { status: EntryStatus; place: Place },
): Promise<OwnFile | undefined> {
  if (await isOurs(journal, step, { status, place })) return ownOf(journal, step);
  const { written, checked } = journal;
  if (checked === undefined) return undefined;
  // A text that was taken before is not given up for another one.
  const earlier = await written.status(place.key);
  if (earlier !== undefined && earlier.identity !== status.identity) return undefined;
  const sha256 = (await readOwn(place.folder, place.name))?.sha256;
  const known = checked.written[place.key] ?? step.after;
  const isKnown =
    sha256 !== undefined && known !== undefined && "sha256" in known && known.sha256 === sha256;
  const isTheirs = isKnown || (!checked.isOver && ["file", "link"].includes(status.kind));
  return isTheirs ? { to: written, sha256 } : undefined;
}

/** Puts the old file over the new one, so that the path is never without; undefined where the system has no second names. */
async function putBack({
  place: { folder, name, key },
  source,
  own,
}: {
  place: Place;
  source: Folder;
  own: OwnFile;
}): Promise<boolean | undefined> {
  if (!(await hasLinked(folder.link(name, own.to, key)))) return undefined;
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
  // Someone wrote into it in between: that is theirs.
  const put = await folder.status(name);
  if (put !== undefined) await giveNameOver(own.to, key, { folder, name, identity: put.identity });
  return false;
}

async function oldFileOf(journal: Journal, { key }: Place): Promise<Folder | undefined> {
  if ((await journal.moved.status(key)) !== undefined) return journal.moved;
  return (await journal.backups.status(key)) === undefined ? undefined : journal.backups;
}

/** Puts the old file, or what others turned the new one into, to a name that is free. */
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

/** True where the old file itself, or its exact content, stands in its place. */
async function isOriginal(
  journal: Journal,
  { before }: Step,
  { status, place }: { status: EntryStatus; place: Place },
): Promise<boolean> {
  if (before === undefined || status.kind !== "file") return false;
  const backup = await journal.backups.status(place.key);
  const moved = await journal.moved.status(place.key);
  if (status.identity === backup?.identity || status.identity === moved?.identity) return true;
  if (status.sizeBytes !== before.sizeBytes) return false;
  return (await readOwn(place.folder, place.name))?.sha256 === before.sha256;
}

/** True where the transaction's new file stands there as it was written. */
async function isOurs(
  journal: Journal,
  { after }: Step,
  { status, place }: { status: EntryStatus; place: Place },
): Promise<boolean> {
  if (status.kind !== "file" || after === undefined || status.sizeBytes !== after.sizeBytes)
    return false;
  const staged = await journal.staged.status(place.key);
  if (staged !== undefined && staged.identity !== status.identity) return false;
  return (await readOwn(place.folder, place.name))?.sha256 === after.sha256;
}

async function readOwn(folder: Folder, name: string): Promise<{ sha256: string } | undefined> {
  return unless(["ENOENT"], readFacts(folder, name, MAX_TEXT_BYTES), undefined);
}
