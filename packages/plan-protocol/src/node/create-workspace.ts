import { assertNotAborted, PlanProtocolError } from "../plan-protocol-error.ts";
import { systemCode, unless } from "@ccl/core/node";
import { traced } from "@ccl/core/tracing";

import { parseEdits } from "../any-format/parse-edits.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import { runChecks } from "./checks/run-checks.ts";
import { readRequests } from "./context/read-requests.ts";
import type { Folder } from "./file-system/folder.ts";
import { inFolder } from "./file-system/in-folder.ts";
import { previewPlan } from "./preview/preview-plan.ts";
import { applyPlan } from "./transaction/apply-plan.ts";
import { isTransactionId, readDiff } from "./transaction/journal.ts";
import { findJournals, openJournals } from "./transaction/journals-folder.ts";
import { listTransactions, recoverAll } from "./transaction/recover.ts";
import { pruneTransactions } from "./transaction/prune.ts";
import { noJournalOf, rollBack } from "./transaction/roll-back.ts";
import type { WorkspaceParts } from "./file-system/workspace-parts.ts";

/** Creates a workspace from open parts. `close` closes them. */
export function createWorkspace(
  parts: WorkspaceParts,
  unfinished: readonly string[] = [],
): FileWorkspace {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  const run = async <Value>(what: string, call: () => Promise<Value>): Promise<Value> => {
    if (closing !== undefined)
      throw new PlanProtocolError("workspace_closed", "The workspace is closed.");
    const running = call().catch((cause: unknown) => {
      const code = systemCode(cause);
      if (PlanProtocolError.isInstance(cause) || code === undefined) throw cause;
      // No plan can prevent a system error.
      const message = `The workspace could not ${what} (${code}).`;
      throw new PlanProtocolError("io_failed", message, { cause });
    });
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  };

  /** Returns `none` if there has never been a transaction. Then there is nothing to lock, and nothing is written. */
  const withJournals = <Value>(
    what: string,
    none: Value,
    call: (journals: Folder) => Promise<Value>,
  ): Promise<Value> =>
    run(what, async () => {
      const journals = await findJournals(parts);
      return journals === undefined ? none : call(journals).finally(() => journals.close());
    });

  return {
    root: parts.rootPath,
    readSet: parts.readSet,
    unfinished,
    read: (requests, { signal } = {}) => run("read", () => readRequests(parts, requests, signal)),
    propose: (answer, options = {}) => {
      const { readSet, unread, policy, limits, rootPath: root } = parts;
      return parseEdits(answer, { ...options, readSet, unread, policy, limits, root });
    },
    preview: (plan, { signal } = {}) => run("preview", () => previewPlan(parts, plan, signal)),
    apply: (plan, options = {}) =>
      run("apply", async () => {
        assertNotAborted(options.signal);
        const journals = await openJournals(parts);
        const applying = parts.withLock(journals, options.signal, () =>
          traced("apply plan", { "ccl.plan.actions": plan.actions.length }, async (span) => {
            const applied = await applyPlan(parts, journals, { plan, options });
            span.set({ "ccl.plan.applied": applied.ok });
            return applied;
          }),
        );
        return applying.finally(() => journals.close());
      }),
    check: (checks, options = {}) => run("run checks", () => runChecks(parts, checks, options)),
    rollback: (transactionId, { signal } = {}) =>
      withJournals("roll back", noJournalOf(transactionId), (journals) =>
        parts.withLock(journals, signal, () => rollBack(parts, journals, transactionId)),
      ),
    recover: ({ signal } = {}) =>
      withJournals("recover", [], (journals) =>
        parts.withLock(journals, signal, () => recoverAll(parts, journals, signal)),
      ),
    async prune({ keep, signal }) {
      if (!Number.isInteger(keep) || keep < 0)
        throw new PlanProtocolError(
          "invalid_input",
          `keep is ${keep}. Pass an integer of 0 or more.`,
        );
      return withJournals("prune", { removed: [], needed: [] }, (journals) =>
        parts.withLock(journals, signal, () =>
          pruneTransactions(parts, journals, { keep, signal }),
        ),
      );
    },
    diff: (transactionId) =>
      withJournals("read a diff", undefined, async (journals) => {
        if (!isTransactionId(transactionId)) return undefined;
        return unless(["ENOENT"], inFolder(journals, transactionId, readDiff), undefined);
      }),
    transactions: ({ signal } = {}) =>
      withJournals("list its transactions", [], (journals) => listTransactions(journals, signal)),
    close() {
      closing ??= Promise.allSettled(underWay).then(() => parts.root.close());
      return closing;
    },
  };
}
