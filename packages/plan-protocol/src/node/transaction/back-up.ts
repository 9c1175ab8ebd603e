import { quote } from "../../plan-issue.ts";
import { type Folder, systemCode } from "../file-system/folder.ts";
import { type FileFacts, readFacts } from "../file-system/read-file.ts";
import { splitPath, type Tree } from "../file-system/tree.ts";
import { inParallel } from "../in-parallel.ts";
import { hasNoLinks } from "../lock/workspace-lock.ts";
import { syncIn, type WorkspaceParts } from "../workspace-parts.ts";
import type { StagedPlan, StagedStep } from "./stage-plan.ts";
import { StepConflict } from "./step.ts";
import { MAX_TEXT_BYTES } from "./look-at.ts";

/**
 * Looks at every old file once more and gives it a second name in the journal's folder, durable before anything in the
 * tree changes: the file itself with all that it has, times to the nanosecond included, is what a rollback puts back.
 */
export async function backUp(parts: WorkspaceParts, tree: Tree, { journal, steps }: StagedPlan): Promise<void> {
  const old = steps.filter((step) => step.before !== undefined && step.change !== "remove_folder");
  await inParallel(old, async (step) => {
    const { parent, name } = splitPath(step.path);
    await tree
      .inFolder(parent, async (folder) => {
        const facts = await readFacts(folder, name, MAX_TEXT_BYTES);
        if (facts === undefined || facts.sha256 !== step.before?.sha256 || facts.status.mode !== step.before.mode)
          throw changedMeanwhile(step);
        step.baseStatus = facts.status;
        const backup = await nameOrCopy(parts, { folder, name, facts, backups: journal.backups, index: step.index });
        if (backup !== facts.status.identity && backup !== "copy") throw changedMeanwhile(step);
      })
      .catch((error: unknown) => {
        const code = systemCode(error) ?? "";
        throw code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" ? changedMeanwhile(step) : error;
      });
  });
  await syncIn(parts, journal.backups);
}

/** The conflict of a path that is no longer what the plan was made for. */
export function changedMeanwhile({ path }: Pick<StagedStep, "path">): StepConflict {
  const message = `${quote(path)} was changed by someone else meanwhile. Their change stays; read the file again.`;
  return new StepConflict({ code: "CONCURRENT_EDIT", path: [path], message });
}

interface BackupSource {
  folder: Folder;
  name: string;
  facts: FileFacts;
  backups: Folder;
  index: number;
}

/** The identity of what is now in the backups, or that it is a copy because the file can have no second name. */
async function nameOrCopy(parts: WorkspaceParts, source: BackupSource): Promise<string> {
  const { folder, name, backups, index } = source;
  try {
    await folder.link(name, backups, String(index));
  } catch (error) {
    if (!hasNoLinks(error)) throw error;
    await copy(parts, source);
    return "copy";
  }
  return (await backups.status(String(index)))?.identity ?? "";
}

async function copy(parts: WorkspaceParts, { folder, name, facts, backups, index }: BackupSource): Promise<void> {
  const from = await folder.openFile(name);
  try {
    const file = await backups.createFile(String(index), 0o600);
    try {
      await copyBytes(from, file);
      await file.setMode(facts.status.mode);
      await file.setModified(facts.status.modifiedNs);
      await syncIn(parts, file);
    } finally {
      await file.close();
    }
  } finally {
    await from.close();
  }
}

async function copyBytes(
  from: Awaited<ReturnType<Folder["openFile"]>>,
  to: Awaited<ReturnType<Folder["createFile"]>>,
): Promise<void> {
  const { sizeBytes } = await from.status();
  const buffer = new Uint8Array(sizeBytes);
  await to.write(buffer.subarray(0, await from.read(buffer, 0)));
}
