import { mapConcurrent } from "@ccl/core/async";
import { unless } from "@ccl/core/node";
import { sha256Hex } from "@ccl/core";

import type { EntryStatus, Folder, OpenFile } from "../file-system/folder.ts";
import type { FileFacts } from "../file-system/read-file.ts";
import {
  FILES_AT_ONCE,
  type WorkspaceParts,
  writeNewFile,
} from "../file-system/workspace-parts.ts";
import { closeJournal, createJournal, type Journal } from "./journal.ts";
import type { ResolvedAction, ResolvedPlan } from "./resolve-plan.ts";
import type { FileState, Step } from "./step.ts";

/** A change ready to be applied. */
export interface StagedStep extends Step {
  index: number;
  /** The old file as it was read. */
  base?: FileFacts | undefined;
  /** Status of the new file in the journal's folder. */
  stagedStatus?: EntryStatus | undefined;
}

/** A transaction whose new files are on disk. The tree has not changed yet. */
export interface StagedPlan {
  journal: Journal;
  steps: StagedStep[];
  /** Number of steps that may have changed something. */
  begun: number;
}

/** A change before its new file is on disk. */
interface Draft extends Step {
  base?: FileFacts | undefined;
  content?: Uint8Array | undefined;
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
    async ({ content, ...step }, index): Promise<StagedStep> => {
      if (content === undefined) return { ...step, index };
      const { base } = step;
      const old = base?.status;
      await writeNewFile(parts, journal.staged, {
        name: String(index),
        content,
        // A new file gets the process's default mode. A changed file stays private until it gets its old mode.
        mode: old === undefined ? 0o666 : 0o600,
        finish: async (file) => old && keepAccess(file, old),
      });
      const stagedStatus = await journal.staged.status(String(index));
      const mode = stagedStatus?.mode ?? 0;
      const after = { sha256: sha256Hex(content), sizeBytes: content.length, mode };
      return { ...step, after, stagedStatus, index };
    },
  );
}

/** Returns the changes in order: folders top down, files, deletions, then deleted folders deepest first. */
function draftSteps({ actions, impliedFolders }: ResolvedPlan): Draft[] {
  const created = actions.flatMap(({ action: { kind, path } }) =>
    kind === "CREATE_DIR" ? [path] : [],
  );
  const folders = [...created, ...impliedFolders].sort();
  return [
    ...folders.map((path): Draft => ({ change: "make_folder", path })),
    ...actions.flatMap(draftsOf),
  ];
}

function draftsOf({ action, base, folderMode: mode = 0, content }: ResolvedAction): Draft[] {
  const { kind, path } = action;
  if (kind === "CREATE_DIR") return [];
  if (kind === "DELETE_DIR")
    return [{ change: "remove_folder", path, before: { sha256: "", sizeBytes: 0, mode } }];
  const before = base === undefined ? undefined : stateOf(base);
  if (kind === "DELETE_FILE") return [{ change: "remove", path, before, base }];
  if (kind === "MOVE_FILE")
    return [
      { change: "write", path: action.to, base, content },
      { change: "remove", path, before, base },
    ];
  // The file may already have the new content.
  const isSame = content !== undefined && sha256Hex(content) === base?.sha256;
  return isSame ? [] : [{ change: "write", path, before, base, content }];
}

function stateOf({ sha256, status: { sizeBytes, mode } }: FileFacts): FileState {
  return { sha256, sizeBytes, mode };
}

/**
 * Gives a file the old one's owner and permission bits, but never set-user-id: the new text's author is not trusted
 * with the old file's privileges.
 */
async function keepAccess(file: OpenFile, old: EntryStatus): Promise<void> {
  if (old.ownerId !== process.geteuid?.() || old.groupId !== process.getegid?.())
    await unless(["EPERM", "EINVAL", "ENOSYS"], file.setOwner(old.ownerId, old.groupId), undefined);
  await file.setMode(old.mode & 0o1777);
}

function toStep({ change, path, before, after }: StagedStep): Step {
  return { change, path, before, after };
}
