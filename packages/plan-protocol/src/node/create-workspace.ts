import { assertNotAborted, PlanProtocolError } from "../plan-protocol-error.ts";
import { systemCode, unless } from "@ccl/core/node";

import { parseEdits } from "../any-format/parse-edits.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import { runChecks } from "./checks/check-round.ts";
import { type ContextPorts, readRequests } from "./context/read-requests.ts";
import type { Folder } from "./file-system/folder.ts";
import { inFolder } from "./file-system/in-folder.ts";
import { withWorkspaceLock } from "./lock/workspace-lock.ts";
import { diffOfPlan, previewPlan } from "./preview/preview-plan.ts";
import { applyPlan } from "./transaction/apply-plan.ts";
import { isTransactionId, readDiff } from "./transaction/journal.ts";
import { listTransactions, recoverAll } from "./transaction/recover.ts";
import { pruneTransactions } from "./transaction/prune.ts";
import { noJournalOf, rollBack } from "./transaction/roll-back.ts";
import { restoreWhenFree, shelteredIds } from "./transaction/shelter.ts";
import type { WorkspaceParts } from "./file-system/workspace-parts.ts";

/** Creates a workspace over open parts. `close` closes them. */
export function createWorkspace(
  parts: WorkspaceParts,
  ports: ContextPorts = {},
  unfinished: readonly string[] = [],
): FileWorkspace {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  const run = async <Value>(what: string, call: () => Promise<Value>): Promise<Value> => {
    if (closing !== undefined)
      throw new PlanProtocolError("workspace_closed", "The workspace is closed.");
    const running = call().catch((error: unknown) => {
      throw typed(what, error);
    });
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  };

  const locked = <Value>(
    what: string,
    signal: AbortSignal | undefined,
    call: (journals: Folder) => Promise<Value>,
  ): Promise<Value> =>
    run(what, () => {
      assertNotAborted(signal);
      return withRestored(parts, signal, call);
    });

  /** If there was never a transaction, there is nothing to lock, and nothing is written. */
  const lockedIfAny = <Value>(
    what: string,
    { none, signal }: { none: Value; signal: AbortSignal | undefined },
    call: (journals: Folder) => Promise<Value>,
  ): Promise<Value> =>
    run(what, async () => {
      assertNotAborted(signal);
      const found = await parts.findJournals();
      await found?.close();
      const isNone = found === undefined && (await shelteredIds(parts)).length === 0;
      return isNone ? none : withRestored(parts, signal, call);
    });

  return {
    root: parts.rootPath,
    readSet: parts.readSet,
    unfinished,
    read: (requests, { signal } = {}) =>
      run("read", () => readRequests(parts, requests, { ports, signal })),
    propose: (answer, options = {}) => {
      const { readSet, unread, policy, limits, rootPath: root } = parts;
      return parseEdits(answer, { ...options, readSet, unread, policy, limits, root });
    },
    preview: (plan, { signal } = {}) => run("preview", () => previewPlan(parts, plan, signal)),
    apply: (plan, options = {}) =>
      locked("apply", options.signal, (journals) =>
        applyPlan(parts, journals, { plan, options, diffOf: diffOfPlan }),
      ),
    check: (checks, options = {}) => run("run checks", () => runChecks(parts, checks, options)),
    rollback: (transactionId, { signal } = {}) =>
      lockedIfAny("rollback", { none: noJournalOf(transactionId), signal }, (journals) =>
        rollBack(parts, journals, transactionId),
      ),
    recover: ({ signal } = {}) =>
      lockedIfAny("recover", { none: [], signal }, (journals) =>
        recoverAll(parts, journals, signal),
      ),
    async prune({ keep, signal }) {
      if (!Number.isInteger(keep) || keep < 0)
        throw new PlanProtocolError(
          "invalid_input",
          `keep is ${keep}; give a whole number from 0 on.`,
        );
      return lockedIfAny("prune", { none: { removed: [], needed: [] }, signal }, (journals) =>
        pruneTransactions(parts, journals, { keep, signal }),
      );
    },
    diff: (transactionId) =>
      run("read a diff", async () => {
        const journals = isTransactionId(transactionId) ? await parts.findJournals() : undefined;
        if (journals === undefined) return undefined;
        const read = inFolder(journals, transactionId, readDiff);
        return unless(["ENOENT"], read, undefined).finally(() => journals.close());
      }),
    transactions: ({ signal } = {}) =>
      run("list its transactions", async () => {
        const journals = await parts.findJournals();
        if (journals === undefined) return [];
        return listTransactions(journals, signal).finally(() => journals.close());
      }),
    close() {
      closing ??= Promise.allSettled(underWay).then(() => parts.root.close());
      return closing;
    },
  };
}

/** Holds the lock, and first restores journals that a check removed. */
function withRestored<Value>(
  parts: WorkspaceParts,
  signal: AbortSignal | undefined,
  call: (journals: Folder) => Promise<Value>,
): Promise<Value> {
  return withWorkspaceLock(parts, signal, async (journals) => {
    await restoreWhenFree(parts, journals, signal);
    return await call(journals);
  });
}

/** Converts a system failure, which no plan can avoid, to this package's error. */
function typed(what: string, error: unknown): unknown {
  const code = systemCode(error);
  if (PlanProtocolError.isInstance(error) || code === undefined) return error;
  return new PlanProtocolError("io_failed", `The workspace could not ${what} (${code}).`, {
    cause: error,
  });
}
