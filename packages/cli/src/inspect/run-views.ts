import { join } from "node:path";

import type { InspectorSource, RunDetailsView, RunOperation } from "@ccl/inspector";
import type { RunEvent, RunInput, RunStep, StoredRun } from "@ccl/operations";
import type { OperationStores } from "@ccl/operations/sqlite";

import { allEvents, loadRun, newestRuns } from "../runs/load-runs.ts";
import { withStores } from "../runs/with-stores.ts";
import type { Session } from "../session.ts";
import type { UiFlags } from "./ui-flags.ts";
import { runPrompt } from "./run-prompt.ts";
import { artifactsOf, stateOf } from "./run-state.ts";

/** Where an application may keep its runs to be found without `--runs`. */
export function runsFile({ root, directory }: Session, { runs }: UiFlags): string {
  return runs ?? join(root, directory, "operations.db");
}

/** True for the address of a database server. */
export function isAddress(runs: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(runs);
}

const shownRuns = 100;

/** Runs of operations in SQLite or PostgreSQL, opened for reading only. */
export function runViews(
  session: Session,
  flags: UiFlags,
): Required<Pick<InspectorSource, "runs" | "run" | "sent">> {
  const runs = runsFile(session, flags);
  const where = isAddress(runs) ? { postgres: runs } : { store: runs };
  const withRuns = <Value>(work: (stores: OperationStores) => Promise<Value>): Promise<Value> =>
    withStores(session, { ...where, isReadOnly: true }, work);
  return {
    runs: ({ limit = shownRuns }) =>
      withRuns(async (stores) => {
        const newest = await newestRuns(stores, { all: true, limit: Number(limit) });
        return {
          hasMore: newest.hasMore,
          runs: newest.runs.map(({ input: { runId, chatId, startedAt }, result }) => ({
            id: runId,
            chat: chatId,
            status: result?.status ?? "running",
            startedAtMs: startedAt,
            finishedAtMs: result?.finishedAt,
          })),
        };
      }),
    run: ({ id = "", event }) =>
      withRuns(async (stores) => {
        const stored = await loadRun(stores, id);
        const events = await allEvents(stores, id);
        const artifacts = artifactsOf(await stateOf(stored.input, stores), id);
        const upTo = event === undefined ? events.length : Number(event);
        return runView(stored, events, { upTo, artifacts });
      }),
    sent: ({ id = "" }) =>
      withRuns(async (stores) => {
        const stored = await loadRun(stores, id);
        return runPrompt(stored, stores, await stateOf(stored.input, stores));
      }),
  };
}

/** The run as it was after so many of its events. */
function runView(
  stored: StoredRun,
  all: readonly RunEvent[],
  { upTo, artifacts }: { upTo: number; artifacts: RunDetailsView["artifacts"] },
): RunDetailsView {
  const { input, steps } = stored;
  const events = all.slice(0, upTo);
  const isWhole = events.length === all.length;
  const result = isWhole ? stored.result : undefined;
  const operations = new Map<string, RunOperation>();
  let main: RunDetailsView["main"];
  let answer = "";
  for (const event of events) {
    if (
      event.type === "operation.started" ||
      event.type === "operation.waiting" ||
      event.type === "operation.finished"
    ) {
      const key = `${event.hook} ${event.operationId}`;
      operations.set(key, operationOf(event, operations.get(key), steps));
    }
    if (event.type === "main_llm.started") {
      main = { status: "running", startedAtMs: event.ts };
      answer = "";
    }
    if (event.type === "main_llm.delta") answer = answer.slice(0, event.offset) + event.text;
    if (event.type === "main_llm.finished")
      main = { ...main, status: event.status, finishedAtMs: event.ts, why: event.error?.message };
  }
  for (const operation of operations.values())
    Object.assign(operation, whatHolds(operation, { input, operations }));
  const failed = result?.failedDetails;
  const whole = result?.mainLlm.text ?? steps.find((step) => step.kind === "main_llm")?.text;
  return {
    id: input.runId,
    chat: input.chatId,
    trigger: input.trigger,
    status: result?.status ?? "running",
    startedAtMs: input.startedAt,
    finishedAtMs: result?.finishedAt,
    why:
      failed === undefined
        ? result?.finishReason
        : `${failed.operationId ?? "The run"}: ${failed.errorMessage ?? failed.errorCode ?? "failed"}`,
    operations: [...operations.values()],
    main,
    answer: (isWhole ? whole : undefined) ?? answer,
    artifacts,
    events: { total: all.length, at: events.length, last: events.at(-1)?.type },
  };
}

/** The operations that it needs and that are not done, and its conditions, which may not have held. */
function whatHolds(
  { id, hook }: RunOperation,
  { input, operations }: { input: RunInput; operations: ReadonlyMap<string, RunOperation> },
): Pick<RunOperation, "needs" | "conditions"> {
  const config = input.profile?.operations.find(({ operationId }) => operationId === id)?.config;
  const needs = (config?.dependsOn ?? []).flatMap((name) => {
    const status = operations.get(`${hook} ${name}`)?.status;
    return status === undefined || status === "done" ? [] : [`${name}: ${status}`];
  });
  const conditions = (config?.when ?? []).map(
    ({ ref, equals = true, not = false }) =>
      `${ref} ${not ? "is not" : "is"} ${JSON.stringify(equals)}`,
  );
  return { needs, conditions };
}

type OperationEvent = Extract<
  RunEvent,
  { type: "operation.started" | "operation.waiting" | "operation.finished" }
>;

function operationOf(
  event: OperationEvent,
  before: RunOperation | undefined,
  steps: readonly RunStep[],
): RunOperation {
  const { operationId: id, operationName: name, hook } = event;
  if (event.type === "operation.started")
    return {
      id,
      name,
      hook,
      status: "running",
      startedAtMs: event.ts,
      attempts: event.attempt,
      effects: [],
    };
  if (event.type === "operation.waiting")
    return {
      id,
      name,
      hook,
      status: "waiting",
      startedAtMs: before?.startedAtMs ?? event.ts,
      why: event.question,
      effects: [],
    };
  return {
    id,
    name,
    hook,
    status: event.status,
    reason: event.skippedReason,
    startedAtMs: event.startedAt ?? before?.startedAtMs,
    finishedAtMs: event.finishedAt,
    attempts: event.attempts ?? before?.attempts,
    why: event.error && `${event.error.code}: ${event.error.message}`,
    effects: effectsOf(id, hook, steps),
  };
}

function effectsOf(id: string, hook: string, steps: readonly RunStep[]): RunOperation["effects"] {
  return steps.flatMap((step) => {
    if (step.kind !== "operation" || step.operationId !== id || step.hook !== hook) return [];
    return (step.effects ?? []).map(({ type, ...rest }) => ({
      name: "tag" in rest ? `${type} ${String(rest.tag)}` : type,
      text: JSON.stringify(rest, null, 2),
    }));
  });
}
