import type { Clock, Issue } from "@ccl/core";
import { redactSecrets } from "@ccl/core";

import type { ContextStats } from "../context/apply-context-diet.ts";
import type { ContextRequest, PlanVersion } from "../plan/plan.ts";
import type { PlanMode, ValidPlan } from "../validate/valid-plan.ts";
import type { PlanEvent, PlanEventBody } from "./plan-event.ts";
import type { CacheStats, ConfigSnapshot, PlanTrace } from "./plan-trace.ts";
import { redactValue } from "./redact-value.ts";

/** What a recorder starts from. */
export interface TraceRecorderOptions {
  traceId: string;
  mode: PlanMode;
  goal: string;
  config: ConfigSnapshot;
  clock: Clock;
  keepsAnswers: boolean;
  onEvent: ((event: PlanEvent) => void) | undefined;
}

/** How a proposal ended. */
interface ProposalEnd {
  outcome: PlanTrace["outcome"];
  issues: readonly Issue[];
  plan?: ValidPlan | undefined;
}

/** Collects the events and figures of one proposal. */
export interface TraceRecorder {
  emit(body: PlanEventBody): void;
  /** A `VALIDATION_FAILED` for each issue. */
  emitIssues(issues: readonly Issue[]): void;
  countContext(type: ContextRequest["type"], key: string, isHit: boolean): void;
  setMode(mode: PlanMode): void;
  setVersion(version: PlanVersion, schemaHash: string): void;
  setContext(stats: ContextStats): void;
  addAnswer(text: string): void;
  end(end: ProposalEnd): void;
  /** The record so far. */
  trace(): PlanTrace;
}

const NO_COUNTS: Readonly<Record<ContextRequest["type"], number>> = {
  env: 0,
  logs: 0,
  read_file: 0,
  search: 0,
};

const NO_CONTEXT: ContextStats = {
  context_files_count: 0,
  context_files_dropped_count: 0,
  context_total_chars: 0,
  context_logs_chars: 0,
  context_truncated_files_count: 0,
};

/** A recorder whose every text is masked before it is kept. */
export function createTraceRecorder(options: TraceRecorderOptions): TraceRecorder {
  const { traceId, clock, config, onEvent } = options;
  const events: PlanEvent[] = [];
  const answers: string[] = [];
  const hits = { ...NO_COUNTS };
  const misses = { ...NO_COUNTS };
  const startedAt = clock.now();
  let endedAt = startedAt;
  let mode = options.mode;
  let schema = { schema_version: config.schema_version, schema_hash: config.schema_hash };
  let contextStats = NO_CONTEXT;
  let end: ProposalEnd = { outcome: "error", issues: [] };

  const emit = (body: PlanEventBody): void => {
    const event: PlanEvent = { ...body, trace_id: traceId, at: clock.now() };
    events.push(event);
    endedAt = event.at;
    onEvent?.(event);
  };
  return {
    emit,
    emitIssues(issues) {
      for (const { code, message } of issues)
        emit({ type: "VALIDATION_FAILED", code, reason: masked(message) });
    },
    countContext(type, key, isHit) {
      (isHit ? hits : misses)[type] += 1;
      emit({ type: isHit ? "CONTEXT_CACHE_HIT" : "CONTEXT_CACHE_MISS", key: masked(key) });
    },
    setMode: (next) => void (mode = next),
    setVersion: (schema_version, schema_hash) => void (schema = { schema_version, schema_hash }),
    setContext: (stats) => void (contextStats = stats),
    addAnswer(text) {
      if (options.keepsAnswers) answers.push(masked(text));
    },
    end(ending) {
      end = ending;
      endedAt = clock.now();
    },
    trace: () => ({
      trace_id: traceId,
      started_at: startedAt,
      ended_at: endedAt,
      mode,
      goal: masked(options.goal),
      outcome: end.outcome,
      issues: end.issues.map((issue) => ({ ...issue, message: masked(issue.message) })),
      config_snapshot: config,
      ...schema,
      context_stats: contextStats,
      cache_stats: cacheStatsOf(hits, misses),
      validated_json: end.plan === undefined ? null : redactValue(end.plan),
      events: [...events],
      raw_answers: options.keepsAnswers ? [...answers] : undefined,
    }),
  };
}

function cacheStatsOf(hits: CacheStats["hits"], misses: CacheStats["misses"]): CacheStats {
  const sum = (counts: CacheStats["hits"]): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  const all = sum(hits) + sum(misses);
  return { hits: { ...hits }, misses: { ...misses }, hit_rate: all === 0 ? 0 : sum(hits) / all };
}

function masked(text: string): string {
  return redactSecrets(text).text;
}
