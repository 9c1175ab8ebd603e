import { mapConcurrent } from "@ccl/core/async";
import { isWithoutHardLinks, systemCode } from "@ccl/core/node";

import { quote } from "../../plan-issue.ts";
import type { EntryStatus, Folder } from "../file-system/folder.ts";
import { type FileFacts, readFacts } from "../file-system/read-file.ts";
import { inFolder, splitPath } from "../file-system/in-folder.ts";
import {
  FILES_AT_ONCE,
  type WorkspaceParts,
  writeNewFile,
} from "../file-system/workspace-parts.ts";
import type { Journal } from "./journal.ts";
import type { StagedPlan, StagedStep } from "./stage-plan.ts";
import { concurrentEdit, type StepConflict } from "./step.ts";

/**
 * Links every old file into the journal's folder before the tree changes. A rollback can then restore the file
 * itself with all its metadata, including nanosecond times. Rereads the content only if the file's status has changed.
 * `confirmSwap` finds changes that a status does not show. The caller syncs the new names.
 */
export async function backUp(parts: WorkspaceParts, { journal, steps }: StagedPlan): Promise<void> {
  const old = steps.filter((step) => step.before !== undefined && step.change !== "remove_folder");
  await mapConcurrent(old, FILES_AT_ONCE, async (step) => {
    const { parent, name } = splitPath(step.path);
    const backedUp = inFolder(parts.root, parent, (folder) =>
      backUpFile(parts, journal, { step, folder, name }),
    );
    await backedUp.catch((error: unknown) => {
      const isGone = ["ENOENT", "ENOTDIR", "ELOOP"].includes(systemCode(error) ?? "");
      throw isGone ? changedMeanwhile(step) : error;
    });
  });
}

async function backUpFile(
  parts: WorkspaceParts,
  { backups }: Journal,
  { step, folder, name }: { step: StagedStep; folder: Folder; name: string },
): Promise<void> {
  const key = String(step.index);
  if (!(await tryLink(folder.link(name, backups, key)))) {
    step.base = await confirmBase(folder, name, step);
    return writeOld(parts, backups, key, step.base);
  }
  if (!isSameStatus(await backups.status(key), step.base?.status))
    step.base = await confirmBase(backups, key, step);
}

/** Rereads a file. It must still have the content and mode that the plan is based on. */
async function confirmBase(folder: Folder, name: string, step: StagedStep): Promise<FileFacts> {
  const { before } = step;
  const facts = await readFacts(folder, name, before?.sizeBytes ?? 0);
  if (facts === undefined || facts.sha256 !== before?.sha256 || facts.status.mode !== before.mode)
    throw changedMeanwhile(step);
  return facts;
}

/** True if nothing suggests a change: same file, same size, mode and time. */
export function isSameStatus(
  status: EntryStatus | undefined,
  expected: EntryStatus | undefined,
): boolean {
  return (
    status?.identity === expected?.identity &&
    status?.modifiedNs === expected?.modifiedNs &&
    status?.sizeBytes === expected?.sizeBytes &&
    status?.mode === expected?.mode
  );
}

/** Returns the conflict for a path that no longer has the state that the plan is based on. */
export function changedMeanwhile({ path }: Pick<StagedStep, "path">): StepConflict {
  return concurrentEdit(
    { path },
    `${quote(path)} was changed by someone else meanwhile. Their change stays; read the file again.`,
  );
}

/** Returns false if the file system does not support hard links. */
export async function tryLink(link: Promise<void>): Promise<boolean> {
  try {
    await link;
    return true;
  } catch (error) {
    if (isWithoutHardLinks(error)) return false;
    throw error;
  }
}

/** Writes an old file to a journal folder, with its mode and time. */
export function writeOld(
  parts: WorkspaceParts,
  folder: Folder,
  name: string,
  { status, bytes: content = new Uint8Array() }: FileFacts,
): Promise<void> {
  return writeNewFile(parts, folder, {
    name,
    content,
    async finish(file) {
      await file.setMode(status.mode);
      await file.setModified(status.modifiedNs);
    },
  });
}
