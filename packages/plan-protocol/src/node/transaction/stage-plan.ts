import { mapConcurrent } from "@ccl/core/async";
import { unless } from "@ccl/core/node";
import { sha256Hex } from "@ccl/core";

import type { EntryStatus, Folder } from "../file-system/folder.ts";
import type { FileFacts } from "../file-system/read-file.ts";
import { FILES_AT_ONCE, syncIn, type WorkspaceParts } from "../file-system/workspace-parts.ts";
import { closeJournal, createJournal, type Journal } from "./journal.ts";
import type { ResolvedAction, ResolvedPlan } from "./resolve-plan.ts";
import type { Step } from "./step.ts";

/** A change that is ready to be applied. */
export interface StagedStep extends Step {
  index: number;
  /** The old file when it was read. */
  base?: FileFacts | undefined;
  /** Status of the new file in the journal's folder. */
  stagedStatus?: EntryStatus | undefined;
}

/** A transaction whose new files are on disk. The tree has not changed yet. */
export interface StagedPlan {
  journal: Journal;
  steps: StagedStep[];
  /** How many of the steps may have changed something. */
  begun: number;
}

interface Draft {
  step: Step;
  source?: ResolvedAction | undefined;
}

/** Writes all new files to the journal and syncs their content. `writeIntent` syncs their names. */
export async function stagePlan(
  parts: WorkspaceParts,
  journals: Folder,
  { plan, transactionId }: { plan: ResolvedPlan; transactionId: string },
): Promise<StagedPlan> {
  const intent = { transactionId, timeMs: parts.clock.now(), steps: [] };
  const journal = await createJournal(journals, intent);
  try {
    const steps = await writeSteps(parts, journal, draftSteps(plan));
    journal.steps = steps.map(toStep);
    return { journal, steps, begun: 0 };
  } catch (error) {
    await closeJournal(journal);
    throw error;
  }
}

function writeSteps(
  parts: WorkspaceParts,
  journal: Journal,
  drafts: readonly Draft[],
): Promise<StagedStep[]> {
  return mapConcurrent(
    drafts,
    FILES_AT_ONCE,
    async ({ step, source }, index): Promise<StagedStep> => {
      const base = source?.base;
      if (step.change !== "write" || source?.content === undefined) return { ...step, base, index };
      const { content } = source;
      const stagedStatus = await writeStaged(parts, journal.staged, { index, base, content });
      const { mode } = stagedStatus;
      const after = { sha256: sha256Hex(content), sizeBytes: content.length, mode };
      return { ...step, after, base, stagedStatus, index };
    },
  );
}

/** The changes in order: folders from the top down, files, deletions, deleted folders from the deepest up. */
function draftSteps({ actions, impliedFolders }: ResolvedPlan): Draft[] {
  const named = actions
    .filter(({ action }) => action.kind === "CREATE_DIR")
    .map(({ action }) => action.path);
  const isNamed = new Set(named);
  const folders = [...named, ...impliedFolders].sort();
  const newFolders = folders.map((path): Draft => ({
    step: { change: "make_folder", path, kind: isNamed.has(path) ? "CREATE_DIR" : undefined },
  }));
  const others = actions.filter(({ action }) => action.kind !== "CREATE_DIR");
  return [
    ...newFolders,
    ...others.filter(hasEffect).flatMap((source): Draft[] => {
      const { action } = source;
      const step = stepOf(source);
      if (action.kind !== "MOVE_FILE") return [{ step, source }];
      const created: Step = { change: "write", path: action.to, kind: action.kind };
      return [
        { step: created, source },
        { step: { ...step, change: "remove" }, source },
      ];
    }),
  ];
}

/** False if the file already has the new content. */
function hasEffect({ action, base, content }: ResolvedAction): boolean {
  if (action.kind === "MOVE_FILE") return true;
  return base === undefined || content === undefined || sha256Hex(content) !== base.sha256;
}

function stepOf({ action, base, folderMode }: ResolvedAction): Step {
  const { kind, path } = action;
  const isRemoval = kind === "DELETE_FILE" || kind === "DELETE_DIR";
  const change = kind === "DELETE_DIR" ? "remove_folder" : isRemoval ? "remove" : "write";
  const before =
    base === undefined
      ? folderMode === undefined
        ? undefined
        : { sha256: "", sizeBytes: 0, mode: folderMode }
      : { sha256: base.sha256, sizeBytes: base.status.sizeBytes, mode: base.status.mode };
  return { change, path, kind, before };
}

async function writeStaged(
  parts: WorkspaceParts,
  staged: Folder,
  { index, base, content }: { index: number; base: FileFacts | undefined; content: Uint8Array },
): Promise<EntryStatus> {
  // A new file gets the process's default mode. A changed file stays private until it has its old mode.
  const old = base?.status;
  const file = await staged.createFile(String(index), old === undefined ? 0o666 : 0o600);
  try {
    await file.write(content);
    if (old !== undefined) await keepAccess(file, old);
    await syncIn(parts, file);
    return await file.status();
  } finally {
    await file.close();
  }
}

/**
 * Gives a file the old one's owner and permission bits, but never set-user-id: the author of the new text is not
 * trusted with the old file's rights.
 */
async function keepAccess(
  file: Awaited<ReturnType<Folder["createFile"]>>,
  old: EntryStatus,
): Promise<void> {
  if (old.ownerId !== process.geteuid?.() || old.groupId !== process.getegid?.())
    await unless(["EPERM", "EINVAL", "ENOSYS"], file.setOwner(old.ownerId, old.groupId), undefined);
  await file.setMode(old.mode & 0o1777);
}

function toStep({ change, path, kind, before, after }: StagedStep): Step {
  return { change, path, kind, before, after };
}
