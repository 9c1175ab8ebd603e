import type { EventBody } from "../event/session-event.ts";

/**
 * Tracks which calls are waiting for a result, so that an event's prompt tokens are known when it
 * is recorded.
 */
export interface CallLedger {
  /** True if the event becomes its own message in a prompt. If so, updates the ledger. */
  takes(event: EventBody): boolean;
  /** Returns a copy for trying out events. */
  fork(): CallLedger;
}

/** Creates a ledger with open calls, passed as their number by id. */
export function createCallLedger(open: Map<string, number> = new Map()): CallLedger {
  const add = (callId: string): unknown => open.set(callId, (open.get(callId) ?? 0) + 1);
  const answer = (callId: string): boolean => {
    const waiting = open.get(callId) ?? 0;
    if (waiting > 1) open.set(callId, waiting - 1);
    else open.delete(callId);
    return waiting > 0;
  };
  function takes(event: EventBody): boolean {
    switch (event.kind) {
      case "user_input":
        return true;
      case "assistant_message":
        open.clear();
        for (const { id } of event.data.toolCalls ?? []) add(id);
        return true;
      case "tool_call": {
        if (open.has(event.data.callId)) return false;
        add(event.data.callId);
        return true;
      }
      case "tool_success":
      case "tool_error":
      case "tool_timeout":
        return event.data.isLate !== true && answer(event.data.callId);
      default:
        return false;
    }
  }
  return { takes, fork: () => createCallLedger(new Map(open)) };
}
