import { mapConcurrent } from "@ccl/core/async";
import { isWithoutHardLinks, systemCode } from "@ccl/core/node";

import type { EntryStatus, Folder } from "../file-system/folder.ts";
import { type FileFacts, readFacts } from "../file-system/read-file.ts";
import { atPath, NO_FOLDER } from "../file-system/in-folder.ts";
import {
  FILES_AT_ONCE,
  type WorkspaceParts,
  writeNewFile,
} from "../file-system/workspace-parts.ts";
import type { StagedPlan, StagedStep } from "./stage-plan.ts";
import { changedMeanwhile } from "./step.ts";

/**
 * Links every old file into the journal's folder before the tree changes. A rollback can then restore the file
 * itself with all its metadata, including nanosecond times. Rereads the content only if the file's status has changed.
 * `confirmSwap` finds changes that a status does not show. The caller syncs the new names.
 */
export async function backUp(parts: WorkspaceParts, { backups, steps }: StagedPlan): Promise<void> {
  const old = steps.filter((step) => step.before !== undefined && step.change !== "remove_folder");
  await mapConcurrent(old, FILES_AT_ONCE, async (step) => {
    const { key } = step;
    const backedUp = atPath(parts.root, step.path, async (folder, name) => {
      const isLinked = await tryLink(folder.link(name, backups, key));
      if (isLinked && isSameStatus(await backups.status(key), step.base?.status)) return;
      const place: [Folder, string] = isLinked ? [backups, key] : [folder, name];
      step.base = await confirmBase(step, ...place);
      if (!isLinked) await writeOld(parts, backups, key, step.base);
    });
    await backedUp.catch((error: unknown) => {
      throw NO_FOLDER.includes(systemCode(error) ?? "") ? changedMeanwhile(step) : error;
    });
  });
}

/** Rereads a file. It must still have the content and mode that the plan is based on. */
async function confirmBase(step: StagedStep, folder: Folder, name: string): Promise<FileFacts> {
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
