import { failure, success, type Issue, type Result } from "@ccl/core";
import { deepFreeze } from "@ccl/core/json";
import { isEventBody, isEventKind } from "./check-event-data.ts";
import type { SessionEvent } from "./session-event.ts";

/** Parses a JSON value as an event, deeply frozen. Fails with all issues. */
export function parseSessionEvent(value: unknown): Result<SessionEvent> {
  const issues: Issue[] = [];
  if (isSessionEvent(value, issues)) return success(deepFreeze(value));
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
  else isEventBody({ kind, data }, issues);
  return issues.length === 0;
}

function wrong(path: Issue["path"], what: string): Issue {
  return { code: "invalid_event", path, message: `${what} is missing or of the wrong shape.` };
}
