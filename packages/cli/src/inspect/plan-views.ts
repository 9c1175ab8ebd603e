import type { InspectorSource, PendingPlan } from "@ccl/inspector";
import { CclError } from "@ccl/core";

import { loadPlan } from "../plan/load-plan.ts";
import { readSavedChange } from "../plan/saved-plan.ts";
import { type OpenedWorkspace, withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

/** Creates the views of applied and rolled back transactions, and of the last change that `ccl gen` showed. */
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
        const transactions = (await workspace.transactions({ signal })).reverse();
        const pending = hasPending ? await pendingPlan(session, workspace) : undefined;
        return { transactions, pending };
      });
    },
  };
}

async function pendingPlan(session: Session, workspace: OpenedWorkspace): Promise<PendingPlan> {
  try {
    const plan = await loadPlan(session, workspace, { file: undefined, flags: {} });
    const { summary } = plan;
    const preview = await workspace.preview(plan, session);
    return preview.ok
      ? { summary, issues: [], changes: preview.value.changes }
      : { summary, issues: preview.issues, changes: [] };
  } catch (error) {
    if (!CclError.isInstance(error)) throw error;
    const { code, message } = error;
    return { summary: "", issues: [{ code: String(code), message, path: [] }], changes: [] };
  }
}
