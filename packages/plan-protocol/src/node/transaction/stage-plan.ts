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
import { diffOfPlan } from "../preview/preview-plan.ts";
import { contentOf, type ResolvedAction, type ResolvedPlan } from "../preview/resolve-plan.ts";
import { closeJournal, createJournal, type Journal } from "./journal.ts";
import { fileState, type Step } from "./step.ts";

/** A change ready to be applied. */
export interface StagedStep extends Step {
  /** The old file as it was read. */
  base?: FileFacts | undefined;
  /** Status of the new file in the journal's folder. */
  stagedStatus?: EntryStatus | undefined;
}

/** The journal of a transaction whose new files are on disk. */
export interface StagedPlan extends Journal {
  steps: StagedStep[];
  /** Kept in memory, since a check may remove the journal. */
  diff: string;
}

/** A change before its new file is on disk. */
interface Draft extends Omit<StagedStep, "key"> {
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
    const steps = await mapConcurrent(draftSteps(plan), FILES_AT_ONCE, (draft, index) =>
      writeStep(parts, journal, { key: String(index), draft }),
    );
    return { ...journal, steps, begun: 0, diff: diffOfPlan(plan) };
  } catch (error) {
    await closeJournal(journal);
    throw error;
  }
}

async function writeStep(
  parts: WorkspaceParts,
  { staged }: Journal,
  { key, draft: { content, ...draft } }: { key: string; draft: Draft },
): Promise<StagedStep> {
  const step = { ...draft, key };
  if (content === undefined) return step;
  const old = step.base?.status;
  await writeNewFile(parts, staged, {
    name: key,
    content,
    // A new file gets the process's default mode. A changed file stays private until it gets its old mode.
    mode: old === undefined ? 0o666 : 0o600,
    finish: async (file) => old && keepAccess(file, old),
  });
  const stagedStatus = await staged.status(key);
  const mode = stagedStatus?.mode ?? 0;
  const after = { sha256: sha256Hex(content), sizeBytes: content.length, mode };
  return { ...step, after, stagedStatus };
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

function draftsOf(resolved: ResolvedAction): Draft[] {
  const { action, base, folderMode: mode = 0 } = resolved;
  const { kind, path } = action;
  if (kind === "CREATE_DIR") return [];
  if (kind === "DELETE_DIR")
    return [{ change: "remove_folder", path, before: { sha256: "", sizeBytes: 0, mode } }];
  const before = base && fileState(base);
  const content = contentOf(resolved);
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

/**
 * Gives a file the old one's owner and permission bits, but never set-user-id: the new text's author is not trusted
 * with the old file's privileges.
 */
async function keepAccess(file: OpenFile, old: EntryStatus): Promise<void> {
  if (old.ownerId !== process.geteuid?.() || old.groupId !== process.getegid?.())
    await unless(["EPERM", "EINVAL", "ENOSYS"], file.setOwner(old.ownerId, old.groupId), undefined);
  await file.setMode(old.mode & 0o1777);
}
