import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { writeOld } from "./back-up.ts";
import {
  closeJournal,
  createJournal,
  openJournal,
  removeJournal,
  stateOf,
  writeIntent,
} from "./journal.ts";
import { openJournals } from "./journals-folder.ts";
import type { StagedPlan } from "./stage-plan.ts";

/**
 * Reopens a transaction's journal after its checks. A check may have removed part or all of it, as `git clean -fdx`
 * does. In that case, rewrites its intent and its old files as they were read for the plan.
 */
export async function reopenJournal(parts: WorkspaceParts, staged: StagedPlan): Promise<void> {
  const { transactionId, steps, begun } = staged;
  const journals = await openJournals(parts);
  try {
    let journal = await openJournal(journals, transactionId).catch(() => undefined);
    const isLost = journal === undefined;
    if (journal === undefined) {
      await removeJournal(journals, transactionId);
      journal = await createJournal(journals, staged);
    }
    await closeJournal(staged);
    Object.assign(staged, journal, { steps, begun, journals: staged.journals });
    if (!isLost && (await stateOf(journal.folder)) !== "intent")
      throw new Error(`Another process undid transaction ${transactionId}.`);
    for (const { key, before, base } of steps) {
      const isOld = before !== undefined && base?.bytes !== undefined;
      if (isOld && (await journal.moved.status(key)) === undefined)
        await writeOld(parts, journal.moved, key, base);
    }
    if (isLost) await writeIntent(parts, journal);
  } finally {
    await journals.close();
  }
}
