import { type Clock, type Issue, redactSecrets } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

import type { PlanEvent, PlanEventBody } from "./plan-event.ts";

/** Reports the events of one proposal. */
export interface EventRecorder {
  readonly traceId: string;
  emit(body: PlanEventBody): void;
  /** Emits one `VALIDATION_FAILED` per issue. */
  emitIssues(issues: readonly Issue[]): void;
}

/** Creates a recorder that passes events to `onEvent`. */
export function createEventRecorder(
  traceId: string,
  { clock, onEvent }: { clock: Clock; onEvent?: ((event: PlanEvent) => void) | undefined },
): EventRecorder {
  const emit = (body: PlanEventBody): void =>
    onEvent?.({ ...body, trace_id: traceId, at: clock.now() });
  return {
    traceId,
    emit,
    emitIssues(issues) {
      for (const { code, message } of issues)
        emit({ type: "VALIDATION_FAILED", code, reason: redactSecrets(message).text });
    },
  };
}

/** Masks secrets in every string of a value, except field names. */
export function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redactSecrets(value).text;
  if (Array.isArray(value)) return value.map(redactValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactValue(member)]),
  );
}
