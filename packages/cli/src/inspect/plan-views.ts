import type { InspectorSource, PendingPlan } from "@ccl/inspector";
import { CclError } from "@ccl/core";

import { loadPlan } from "../plan/load-plan.ts";
import { readSavedChange } from "../plan/saved-plan.ts";
import { type OpenedWorkspace, withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

/** Applied and rolled back transactions, and the last change that `ccl gen` showed. */
export function planViews(given: Session): Required<Pick<InspectorSource, "plans" | "applied">> {
  return {
    applied: ({ id = "" }) =>
      withWorkspace(given, {}, async (workspace) => ({ diff: await workspace.diff(id) })),
    async plans(_, { signal }) {
      // Reads the saved change even if something is piped in.
      const stdin = { isTTY: true };
      const session = { ...given, signal, terminal: { ...given.terminal, stdin } };
      const hasPending = (await readSavedChange(session)) !== undefined;
      return withWorkspace(session, {}, async (workspace) => {
        const records = await workspace.transactions({ signal });
        const transactions = records.reverse().map((record) => ({
          id: record.transactionId,
          timeMs: record.timeMs,
          status: record.status,
          paths: record.paths,
          kept: record.keptPaths,
          why: record.why,
        }));
        const pending = hasPending ? await pendingPlan(session, workspace) : undefined;
        return { transactions, pending };
      });
    },
  };
}

async function pendingPlan(session: Session, workspace: OpenedWorkspace): Promise<PendingPlan> {
  try {
    const plan = await loadPlan(session, workspace, { file: undefined, flags: {} });
    const preview = await workspace.preview(plan, session);
    if (!preview.ok) {
      const issues = preview.issues.map(({ code, message, path }) => ({
        code,
        message,
        path: path.join("/"),
      }));
      return { summary: plan.summary, issues, changes: [] };
    }
    const changes = preview.value.changes.map((change) => ({
      path: change.path,
      kind: change.kind,
      added: change.addedLines,
      removed: change.removedLines,
      risks: change.risks.map(({ message }) => message),
      diff: change.diff,
    }));
    return { summary: plan.summary, issues: [], changes };
  } catch (error) {
    if (!CclError.isInstance(error)) throw error;
    return {
      summary: "",
      issues: [{ code: String(error.code), message: error.message }],
      changes: [],
    };
  }
}
