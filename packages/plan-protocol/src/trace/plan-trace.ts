import type { Issue } from "@ccl/core";

import type { EditFormat } from "../place/file-change.ts";
import type { ContextStats } from "../context/apply-context-diet.ts";
import type { PlanLimits } from "../limits/plan-limits.ts";
import type { ContextRequest, PlanVersion } from "../plan/plan.ts";
import type { PlanMode } from "../validate/valid-plan.ts";

/** The fields of each type of event. The keys are those of a trace file. */
export type PlanEventBody =
  | {
      type: "LLM_REQUEST_SENT";
      provider: string;
      model: string;
      schema_version: PlanVersion;
      /** The token limit of the answer. */
      token_budget: number;
      /** UTF-16 code units of all messages. */
      input_chars: number;
    }
  | { type: "LLM_RESPONSE_OK"; model: string; output_chars: number; finish_reason: string }
  /** The previous answer is returned to the model for repair. `codes` are the reasons. */
  | { type: "LLM_RESPONSE_REPAIR"; stage: "form" | "content"; codes: string[] }
  | { type: "LLM_RESPONSE_FORMAT_FALLBACK"; from: string; to: string }
  | { type: "LLM_REQUEST_TIMEOUT"; model: string; timeout_ms: number }
  /** One event for each issue. */
  | { type: "VALIDATION_FAILED"; code: string; reason: string }
  | { type: "CONTEXT_CACHE_HIT"; key: string }
  | { type: "CONTEXT_CACHE_MISS"; key: string }
  | {
      type: "CONTEXT_DIET_APPLIED";
      files: number;
      dropped: number;
      truncated: number;
      total_chars: number;
    }
  | { type: "PREVIEW_READY"; plan_hash: string; changes: number }
  | { type: "APPLY_SUCCESS"; transaction_id: string; changes: number }
  | { type: "APPLY_ROLLBACK"; code: string; reason: string };

/** One event of a session. Closed for a major version, but keep a default branch. */
export type PlanEvent = PlanEventBody & {
  /** The trace id of its proposal. */
  trace_id: string;
  /** Milliseconds since the epoch by the session's clock. */
  at: number;
};

/** How often context came from the cache, by type of request. */
interface CacheStats {
  hits: Record<ContextRequest["type"], number>;
  misses: Record<ContextRequest["type"], number>;
  /** From 0 to 1. 0 if there were no requests. */
  hit_rate: number;
}

/** The configuration of a proposal. */
export interface ConfigSnapshot {
  provider: string;
  model: string;
  schema_version: PlanVersion;
  schema_hash: string;
  response_format: "strict" | "best-effort";
  edit_format: EditFormat;
  /** Sampling and limits of the calls, as sent. The answer's token limit depends on the input and is not included. */
  request: Record<string, unknown>;
  limits: PlanLimits;
}

/** The record of one proposal and its outcome, free of secrets. The keys are those of a trace file. */
export interface PlanTrace {
  trace_id: string;
  /** Milliseconds since the epoch. */
  started_at: number;
  ended_at: number;
  mode: PlanMode;
  goal: string;
  outcome: "ok" | "failed" | "aborted" | "error";
  /** Why it failed. Empty on success. */
  issues: Issue[];
  config_snapshot: ConfigSnapshot;
  /** The version of the last request. After a descent it is lower than the snapshot's. */
  schema_version: PlanVersion;
  /** SHA-256 of that version's wire schema. */
  schema_hash: string;
  context_stats: ContextStats;
  cache_stats: CacheStats;
  /** The accepted `ValidPlan` with secrets masked. Null if there is none. */
  validated_json: unknown;
  events: PlanEvent[];
}

/** Where traces are written. */
export interface PlanTraceSink {
  /** Called at the end of a proposal, and again after its commit. The later trace replaces the earlier one. */
  write(trace: PlanTrace): Promise<void>;
}
