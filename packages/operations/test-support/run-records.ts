import assert from "node:assert/strict";

import type { RunEvent, RunResult } from "../src/events/run-event.ts";
import type { NewRun, RunAppend, RunLease, RunStep, RunStore } from "../src/ports/run-store.ts";

/** How long the leases of the rules last. */
export const ttlMs: number = 1_000;

/** A new run on a branch of its own. */
export function newRun(
  runId: string,
  rest: Partial<NewRun["input"]> & {
    nowMs?: number | undefined;
    requestId?: string | undefined;
    payload?: string | undefined;
  } = {},
): NewRun {
  const { nowMs = 0, requestId, payload = "hash", ...fields } = rest;
  const ids = { runId, chatId: "c", branchId: runId, userMessageId: "u", assistantVariantId: "v" };
  const clientRequest =
    requestId === undefined
      ? {}
      : { clientRequest: { clientRequestId: requestId, payloadHash: payload, keptUntilMs: 500 } };
  return {
    input: { ...ids, formatVersion: 1, trigger: "generate", startedAt: 7, ...fields },
    lease: { owner: "w", ttlMs, nowMs },
    ...clientRequest,
  };
}

/** Creates a run. Fails if the store does not create it. */
export async function created(store: RunStore, run: NewRun): Promise<RunLease> {
  const creation = await store.createRun(run);
  assert.equal(creation.status, "created");
  return creation.status === "created" ? creation.lease : assert.fail();
}

/** Events with these numbers. */
export function events(runId: string, seqs: readonly number[], epoch: number = 1): RunEvent[] {
  const ids = {
    runId,
    chatId: "c",
    branchId: runId,
    userMessageId: "u",
    trigger: "generate",
  } as const;
  return seqs.map((seq) => ({
    ...ids,
    seq,
    epoch,
    ts: seq,
    type: "run.phase_changed",
    phase: "planning",
  }));
}

/** The step of an operation that wrote a value. */
export function step(operationId: string, attempt: number, value: unknown = 1): RunStep {
  const write = {
    type: "artifact.upsert",
    tag: "t",
    persisted: false,
    usage: "internal",
    semantics: "state",
    value,
  } as const;
  return {
    kind: "operation",
    hook: "before_main_llm",
    operationId,
    attempt,
    status: "done",
    finishedAt: 5,
    effects: [write],
  };
}

/** The result of a run with status `done`. */
export function resultOf(runId: string): RunResult {
  const times = { startedAt: 7, finishedAt: 9, durationMs: 2 };
  return {
    formatVersion: 1,
    runId,
    status: "done",
    ...times,
    operationRuns: [],
    mainLlm: { executed: true },
    commitLog: [],
    artifacts: [],
  };
}

/** An append under the lease. */
export function append({ runId, fencingToken }: RunLease, rest: Partial<RunAppend>): RunAppend {
  return { runId, fencingToken, events: [], steps: [], ...rest };
}
