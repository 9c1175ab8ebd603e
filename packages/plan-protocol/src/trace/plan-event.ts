import type { ContextStats } from "../context/apply-context-diet.ts";
import type { PlanLimits } from "../limits/plan-limits.ts";
import type { EditFormat } from "../place/file-change.ts";
import type { PlanVersion } from "../plan/plan.ts";
import type { PlanMode } from "../validate/valid-plan.ts";

/** The fields of each event type, without secrets. */
export type PlanEventBody =
  | { type: "PROPOSAL_STARTED"; mode: PlanMode; goal: string; config: ConfigSnapshot }
  | {
      type: "PROPOSAL_ENDED";
      /** Becomes plan mode if a file changed since the saved plan. */
      mode: PlanMode;
      outcome: "ok" | "failed" | "aborted" | "error";
      /** The accepted `ValidPlan`. Undefined if there is none. */
      plan?: unknown;
    }
  | {
      type: "LLM_REQUEST_SENT";
      provider: string;
      model: string;
      schema_version: PlanVersion;
      /** SHA-256 of that version's wire schema. */
      schema_hash: string;
      /** The answer's token limit. */
      token_budget: number;
      /** UTF-16 code units of all messages. */
      input_chars: number;
    }
  | { type: "LLM_RESPONSE_OK"; model: string; output_chars: number; finish_reason: string }
  /** The previous answer goes back to the model for repair. `codes` are the reasons. */
  | { type: "LLM_RESPONSE_REPAIR"; stage: "form" | "content"; codes: string[] }
  | { type: "LLM_RESPONSE_FORMAT_FALLBACK"; from: string; to: string }
  | { type: "LLM_REQUEST_TIMEOUT"; model: string; timeout_ms: number }
  /** One event per issue. */
  | { type: "VALIDATION_FAILED"; code: string; reason: string }
  | { type: "CONTEXT_CACHE_HIT"; key: string }
  | { type: "CONTEXT_CACHE_MISS"; key: string }
  | ({ type: "CONTEXT_DIET_APPLIED" } & ContextStats)
  | { type: "PREVIEW_READY"; plan_hash: string; changes: number }
  | { type: "APPLY_SUCCESS"; transaction_id: string; changes: number }
  | { type: "APPLY_ROLLBACK"; code: string; reason: string };

/** A session event. Fixed within a major version, but keep a default branch. */
export type PlanEvent = PlanEventBody & {
  /** Id of the event's proposal. */
  trace_id: string;
  /** Milliseconds since the epoch on the session's clock. */
  at: number;
};

/** A proposal's configuration. */
export interface ConfigSnapshot {
  provider: string;
  model: string;
  /** The version requested first. */
  schema_version: PlanVersion;
  response_format: "strict" | "best-effort";
  edit_format: EditFormat;
  /** Sampling and limits of the calls. Excludes the answer's token limit, which depends on the input. */
  request: Record<string, unknown>;
  limits: PlanLimits;
}
