import { type Clock, type Issue, redactSecrets } from "@ccl/core";

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

/** Returns a JSON value with secrets masked in every string, except field names. */
export function redactValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    typeof member === "string" ? redactSecrets(member).text : member,
  );
}
