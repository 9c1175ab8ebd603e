import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type { PlannedOperation } from "./plan-run.ts";
import { createRecord, type OperationRecord, type RunContext } from "./run-context.ts";
import type { MainStep } from "../ports/run-step.ts";
import type {
  CommitLogEntry,
  MainLlmRun,
  OperationRun,
  RunArtifact,
  RunResult,
} from "../events/run-result.ts";
import type { RunCommand } from "./run-state.ts";

/** Builds the result of a run at its end. */
export function buildResult(
  run: RunContext,
  end: Extract<RunCommand, { type: "finish" }>,
): RunResult {
  const { input, services } = run;
  const finishedAt = services.clock.now();
  const { status, failedType, failedDetails, finishReason } = end;
  return {
    formatVersion: 1,
    runId: input.runId,
    status,
    startedAt: input.startedAt,
    finishedAt,
    durationMs: Math.max(0, finishedAt - input.startedAt),
    operationRuns: operationRuns(run),
    mainLlm: run.main,
    commitLog: run.hasEffects ? [...run.commitLog, ...discarded(run)] : [],
    artifacts: [...(run.written?.values() ?? [])].map(
      ({ artifact, operationId, hook }): RunArtifact => {
        const { tag, persisted, usage, semantics, version, contentType, value } = artifact;
        return {
          tag,
          operationId,
          hook,
          persisted,
          usage,
          semantics,
          contentType,
          value,
          version: persisted ? version : undefined,
        };
      },
    ),
    failedType: failedType || undefined,
    failedDetails,
    finishReason: finishReason || undefined,
  };
}

/** The record of the main call in the result. */
export function mainRun(run: RunContext, step: MainStep): MainLlmRun {
  const { executed, status, finishReason, partial, text, usage, steps } = step;
  const { assistantVariantId } = run.input;
  const isKept = status === "done" || partial;
  return {
    executed,
    status,
    finishReason,
    assistantVariantId: isKept ? assistantVariantId : undefined,
    text: isKept ? text : undefined,
    partial: partial || undefined,
    usage,
    steps,
  };
}

/** Adds the reason, if an operation caused the end. */
export function withReason(
  run: RunContext,
  end: Extract<RunCommand, { type: "finish" }>,
): typeof end {
  const { failedDetails, failedType } = end;
  if (failedDetails?.operationId === undefined || failedDetails.errorCode !== undefined) return end;
  const hook: Hook = failedType === "after_main_llm" ? "after_main_llm" : "before_main_llm";
  const operation = run.plan.operations.find(
    (at) => at.hook === hook && at.operationId === failedDetails.operationId,
  );
  const record = operation && run.records[operation.index];
  const { error, status, skippedReason } = record ?? {};
  if (error)
    return {
      ...end,
      failedDetails: { ...failedDetails, errorCode: error.code, errorMessage: error.message },
    };
  const errorMessage = `The required operation was ${status ?? "not run"}${skippedReason ? ` (${skippedReason})` : ""}.`;
  return { ...end, failedDetails: { ...failedDetails, errorMessage } };
}

function operationRuns({ plan, records, input }: RunContext): OperationRun[] {
  const { trigger } = input;
  const runs = plan.operations.map((operation) =>
    operationRun(operation, records[operation.index] ?? createRecord(), trigger),
  );
  if (plan.leftOut.length === 0) return runs;
  const leftOut = plan.leftOut.map(({ operationId, hook, config, reason }): OperationRun => {
    const { required } = config;
    return { operationId, hook, trigger, required, status: "skipped", skippedReason: reason };
  });
  // In each hook the operations that were left out come last.
  const all = [...runs, ...leftOut];
  return [...all.filter(isBefore), ...all.filter((operation) => !isBefore(operation))];
}

const isBefore = ({ hook }: OperationRun): boolean => hook === "before_main_llm";

function operationRun(
  { operationId, hook, config }: PlannedOperation,
  record: OperationRecord,
  trigger: Trigger,
): OperationRun {
  const { status = "aborted", startedAt, finishedAt, attempts, error } = record;
  const { required } = config;
  const isRun = startedAt !== undefined && finishedAt !== undefined;
  return {
    operationId,
    hook,
    trigger,
    required,
    status,
    startedAt: isRun ? startedAt : undefined,
    finishedAt,
    durationMs: isRun ? Math.max(0, finishedAt - startedAt) : undefined,
    attempts: isRun ? attempts : undefined,
    skippedReason: record.skippedReason,
    errorCode: error?.code,
    errorMessage: error?.message,
    errorDetails: error?.details,
    detached: record.detached || undefined,
    lateStatus: record.lateStatus,
    inputsSummary: record.inputsSummary,
    outputsSummary: record.outputsSummary,
  };
}

/** Effects of operations that were done, but whose hook was not committed. */
function discarded({ plan, records, commitLog }: RunContext): CommitLogEntry[] {
  const committed = new Set(commitLog.map(({ hook }) => hook));
  const entries: CommitLogEntry[] = [];
  for (const { operationId, hook, index } of plan.operations) {
    const record = records[index];
    if (record?.status !== "done" || record.effects.length === 0 || committed.has(hook)) continue;
    const effects = record.effects.map((effect) => ({
      type: effect.type,
      tag: effect.type === "artifact.upsert" ? effect.tag : undefined,
    }));
    entries.push({ hook, operationId, commitStatus: "discarded", effects });
  }
  return entries;
}
