import { unless } from "@ccl/core/node";
import { arrayAt, isRecord, parseJson, stringAt } from "@ccl/core/json";
import { canonicalJson, sha256Hex } from "@ccl/core";

import { PlanProtocolError } from "../../plan-protocol-error.ts";
import type { Folder } from "../file-system/folder.ts";
import { readFacts } from "../file-system/read-file.ts";
import { syncIn, type WorkspaceParts, writeNewFile } from "../file-system/workspace-parts.ts";
import type { UndoRecord } from "../../workspace/file-workspace.ts";
import type { PathState } from "./path-state.ts";
import type { Step } from "./step.ts";

/** Transaction data stored in its folder. */
interface Intent {
  transactionId: string;
  timeMs: number;
  steps: Step[];
}

/**
 * A transaction's folder. Its five subdirectories name each file by its step's number.
 * - `staged`: the new files. `backups`: links to the old files.
 * - `moved`: old files after they left the tree. `taken`: new files that a rollback removed from the tree.
 * - `written`: files that checks wrote in place of the new ones, also removed by a rollback.
 */
export interface Journal extends Intent {
  /** Number of steps that may have changed something. */
  begun: number;
  /** The folder of all journals. */
  journals: Folder;
  folder: Folder;
  staged: Folder;
  backups: Folder;
  moved: Folder;
  taken: Folder;
  written: Folder;
  /** Undefined until checks run on the changed tree. */
  checked?: CheckedFiles | undefined;
}

/** Changes that checks left at a transaction's paths. */
export interface CheckedFiles {
  /** False while checks run. Until they end, any foreign change may be theirs. */
  isOver: boolean;
  /** What the checks left at a path, keyed by step number. Null means nothing. */
  written: Record<string, PathState>;
}

/** A transaction's progress. `intent`: the tree may have changed. `begun`: it has not. */
export type JournalState = "begun" | "intent" | "committed" | "rolling_back" | "rolled_back";

const PARTS = ["staged", "backups", "moved", "taken", "written"] as const;
const INTENT = "intent.json";
const CHECKED = "checked.json";
const DIFF = "changes.diff";
/**
 * Prefix of a marker next to the journals for a possibly unfinished transaction. Its id follows. No id contains a dot.
 */
const OPEN = "open.";
const MARKS = {
  committed: "committed",
  rolling_back: "rolling-back",
  rolled_back: "rolled-back",
} as const;
const VERSION = 1;

/** Maximum size of a journal that is read. Even the largest plan under any sensible limit is far smaller. */
const MAX_INTENT_BYTES = 256 * 1024 * 1024;

/** True if an id can be used as a folder name. */
export function isTransactionId(id: string): boolean {
  return /^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/.test(id) && !/^(?:lock|claim)/.test(id);
}

/** Creates a new transaction's folder. */
export async function createJournal(journals: Folder, intent: Intent): Promise<Journal> {
  await journals.makeFolder(intent.transactionId);
  return openJournal(journals, intent.transactionId, intent);
}

