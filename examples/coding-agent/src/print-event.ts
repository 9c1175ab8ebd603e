import type { PlanEvent } from "@ccl/plan-protocol";

/** A line for each event that a reader wants to see. */
export function printEvent(event: PlanEvent): void {
  const line = lineOf(event);
  if (line !== undefined) console.log(`  ${line}`);
}

function lineOf(event: PlanEvent): string | undefined {
  switch (event.type) {
    case "LLM_REQUEST_SENT":
      return `asked ${event.model}: ${event.input_chars} characters, schema version ${event.schema_version}`;
    case "LLM_RESPONSE_FORMAT_FALLBACK":
      return `the provider refuses ${event.from}, next ${event.to}`;
    case "LLM_RESPONSE_REPAIR":
      return `rejected: ${event.codes.join(", ")}`;
    case "VALIDATION_FAILED":
      return `${event.code}: ${event.reason}`;
    case "CONTEXT_CACHE_MISS":
      return `read ${event.key}`;
    case "CONTEXT_CACHE_HIT":
      return `had ${event.key}`;
    case "PREVIEW_READY":
      return `preview ${event.plan_hash.slice(0, 8)}: ${event.changes} change`;
    case "APPLY_SUCCESS":
      return `applied as ${event.transaction_id}`;
    case "APPLY_ROLLBACK":
      return `rolled back: ${event.reason.split("\n")[0]}`;
    default:
      return undefined;
  }
}
