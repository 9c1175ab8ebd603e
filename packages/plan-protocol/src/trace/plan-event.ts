import type { PlanVersion } from "../plan/plan.ts";

/** What happened, by type; the keys of the fields are those of a trace file. */
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
  /** The previous answer is sent back for repair; `codes` says for what. */
  | { type: "LLM_RESPONSE_REPAIR"; stage: "form" | "content"; codes: string[] }
  | { type: "LLM_RESPONSE_FORMAT_FALLBACK"; from: string; to: string }
  | { type: "LLM_REQUEST_TIMEOUT"; model: string; timeout_ms: number }
  /** One for each issue. */
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

/** One event of a session. Closed for a major version; keep a default branch all the same. */
export type PlanEvent = PlanEventBody & {
  /** Of the proposal that it belongs to. */
  trace_id: string;
  /** Milliseconds since the epoch by the session's clock. */
  at: number;
};
