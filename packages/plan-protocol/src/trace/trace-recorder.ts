import { type Clock, type Issue, redactSecrets } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

import { applyContextDiet } from "../context/apply-context-diet.ts";
import type { ContextRequest } from "../plan/plan.ts";
import type { PlanMode, ValidPlan } from "../validate/valid-plan.ts";
import type { ConfigSnapshot, PlanEvent, PlanEventBody, PlanTrace } from "./plan-trace.ts";

/** Initial data of a recorder. */
export interface TraceRecorderOptions {
  traceId: string;
  mode: PlanMode;
  goal: string;
  config: ConfigSnapshot;
  clock: Clock;
  onEvent: ((event: PlanEvent) => void) | undefined;
}

/** Collects the events and figures of one proposal. Masks every text before it is kept. */
export interface TraceRecorder {
  /** The record so far. `trace` returns a copy of it. */
  readonly record: PlanTrace;
  emit(body: PlanEventBody): void;
  /** Emits a `VALIDATION_FAILED` for each issue. */
  emitIssues(issues: readonly Issue[]): void;
  countContext(type: ContextRequest["type"], key: string, isHit: boolean): void;
  end(outcome: PlanTrace["outcome"], issues?: readonly Issue[], plan?: ValidPlan): void;
  trace(): PlanTrace;
}

const NO_COUNTS: Readonly<Record<ContextRequest["type"], number>> = {
  env: 0,
  logs: 0,
  read_file: 0,
  search: 0,
};

/** Creates a recorder. Its record says `error` until it is ended. */
export function createTraceRecorder(options: TraceRecorderOptions): TraceRecorder {
  const { traceId, clock, config, onEvent } = options;
  const startedAt = clock.now();
  const record: PlanTrace = {
    trace_id: traceId,
    started_at: startedAt,
    ended_at: startedAt,
    mode: options.mode,
    goal: masked(options.goal),
    outcome: "error",
    issues: [],
    config_snapshot: config,
    schema_version: config.schema_version,
    schema_hash: config.schema_hash,
    context_stats: applyContextDiet([]).stats,
    cache_stats: { hits: { ...NO_COUNTS }, misses: { ...NO_COUNTS }, hit_rate: 0 },
    validated_json: null,
    events: [],
  };

  const emit = (body: PlanEventBody): void => {
    const event: PlanEvent = { ...body, trace_id: traceId, at: clock.now() };
    record.events.push(event);
    record.ended_at = event.at;
    onEvent?.(event);
  };
  return {
    record,
    emit,
    emitIssues(issues) {
      for (const { code, message } of issues)
        emit({ type: "VALIDATION_FAILED", code, reason: masked(message) });
    },
    countContext(type, key, isHit) {
      const { cache_stats: stats } = record;
      stats[isHit ? "hits" : "misses"][type] += 1;
      const [hits, misses] = [sumOf(stats.hits), sumOf(stats.misses)];
      stats.hit_rate = hits / (hits + misses);
      emit({ type: isHit ? "CONTEXT_CACHE_HIT" : "CONTEXT_CACHE_MISS", key: masked(key) });
    },
    end(outcome, issues = [], plan) {
      record.outcome = outcome;
      record.issues = issues.map((issue) => ({ ...issue, message: masked(issue.message) }));
      record.validated_json = plan === undefined ? null : redactValue(plan);
      record.ended_at = clock.now();
    },
    trace: () => structuredClone(record),
  };
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function masked(text: string): string {
  return redactSecrets(text).text;
}

/** Masks secrets in every string of a value, except names of members. */
function redactValue(value: unknown): unknown {
  if (typeof value === "string") return masked(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactValue(member)]),
  );
}
