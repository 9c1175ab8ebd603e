import { pageLimit } from "@ccl/core/paging";
import { type Records, createMemoryRecords } from "@ccl/records";

import { OperationsError, pageStart, refuse } from "../operations-error.ts";
import type { ChatStore } from "../ports/chat-store.ts";
import {
  type ListRunsOptions,
  type NewRun,
  type ReadEventsOptions,
  type RunCreation,
  type RunInput,
  type RunPage,
  type RunStore,
  type StoredRun,
  runStepKey,
} from "../ports/run-store.ts";
import { addToRun, appendToRun } from "./append-to-run.ts";
import { createChatStore } from "./create-chat-store.ts";
import { acquireLease, leaseOf, releaseLease, renewLease } from "./lease-runs.ts";
import { pruneRuns } from "./prune-runs.ts";
import {
  type BranchRecord,
  type RecordEdit,
  type RunHead,
  chatNames,
  editorOf,
  newBranch,
  prefixOf,
  readHead,
  runNames,
  translated,
  valueIn,
} from "./stored-records.ts";
import { readAnswer, readRunEvents, readSteps, wholeEnd } from "./run-log.ts";
import type { RunEvent, RunResult } from "../events/run-event.ts";
import { type TurnRecord, addMessage } from "./turn-records.ts";

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
  const onRecords = editorOf(own);
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

/** Loads a run with its steps. */
async function loadRun(edit: RecordEdit, runId: string): Promise<StoredRun | undefined> {
  const [head, input, result] = await edit.read<[RunHead, RunInput, RunResult]>(
    runNames.head(runId),
    runNames.input(runId),
    runNames.result(runId),
  );
  if (head === undefined || input === undefined) return undefined;
  const { lastSeq, abort, lease } = head;
  const answer = await readAnswer(edit, head);
  const steps = await readSteps(edit, head, answer);
  const whole = result && wholeEnd(result, runId, answer);
  return { input: { ...input, runId }, steps, lastSeq, result: whole, abort, lease };
}

/** Reads a page of a run's events. */
async function readEvents(
  edit: RecordEdit,
  runId: string,
  { limit, afterSeq }: ReadEventsOptions,
): Promise<RunEvent[]> {
  const size = pageLimit(limit, { byDefault: 1_000, max: 10_000 }, OperationsError);
  const from = pageStart(afterSeq);
  const head = await readHead(edit, runId);
  return readRunEvents(edit, head, { afterSeq: from, limit: size });
}

/** Lists a page of runs. */
async function listRuns(
  edit: RecordEdit,
  { all = false, cursor, limit }: ListRunsOptions,
): Promise<RunPage> {
  const size = pageLimit(limit, { byDefault: 100, max: 1_000 }, OperationsError);
  const nameOf = all ? runNames.newest : runNames.open;
  const after = cursor === undefined ? undefined : nameOf(cursor);
  const prefix = prefixOf(all ? "newest" : "open");
  const page = await edit.page({ prefix, cursor: after, limit: size });
  const ids = page.records.map((record) => valueIn<string>(record));
  const heads = await edit.readAll<RunHead>(ids.map(runNames.head));
  const runs = ids.flatMap((runId, at) => {
    const head = heads[at];
    return head === undefined ? [] : [{ runId, lease: head.lease }];
  });
  return page.cursor === undefined ? { runs } : { runs, cursor: ids.at(-1) };
}

/** Creates a run, reserves its branch and leases the run. */
async function createRun(
  edit: RecordEdit,
  { input, clientRequest, lease: request }: NewRun,
): Promise<RunCreation> {
  const { runId, chatId, branchId, userMessageId, userMessage, trigger } = input;
  const requestName = clientRequest && runNames.request(input, clientRequest.clientRequestId);
  const branchName = chatNames.branch(input);
  const [branch = newBranch(input), head, turn, known] = await edit.read<
    [BranchRecord, RunHead, TurnRecord, StoredRequest]
  >(
    branchName,
    runNames.head(runId),
    chatNames.turn(input, userMessageId),
    requestName ?? branchName,
  );
  if (clientRequest !== undefined && known !== undefined && known.keptUntilMs > request.nowMs) {
    const isSame = known.payloadHash === clientRequest.payloadHash;
    return { status: isSame ? "duplicate" : "payload_conflict", runId: known.runId };
  }
  if (branch.active !== undefined) return { status: "active", runId: branch.active };
  if (head !== undefined) refuse(`Run ${JSON.stringify(runId)} already exists.`);
  const isNew = turn === undefined && userMessage !== undefined;
  const then = isNew ? addMessage(edit, branch, { userMessageId, content: userMessage }) : branch;
  const next = { ...then, token: branch.token + 1, active: runId };
  const lease = leaseOf({ ...request, runId }, next);
  edit.put(branchName, next);
  const of = { chatId, branchId, userMessageId, trigger, lease };
  const first: RunHead = { ...of, isHeld: true, lastSeq: 0, lastEpoch: 0, entries: 0 };
  if (clientRequest !== undefined) {
    const { clientRequestId, keptUntilMs } = clientRequest;
    first.request = { clientRequestId, keptUntilMs };
  }
  edit.put(runNames.head(runId), first);
  edit.put(runNames.input(runId), { ...input, runId: undefined });
  edit.put(runNames.open(runId), runId);
  edit.put(runNames.newest(runId), runId);
  edit.put(runNames.ofBranch(input, runId), runId);
  if (clientRequest !== undefined && requestName !== undefined) {
    const { payloadHash, keptUntilMs } = clientRequest;
    edit.put(requestName, { runId, payloadHash, keptUntilMs } satisfies StoredRequest);
  }
  return { status: "created", lease };
}

interface StoredRequest {
  runId: string;
  payloadHash: string;
  keptUntilMs: number;
}