/** Opens the journal of a transaction. Reads its intent unless it is given. */
export async function openJournal(
  journals: Folder,
  transactionId: string,
  intent?: Intent,
): Promise<Journal> {
  const folder = await journals.openFolder(transactionId);
  try {
    const { timeMs, steps } = intent ?? (await readIntent(folder, transactionId));
    for (const part of PARTS) await unless(["EEXIST"], folder.makeFolder(part), undefined);
    const checked = parseJson((await readText(folder, CHECKED)) ?? "");
    return {
      transactionId,
      timeMs,
      steps,
      begun: steps.length,
      journals,
      folder,
      staged: await folder.openFolder("staged"),
      backups: await folder.openFolder("backups"),
      moved: await folder.openFolder("moved"),
      taken: await folder.openFolder("taken"),
      written: await folder.openFolder("written"),
      checked: isChecked(checked) ? checked : undefined,
    };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/**
 * Records all steps of the transaction, and syncs them and its file names. From then on, the transaction is undone
 * unless it is marked as committed.
 */
export async function writeIntent(parts: WorkspaceParts, journal: Journal): Promise<void> {
  const { transactionId, timeMs, journals, folder, staged, backups, moved } = journal;
  await makeEmpty(journals, OPEN + transactionId);
  const steps = journal.steps.map(({ change, path, before, after }) => ({
    change,
    path,
    before,
    after,
  }));
  const body = canonicalJson({ version: VERSION, transactionId, timeMs, steps });
  const content = `${sha256Hex(body)}\n${body}\n`;
  const before = [staged, backups, moved, journals];
  await writeWhole(parts, folder, { name: INTENT, content, before });
}

/** Records what checks may do, or did. Durable on return. */
export async function recordChecks(
  parts: WorkspaceParts,
  journal: Journal,
  checked: CheckedFiles,
): Promise<void> {
  await writeWhole(parts, journal.folder, { name: CHECKED, content: JSON.stringify(checked) });
  journal.checked = checked;
}

/** Stores the transaction's diff for people who inspect it later. Written before the intent, which makes it durable. */
export function writeDiff(
  parts: WorkspaceParts,
  { folder, diff: content }: Pick<Journal, "folder"> & { diff: string },
): Promise<void> {
  return writeNewFile(parts, folder, { name: DIFF, content });
}

/** Reads the diff from a transaction's folder. Undefined if none is stored. */
export function readDiff(folder: Folder): Promise<string | undefined> {
  return readText(folder, DIFF);
}

/** Marks a finished transaction as possibly unfinished again. Durable on return. */
export async function markOpen(
  parts: WorkspaceParts,
  { journals, transactionId }: Journal,
): Promise<void> {
  await makeEmpty(journals, OPEN + transactionId);
  await syncIn(parts, journals);
}

/** Removes the marker of a transaction that is finished or never began. Failure only costs an extra check later. */
export async function unmarkOpen(journals: Folder, transactionId: string): Promise<void> {
  await journals.unlink(OPEN + transactionId).catch(() => undefined);
}

/** Returns ids of transactions that may be unfinished, including all that are. */
export async function openIds(journals: Folder): Promise<string[]> {
  const names = await journals.list();
  return names.filter((name) => name.startsWith(OPEN)).map((name) => name.slice(OPEN.length));
}

/** Returns the paths of a transaction in the order of its changes. */
export function pathsOf({ steps }: Pick<Journal, "steps">): string[] {
  return steps.map(({ path }) => path);
}

/** True if the tree may be in neither its old nor its new state. */
export function isUnfinished(state: JournalState): state is "intent" | "rolling_back" {
  return state === "intent" || state === "rolling_back";
}

/** Removes the intent, as if the transaction had never begun. Use only if all its changes have been undone. */
export async function withdrawIntent(parts: WorkspaceParts, { folder }: Journal): Promise<void> {
  await folder.unlink(INTENT);
  await syncIn(parts, folder);
}

/** Marks a transaction. Durable on return. */
export async function mark(
  parts: WorkspaceParts,
  { folder }: Journal,
  state: keyof typeof MARKS,
  undone: UndoRecord = { keptPaths: [], writtenPaths: [] },
): Promise<void> {
  const name = MARKS[state];
  const { keptPaths, writtenPaths, why } = undone;
  if (keptPaths.length + writtenPaths.length > 0 || why !== undefined)
    return writeWhole(parts, folder, { name, content: `${JSON.stringify(undone)}\n` });
  await makeEmpty(folder, name);
  await syncIn(parts, folder);
}

/** Creates an empty marker unless it exists. It appears atomically, and its name holds all the information. */
async function makeEmpty(folder: Folder, name: string): Promise<void> {
  const file = await unless(["EEXIST"], folder.createFile(name, 0o600), undefined);
  await file?.close();
}

/** Reads a transaction's progress from its folder. */
export async function stateOf(folder: Folder): Promise<JournalState> {
  const names = new Set(await folder.list());
  for (const state of ["rolled_back", "rolling_back", "committed"] as const)
    if (names.has(MARKS[state])) return state;
  return names.has(INTENT) ? "intent" : "begun";
}

/** Reads the undo record. */
export async function readUndoRecord(folder: Folder): Promise<UndoRecord> {
  const json = parseJson((await readText(folder, MARKS.rolled_back)) ?? "");
  const paths = (key: string): string[] =>
    arrayAt(json, key).filter((path) => typeof path === "string");
  return {
    keptPaths: paths("keptPaths"),
    writtenPaths: paths("writtenPaths"),
    why: stringAt(json, "why"),
  };
}

/** Reads a transaction's steps and start time. */
export async function readIntent(folder: Folder, transactionId: string): Promise<Intent> {
  const text = (await readText(folder, INTENT)) ?? "";
  const end = text.indexOf("\n");
  const body = text.slice(end + 1, -1);
  const json = end === 64 && sha256Hex(body) === text.slice(0, end) ? parseJson(body) : undefined;
  if (!isIntent(json) || json.transactionId !== transactionId)
    throw new PlanProtocolError(
      "journal_damaged",
      `The journal of transaction ${transactionId} is damaged, or a later version wrote it. Its folder has the old files in ` +
        `"moved" and "backups". Restore missing files by hand, then move the folder away.`,
    );
  return { ...json, steps: json.steps.map((step, index) => ({ ...step, key: String(index) })) };
}

export async function closeJournal(journal: Journal): Promise<void> {
  for (const part of PARTS) await journal[part].close();
  await journal.folder.close();
}

/** Removes files that a transaction no longer needs. A file that cannot be removed is retried the next time. */
export async function emptyParts(
  journal: Journal,
  names: readonly (typeof PARTS)[number][],
): Promise<void> {
  for (const name of names) {
    const part = journal[name];
    const files = await part.list().catch(() => []);
    await Promise.all(files.map((file) => part.unlink(file).catch(() => undefined)));
  }
}

/** Removes a file, or a folder with its contents. Does nothing if neither exists. */
export async function removeJournal(journals: Folder, name: string): Promise<void> {
  const status = await journals.status(name);
  if (status === undefined) return;
  if (status.kind !== "folder") return journals.unlink(name);
  const folder = await journals.openFolder(name);
  try {
    for (const entry of await folder.list()) await removeJournal(folder, entry);
  } finally {
    await folder.close();
  }
  await journals.removeFolder(name);
}

/** Writes a file that is either complete and durable or absent. The places in `before` are synced before it appears. */
async function writeWhole(
  parts: WorkspaceParts,
  folder: Folder,
  {
    name,
    content,
    before,
  }: { name: string; content: string; before?: readonly Folder[] | undefined },
): Promise<void> {
  const temporary = `${name}.new`;
  await unless(["ENOENT"], folder.unlink(temporary), undefined);
  try {
    await writeNewFile(parts, folder, { name: temporary, content, before });
    await folder.rename(temporary, folder, name);
  } catch (error) {
    await folder.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncIn(parts, folder);
}

async function readText(folder: Folder, name: string): Promise<string | undefined> {
  const facts = await unless(["ENOENT"], readFacts(folder, name, MAX_INTENT_BYTES), undefined);
  return facts?.bytes === undefined ? undefined : new TextDecoder().decode(facts.bytes);
}

/** The checksum matched, so this only tells a later version's journal from this version's. */
function isIntent(json: unknown): json is Intent {
  return isRecord(json) && json["version"] === VERSION && Array.isArray(json["steps"]);
}

function isChecked(json: unknown): json is CheckedFiles {
  return isRecord(json) && typeof json["isOver"] === "boolean" && isRecord(json["written"]);
}
