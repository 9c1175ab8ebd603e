import type { Hook, Trigger } from "../operation/operation-definition.ts";
import { effectsOf, type OperationRecord } from "./operation-record.ts";
import type { RunContext } from "./run-context.ts";
import type { MainStep } from "../ports/run-store.ts";
import type {
  CommitLogEntry,
  MainLlmRun,
  OperationRun,
  RunArtifact,
  RunResult,
} from "../events/run-event.ts";
import type { FinishCommand } from "./reduce-run.ts";

/** Builds the result of a finished run. */
export function buildResult(run: RunContext, command: FinishCommand): RunResult {
  const { input, services } = run;
  const { type: _, ...end } = command;
  const finishedAt = services.clock.now();
  return {
    formatVersion: 1,
    runId: input.runId,
    ...end,
    startedAt: input.startedAt,
    finishedAt,
    durationMs: Math.max(0, finishedAt - input.startedAt),
    operationRuns: operationRuns(run),
    mainLlm: run.main,
    commitLog: [...run.commitLog, ...discarded(run)],
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
  };
}

/** Builds the record of the main call in the result. */
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

/** Adds the reason, if an operation caused the run to end. */
export function withReason(run: RunContext, end: FinishCommand): FinishCommand {
  const { failedDetails, failedType } = end;
  if (failedDetails?.operationId === undefined || failedDetails.errorCode !== undefined) return end;
  const hook: Hook = failedType === "after_main_llm" ? "after_main_llm" : "before_main_llm";
  const record = run.records.find(
    ({ operation }) =>
      operation.hook === hook && operation.operationId === failedDetails.operationId,
  );
  const { error, status, skippedReason } = record?.end ?? {};
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
  const runs = records.map((record) => operationRun(record, trigger));
  if (plan.leftOut.length === 0) return runs;
  const leftOut = plan.leftOut.map(({ operationId, hook, config, reason }): OperationRun => {
    const { required } = config;
    return { operationId, hook, trigger, required, status: "skipped", skippedReason: reason };
  });
  // In each hook, operations left out of the plan come last.
  const all = [...runs, ...leftOut];
  return [...all.filter(isBefore), ...all.filter((operation) => !isBefore(operation))];
}

const isBefore = ({ hook }: OperationRun): boolean => hook === "before_main_llm";

function operationRun({ operation, end }: OperationRecord, trigger: Trigger): OperationRun {
  const { operationId, hook, config } = operation;
  const { required } = config;
  if (end === undefined) return { operationId, hook, trigger, required, status: "aborted" };
  const { status, startedAt, finishedAt, attempt, error, skippedReason } = end;
  const { detached, lateStatus, inputsSummary, outputsSummary } = end;
  const isRun = startedAt !== undefined;
  return {
    operationId,
    hook,
    trigger,
    required,
    status,
    startedAt,
    finishedAt,
    durationMs: isRun ? Math.max(0, finishedAt - startedAt) : undefined,
    attempts: isRun ? attempt : undefined,
    skippedReason,
    errorCode: error?.code,
    errorMessage: error?.message,
    errorDetails: error?.details,
    detached,
    lateStatus,
    inputsSummary,
    outputsSummary,
  };
}

/** Returns the effects of done operations whose hook was not committed. */
function discarded({ records, commitLog }: RunContext): CommitLogEntry[] {
  const committed = new Set(commitLog.map(({ hook }) => hook));
  return records.flatMap((record): CommitLogEntry[] => {
    const { operationId, hook } = record.operation;
    const effects = effectsOf(record).map((effect) => ({
      type: effect.type,
      tag: effect.type === "artifact.upsert" ? effect.tag : undefined,
    }));
    if (effects.length === 0 || committed.has(hook)) return [];
    return [{ hook, operationId, commitStatus: "discarded", effects }];
  });
}
