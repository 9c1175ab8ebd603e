import { join } from "node:path";

import type { InspectorSource, RunDetailsView, RunOperation } from "@ccl/inspector";
import type { RunEvent, RunStep, StoredRun } from "@ccl/operations";
import { listRuns, openSqliteOperationStores, type OperationStores } from "@ccl/operations/sqlite";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

import { CliError } from "../cli-error.ts";
import type { UiFlags } from "./ui-flags.ts";
import type { Session } from "../session.ts";

/** Where an application may keep its runs to be found without `--runs`. */
export function runsFile({ root, directory }: Session, { runs }: UiFlags): string {
  return runs ?? join(root, directory, "operations.db");
}

const maxEvents = 10_000;
const maxText = 20_000;

/** Runs of operations in a SQLite file, which is opened for reading only. */
export function runViews(
  session: Session,
  flags: UiFlags,
): Required<Pick<InspectorSource, "runs" | "run">> {
  const withStores = async <Value>(
    work: (database: SqliteDatabase, stores: OperationStores) => Promise<Value> | Value,
  ): Promise<Value> => {
    const database = await openSqlite({ path: runsFile(session, flags), readOnly: true });
    try {
      const stores = await openSqliteOperationStores({ database });
      return await work(database, stores);
    } finally {
      database.close();
    }
  };
  return {
    runs: () =>
      withStores((database) => ({
        runs: listRuns(database, { limit: 1_000 }).map((run) => ({
          id: run.runId,
          chat: run.chatId,
          status: run.status,
          startedAtMs: run.startedAt,
          finishedAtMs: run.finishedAt,
        })),
      })),
    run: ({ id = "" }) =>
      withStores(async (_, { runs }) => {
        const stored = await runs.loadRun(id);
        if (stored === undefined)
          throw new CliError("usage", `There is no run ${JSON.stringify(id)}.`);
        return runView(stored, await runs.readEvents(id, { limit: maxEvents }));
      }),
  };
}

function runView(stored: StoredRun, events: readonly RunEvent[]): RunDetailsView {
  const { input, result, steps } = stored;
  const operations = new Map<string, RunOperation>();
  let main: RunDetailsView["main"];
  for (const event of events) {
    if (event.type === "operation.started" || event.type === "operation.finished") {
      const key = `${event.hook} ${event.operationId}`;
      operations.set(key, operationOf(event, operations.get(key), steps));
    }
    if (event.type === "main_llm.started") main = { status: "running", startedAtMs: event.ts };
    if (event.type === "main_llm.finished")
      main = { ...main, status: event.status, finishedAtMs: event.ts, why: event.error?.message };
  }
  const failed = result?.failedDetails;
  const answer = result?.mainLlm.text ?? steps.find((step) => step.kind === "main_llm")?.text;
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
    answer: answer?.slice(0, maxText),
  };
}

type OperationEvent = Extract<RunEvent, { type: "operation.started" | "operation.finished" }>;

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
  return {
    id,
    name,
    hook,
    status: event.status,
    startedAtMs: event.startedAt ?? before?.startedAtMs,
    finishedAtMs: event.finishedAt,
    attempts: event.attempts ?? before?.attempts,
    why:
      event.error === undefined
        ? skippedBecause(event.skippedReason)
        : `${event.error.code}: ${event.error.message}`,
    effects: effectsOf(id, hook, steps),
  };
}

function effectsOf(id: string, hook: string, steps: readonly RunStep[]): RunOperation["effects"] {
  return steps.flatMap((step) => {
    if (step.kind !== "operation" || step.operationId !== id || step.hook !== hook) return [];
    return (step.effects ?? []).map(({ type, ...rest }) => {
      const text = JSON.stringify(rest, null, 2);
      return {
        name: "tag" in rest ? `${type} ${String(rest.tag)}` : type,
        text: text.slice(0, maxText),
      };
    });
  });
}

const reasons: Readonly<Record<string, string>> = {
  disabled: "It is switched off in the profile.",
  trigger_mismatch: "It does not belong to this kind of turn.",
  condition_false: "Its condition did not hold, or that of an operation that it needs.",
  dependency_failed: "An operation that it needs failed or was skipped.",
  policy: "The policy does not allow it here.",
};

function skippedBecause(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : (reasons[reason] ?? reason);
}
