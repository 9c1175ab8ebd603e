import type { Issue } from "@ccl/core";

import type { EditFormat } from "../place/file-change.ts";
import type { ContextStats } from "../context/apply-context-diet.ts";
import type { PlanLimits } from "../limits/plan-limits.ts";
import type { ContextRequest, PlanVersion } from "../plan/plan.ts";
import type { PlanMode } from "../validate/valid-plan.ts";
import type { PlanEvent } from "./plan-event.ts";

/** How often context came from the cache, by type of request. */
export interface CacheStats {
  hits: Record<ContextRequest["type"], number>;
  misses: Record<ContextRequest["type"], number>;
  /** From 0 to 1; 0 where nothing was asked for. */
  hit_rate: number;
}

/** What a proposal ran with. */
export interface ConfigSnapshot {
  provider: string;
  model: string;
  schema_version: PlanVersion;
  schema_hash: string;
  response_format: "strict" | "best-effort";
  edit_format: EditFormat;
  /** Sampling and limits of the calls, as sent but for the size of the answer, which depends on the input's. */
  request: Record<string, unknown>;
  repairs: number;
  limits: PlanLimits;
}

/** The record of one proposal, and of what became of it. Free of secrets; the keys are those of a trace file. */
export interface PlanTrace {
  trace_id: string;
  /** Milliseconds since the epoch. */
  started_at: number;
  ended_at: number;
  mode: PlanMode;
  goal: string;
  outcome: "ok" | "failed" | "aborted" | "error";
  /** Why it failed; empty where it did not. */
  issues: Issue[];
  config_snapshot: ConfigSnapshot;
  /** The version of the last answer that was asked for: lower than the snapshot's after a descent. */
  schema_version: PlanVersion;
  /** SHA-256 of that version's wire schema. */
  schema_hash: string;
  context_stats: ContextStats;
  cache_stats: CacheStats;
  /** The accepted `ValidPlan`, secrets masked; null where there is none. */
  validated_json: unknown;
  events: PlanEvent[];
  /** The model's answers in order, secrets masked; only where the sink asks for them. */
  raw_answers?: string[] | undefined;
}

/** Where traces go. */
export interface PlanTraceSink {
  /** Default false: the model's answers stay out of traces. */
  readonly includesRawAnswers?: boolean | undefined;
  /** Called at the end of a proposal, and once more when it was committed; the later trace replaces the one before. */
  write(trace: PlanTrace): Promise<void>;
}
