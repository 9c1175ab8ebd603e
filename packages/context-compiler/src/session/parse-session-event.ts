import { failure, success, type Issue, type Result } from "@ccl/core";
import { isEventData, isEventKind } from "./check-event-data.ts";
import type { SessionEvent } from "./session-event.ts";

/** The event that a parsed JSON value is, frozen to the bottom; or everything that is wrong with it. */
export function parseSessionEvent(value: unknown): Result<SessionEvent> {
  const issues: Issue[] = [];
  if (isSessionEvent(value, issues)) return success(freezeDeep(value));
  const [first, ...rest] = issues;
  return failure(first ?? wrong([], "The event"), ...rest);
}

function isSessionEvent(value: unknown, issues: Issue[]): value is SessionEvent {
  if (typeof value !== "object" || value === null) return issues.push(wrong([], "The event")) === 0;
  const { eventId, timestamp, kind, data, tokens }: Partial<Record<string, unknown>> = { ...value };
  if (typeof eventId !== "string" || eventId === "") issues.push(wrong(["eventId"], "The id"));
  if (typeof timestamp !== "number" || !Number.isFinite(timestamp))
    issues.push(wrong(["timestamp"], "The time"));
  if (typeof tokens !== "number" || !(tokens >= 0))
    issues.push(wrong(["tokens"], "The token count"));
  if (!isEventKind(kind)) issues.push(wrong(["kind"], "The kind"));
  else isEventData(kind, data, issues);
  return issues.length === 0;
}

function wrong(path: Issue["path"], what: string): Issue {
  return { code: "invalid_event", path, message: `${what} is missing or of the wrong shape.` };
}

/** Freezes a JSON value in place. */
export function freezeDeep<Value>(value: Value): Value {
  const stack: unknown[] = [value];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (typeof item !== "object" || item === null || Object.isFrozen(item)) continue;
    Object.freeze(item);
    for (const member of Object.values(item))
      if (typeof member === "object" && member !== null) stack.push(member);
  }
  return value;
}
