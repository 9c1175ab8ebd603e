import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { systemCode, unless } from "@ccl/core/node";
import { type Clock, createUuidV7Generator, type IdGenerator, systemClock } from "@ccl/core";

import { defaultPlanLimits, type PlanLimits } from "../limits/plan-limits.ts";
import { PlanProtocolError } from "../plan-protocol-error.ts";
import type { PlanPolicy } from "../paths/path-allow-list.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import type { ContextPorts } from "./context/read-requests.ts";
import { createWorkspace } from "./create-workspace.ts";
import type { Folder } from "./file-system/folder.ts";
import { openRootFolder, pathIn } from "./file-system/node-folder.ts";
import { openShelter, removeShelter } from "./file-system/shelter-folder.ts";
import { findUnfinished } from "./transaction/recover.ts";
import { shelteredIds } from "./transaction/shelter.ts";
import { withLockFile } from "./lock/workspace-lock.ts";
import type { WorkspaceDurability, WorkspaceParts } from "./file-system/workspace-parts.ts";

/** How a workspace is opened. */
export interface OpenWorkspaceOptions extends ContextPorts {
  /** An existing folder. The path may lead through a link. */
  root: string;
  policy?: PlanPolicy | undefined;
  limits?: Partial<PlanLimits> | undefined;
  clock?: Clock | undefined;
  ids?: IdGenerator | undefined;
  /** Default `<root>/.ccl/transactions`. Must be on the file system of the root. */
  journalDirectory?: string | undefined;
  /** Default `full`. */
  durability?: WorkspaceDurability | undefined;
  /** How long to wait for another process that is changing the workspace. Default 10,000. */
  lockTimeoutMs?: number | undefined;
}

/**
 * Opens a folder for plans. It does not recover by itself: `unfinished` lists the transactions that need it, and
 * `recover` undoes them.
 * @throws PlanProtocolError `workspace_unusable`, `invalid_input`, `journal_unusable` if `journalDirectory` does not
 * exist or is not on the root's file system
 */
export async function openWorkspace(options: OpenWorkspaceOptions): Promise<FileWorkspace> {
  const {
    root: givenRoot,
    journalDirectory,
    clock = systemClock,
    lockTimeoutMs = 10_000,
  } = options;
  if (givenRoot === "" || givenRoot.includes("\0"))
    throw new PlanProtocolError(
      "invalid_input",
      `${JSON.stringify(givenRoot)} is no path of a root.`,
    );
  if (!(lockTimeoutMs >= 0))
    throw new PlanProtocolError(
      "invalid_input",
      `lockTimeoutMs is ${lockTimeoutMs}; give a number from 0 on.`,
    );
  const { rootPath, root } = await openRoot(givenRoot);
  const given = journalDirectory === undefined ? undefined : resolve(journalDirectory);
  const journalsName = given ?? join(rootPath, ".ccl", "transactions");
  const open = (mayMake: boolean): Promise<Folder> =>
    given === undefined ? openOwnJournals(parts, mayMake) : realpath(given).then(openRootFolder);
  const opened = <Found>(opening: Promise<Found>): Promise<Found> =>
    opening.catch((error: unknown) => {
      throw journalsError(journalsName, error);
    });
  const parts: WorkspaceParts = {
    rootPath,
    root,
    openJournals: () => opened(open(true).then((journals) => onSameDevice(parts, journals))),
    findJournals: () =>
      opened(given === undefined ? unless(["ENOENT"], open(false), undefined) : open(false)),
    openShelter: (mayMake) => openShelter(rootPath, mayMake),
    removeShelter: () => removeShelter(rootPath),
    journalsName,
    durability: options.durability ?? "full",
    policy: options.policy ?? {},
    limits: { ...defaultPlanLimits, ...options.limits },
    clock,
    ids: options.ids ?? createUuidV7Generator({ clock }),
    async withLock(folder, signal, work) {
      const lock = await pathIn(folder, "lock");
      const name = join(await realpath(dirname(lock)), "lock");
      return await withLockFile(lock, { name, waitMs: lockTimeoutMs, signal }, work);
    },
    readSet: new Map(),
    unread: new Map(),
  };
  if (given !== undefined) await confirmJournals(parts);
  const unfinished = await findUnfinishedIn(parts);
  return createWorkspace(parts, { logs: options.logs, env: options.env }, unfinished);
}

/** Ignores a read failure here. The call that needs the journal reports it. */
async function findUnfinishedIn(parts: WorkspaceParts): Promise<string[]> {
  const sheltered = await shelteredIds(parts).catch(() => []);
  const journals = await parts.findJournals().catch(() => undefined);
  if (journals === undefined) return sheltered;
  const found = await findUnfinished(journals)
    .catch(() => [])
    .finally(() => journals.close());
  return [...new Set([...found, ...sheltered])].sort();
}

async function openRoot(givenRoot: string): Promise<{ rootPath: string; root: Folder }> {
  try {
    const rootPath = await realpath(givenRoot);
    return { rootPath, root: await openRootFolder(rootPath) };
  } catch (error) {
    const message = `The root "${givenRoot}" is no folder that can be read (${systemCode(error) ?? "unexpected"}).`;
    throw new PlanProtocolError("workspace_unusable", message, { cause: error });
  }
}

/** Opens the folder below the root without following a link. */
async function openOwnJournals(parts: WorkspaceParts, mayMake: boolean): Promise<Folder> {
  const open = (folder: Folder, name: string): Promise<Folder> =>
    mayMake ? openOrMake(parts, folder, name) : folder.openFolder(name);
  const own = await open(parts.root, ".ccl");
  const journals = await open(own, "transactions").finally(() => own.close());
  if (mayMake) await ignoreInGit(journals);
  return journals;
}

async function confirmJournals(parts: WorkspaceParts): Promise<void> {
  try {
    await (await parts.openJournals()).close();
  } catch (error) {
    await parts.root.close();
    throw error;
  }
}

/** Checks that root and journals share a file system, since files are renamed between them. */
async function onSameDevice(parts: WorkspaceParts, journals: Folder): Promise<Folder> {
  const [own, its] = await Promise.all([parts.root.ownStatus(), journals.ownStatus()]);
  if (own.device === its.device) return journals;
  await journals.close();
  throw Object.assign(new Error("Another file system."), { code: "EXDEV" });
}

async function openOrMake(parts: WorkspaceParts, folder: Folder, name: string): Promise<Folder> {
  if ((await folder.status(name)) === undefined) {
    await unless(["EEXIST"], folder.makeFolder(name), undefined);
    if (parts.durability === "full") await folder.sync();
  }
  return folder.openFolder(name);
}

/** Backups hold the content of files. This keeps a careless `git add` from committing them. */
async function ignoreInGit(journals: Folder): Promise<void> {
  if ((await journals.status(".gitignore")) !== undefined) return;
  const file = await unless(["EEXIST"], journals.createFile(".gitignore", 0o644), undefined);
  if (file === undefined) return;
  try {
    await file.write(new TextEncoder().encode("*\n"));
  } finally {
    await file.close();
  }
}

function journalsError(path: string, error: unknown): PlanProtocolError {
  const code = systemCode(error) ?? "unexpected";
  const known: Record<string, string> = {
    ENOTDIR: "it is a link or a file",
    ELOOP: "it is a link or a file",
    EXDEV:
      "it is on another file system than the root, so that no file can be moved there. Give a folder on the same one",
  };
  const how = known[code] ?? code;
  return new PlanProtocolError("journal_unusable", `Journals can't be kept in "${path}": ${how}.`, {
    cause: error,
  });
}
