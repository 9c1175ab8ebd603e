import { pageLimit } from "@ccl/core/paging";
import { createMemoryRecords, type Records } from "@ccl/records";

import { OperationsError } from "../operations-error.ts";
import { runStepKey } from "../ports/run-step.ts";
import type { ChatStore } from "../ports/chat-store.ts";
import type { RunStore } from "../ports/run-store.ts";
import type { StoreCall } from "../ports/store-call.ts";
import { readAnswer } from "./answer-text.ts";
import { addToRun, appendToRun } from "./append-to-run.ts";
import { type RecordEdit, translated, withRecords } from "./change-records.ts";
import { createChatStore } from "./create-chat-store.ts";
import { createRun } from "./create-run.ts";
import { acquireLease, releaseLease, renewLease } from "./lease-runs.ts";
import { pruneRuns } from "./prune-runs.ts";
import { listRuns, loadRun, readEvents } from "./read-runs.ts";
import { runNames } from "./record-names.ts";
import { readHead } from "./run-head.ts";
import { readSteps } from "./run-log.ts";

/** Number of finished runs kept in memory. */
const maxInMemory = 1_000;

/**
 * Stores runs in records. In memory, keeps only the newest 1,000 finished ones, plus those with remembered request ids.
 */
export function createRunStore(
  own: Records = createMemoryRecords(),
  {
    isInMemory = false,
    chat = createChatStore(own),
  }: { isInMemory?: boolean; chat?: ChatStore } = {},
): RunStore {
  let finished = 0;
  /** Prunes occasionally, since it also has to look at runs that it keeps. */
  const limitMemory = async (nowMs: number): Promise<void> => {
    finished += 1;
    if (!isInMemory || finished < maxInMemory * 1.1) return;
    const limit = finished - maxInMemory;
    finished = maxInMemory;
    await pruneRuns(own, { endedBeforeMs: Infinity, nowMs, limit }, undefined);
  };
  const onRecords = <Value>(
    call: StoreCall | undefined,
    work: (edit: RecordEdit) => Promise<Value>,
  ): Promise<Value> => withRecords(own, call, work);
  return {
    chat,
    createRun: (run, call) => onRecords(call, (edit) => createRun(edit, run)),
    loadRun: (runId, call) => onRecords(call, (edit) => loadRun(edit, runId)),
    acquireLease: (runId, request, call) =>
      onRecords(call, (edit) => acquireLease(edit, { ...request, runId })),
    renewLease: (lease, request, call) =>
      onRecords(call, (edit) => renewLease(edit, lease, request)),
    releaseLease: (lease, call) => onRecords(call, (edit) => releaseLease(edit, lease)),
    async append(append, call) {
      const outcome = await onRecords(call, (edit) => appendToRun(edit, append));
      if (append.result !== undefined) await limitMemory(append.result.finishedAt);
      return outcome;
    },
    readEvents: (runId, { signal, ...which } = {}) =>
      onRecords({ signal }, (edit) => readEvents(edit, runId, which)),
    requestAbort: (runId, request, call) =>
      onRecords(call, async (edit) => {
        const head = await readHead(edit, runId);
        if (head.endedAt !== undefined) return false;
        if (head.abort === undefined) edit.put(runNames.head(runId), { ...head, abort: request });
        return true;
      }),
    answer: (runId, step, call) =>
      onRecords(call, async (edit) => {
        const head = await readHead(edit, runId);
        if (head.endedAt !== undefined) return false;
        const steps = await readSteps(edit, head, await readAnswer(edit, head));
        if (steps.some((known) => runStepKey(known) === runStepKey(step))) return false;
        await addToRun(edit, head, { events: [], steps: [step] }, undefined);
        return true;
      }),
    listRuns: ({ signal, ...which } = {}) => onRecords({ signal }, (edit) => listRuns(edit, which)),
    prune: ({ limit, endedBeforeMs, nowMs, ...call }) =>
      translated(async () => {
        const max = pageLimit(limit, { byDefault: 1_000, max: 10_000 }, OperationsError);
        return pruneRuns(own, { endedBeforeMs, nowMs, limit: max }, call);
      }),
  };
}
