import { mkdir, readFile, rm, rmdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";

import { unless, writeFileDurable } from "@ccl/core/node";
import { arrayAt, isRecord, parseJson } from "@ccl/core/json";
import { createTwoFilesPatch } from "diff";

import { inStateFolder, stateFolder } from "../artifact-folder.ts";
import { CliError, usageError } from "../cli-error.ts";
import { ask, canAsk } from "../output/ask.ts";
import type { CommandResult, Session } from "../session.ts";
import type { ClientSettings } from "./client-settings.ts";
import { emptyPaths } from "./json-text.ts";

/** Flags of commands that change settings. */
export interface SettingsFlags {
  project?: boolean | undefined;
  yes?: boolean | undefined;
  show?: boolean | undefined;
}

interface SettingsChange {
  isRemoval: boolean;
  /** The command that undoes the change. */
  undo: string;
  flags: SettingsFlags;
}

interface FileChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
  /** Paths of members that were empty before, or text or a folder after its mark. Removing ccl restores them. */
  empty?: readonly string[] | undefined;
}

/** Marks the stored text of a file that held no settings. */
const blankMark = "text:";
/** Marks the first folder that was created for a file. */
const folderMark = "folder:";

/** Adds ccl to settings, or removes it, after the user has seen every change. */
export async function changeSettings(
  session: Session,
  all: readonly ClientSettings[],
  { isRemoval, undo, flags }: SettingsChange,
): Promise<CommandResult> {
  const kept = await readKept(session);
  const changes: FileChange[] = [];
  for (const settings of all) {
    const before = await readSettings(settings.path);
    const change = (isRemoval ? removal : addition)(settings, before, kept[settings.path]);
    if (change.after !== before) changes.push(change);
  }
  const document = { paths: all.map(({ path }) => path), changed: changes.map(({ path }) => path) };
  if (changes.length === 0) return { document, text: "Nothing to change.\n" };
  const patches = changes.map(({ path, before = "", after = "" }) =>
    createTwoFilesPatch(path, path, before, after).split("\n").slice(2).join("\n"),
  );
  if (flags.show) return { document, text: patches.join("") };
  await agree(session, patches.join(""), flags);
  // Written first, so that nothing is lost if the process stops halfway.
  if (!isRemoval) {
    for (const { path, empty = [] } of changes) {
      const created = await mkdir(dirname(path), { recursive: true });
      const all = Object.values(kept).flatMap((one) => markedBy(folderMark, one) ?? []);
      // The last of several files removes the folder, whichever file it was created for.
      const folder = [...all, created ?? ""].find(
        (candidate) => candidate !== "" && path.startsWith(candidate + sep),
      );
      const marks = new Set(folder === undefined ? empty : [...empty, folderMark + folder]);
      kept[path] = marks.size === 0 ? undefined : [...marks];
    }
    await writeKept(session, kept);
  }
  for (const { path, after } of changes) {
    if (after === undefined) await removeFile(path, markedBy(folderMark, kept[path]) ?? path);
    else await writeFileDurable(path, after);
    if (isRemoval) kept[path] = undefined;
  }
  if (isRemoval) await writeKept(session, kept);
  const paths = changes.map(({ path }) => path).join(", ");
  return { document, text: `wrote ${paths}; \`${undo}\` undoes it\n` };
}

function addition(
  settings: ClientSettings,
  before: string | undefined,
  known: readonly string[] | undefined,
): FileChange {
  const { path } = settings;
  const after = settings.edit(before ?? "");
  if (before === undefined || settings.remove(before) !== before)
    return { path, before, after, empty: known };
  if (before !== "" && settings.remove(after) === before) return { path, before, after };
  const isBlank = before.trim() === "";
  return { path, before, after, empty: isBlank ? [blankMark + before] : emptyPaths(before) };
}

function removal(
  { path, remove }: ClientSettings,
  before: string | undefined,
  kept: readonly string[] = [],
): FileChange {
  const after = before && remove(before, kept);
  return { path, before, after: after === "" && before !== "" ? markedBy(blankMark, kept) : after };
}

function markedBy(mark: string, kept: readonly string[] = []): string | undefined {
  return kept.find((entry) => entry.startsWith(mark))?.slice(mark.length);
}

/**
 * Reads a settings file. Undefined if it is missing. @throws CliError `usage` if it is not UTF-8, since its bytes could
 * not be written back
 */
export async function readSettings(path: string): Promise<string | undefined> {
  const bytes = await unless(["ENOENT"], readFile(path), undefined);
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw usageError(`${path} is not UTF-8. Save it as UTF-8 first.`, cause);
  }
}

/** Removes a file, and the folders up to `created` that this empties. */
async function removeFile(path: string, created: string): Promise<void> {
  await rm(path, { force: true });
  let folder = dirname(path);
  try {
    for (; folder.startsWith(created); folder = dirname(folder)) await rmdir(folder);
  } catch {
    // The folder contains other files.
  }
}

type Kept = Record<string, readonly string[] | undefined>;

const keptFile = ({ terminal }: Session): string => join(stateFolder(terminal), "settings.json");

async function readKept(session: Session): Promise<Kept> {
  const path = keptFile(session);
  const reading = unless(["ENOENT"], readFile(path, "utf8"), "{}");
  const kept = parseJson(await inStateFolder(dirname(path), reading));
  const paths = isRecord(kept) ? Object.keys(kept) : [];
  return Object.fromEntries(paths.map((path) => [path, arrayAt(kept, path).map(String)]));
}

/** Writes what removal must restore. Deletes the file if there is nothing. */
async function writeKept(session: Session, kept: Kept): Promise<void> {
  const path = keptFile(session);
  if (Object.values(kept).every((marks) => marks === undefined))
    return removeFile(path, dirname(path));
  const folder = dirname(path);
  await inStateFolder(folder, mkdir(folder, { recursive: true, mode: 0o700 }));
  await writeFileDurable(path, JSON.stringify(kept), { mode: 0o600 });
}

async function agree(session: Session, patch: string, { yes }: SettingsFlags): Promise<void> {
  const { terminal, isJson } = session;
  if (!yes && !canAsk(session)) {
    const message = `This would change the settings:\n${patch}\nPass --yes to write it.`;
    throw new CliError("confirmation_required", message);
  }
  if (!isJson) terminal.stdout.write(patch);
  if (!yes) await ask(session, "Write this?");
}
