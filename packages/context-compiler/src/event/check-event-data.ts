import type { Issue } from "@ccl/core";
import * as z from "zod";

import type {
  EventBody,
  SessionEvent,
  SessionEventData,
  SessionEventKind,
} from "./session-event.ts";

const code = "invalid_event";
const text = z.string();
const name = z.string().min(1);
const count = z.number().nonnegative();
const anyRecord = z.record(z.string(), z.unknown());
const ofProvider = { providerMetadata: anyRecord.optional() };

const artifact = {
  artifactId: text.regex(/^[0-9a-f]{64}$/, { error: "has to be 64 lower-case hex digits" }),
  handleId: name.optional(),
  summary: text,
  sizeBytes: count,
  mimeType: text,
};
const media = {
  ...ofProvider,
  mimeType: text,
  dataBase64: text.refine(isBase64, { error: "has to be base64 with padding" }).optional(),
  url: text.optional(),
  filename: text.optional(),
};
const parts = z.array(
  z.discriminatedUnion("type", [
    z.strictObject({ ...ofProvider, type: z.literal("text"), text }),
    z.strictObject({
      ...ofProvider,
      type: z.literal("reasoning"),
      text,
      signature: text.optional(),
    }),
    z.strictObject({ ...media, type: z.literal("image") }),
    z.strictObject({ ...media, type: z.literal("file") }),
    z.strictObject({
      type: z.literal("provider"),
      provider: name,
      raw: z.unknown(),
      pairId: text.optional(),
    }),
    z.strictObject({ ...artifact, type: z.literal("artifact") }),
  ]),
);
const content = z.union([text, parts], { error: "has to be text or a list of parts" });

const message = { ...ofProvider, id: text.optional(), source: text.optional() };
const outcome = {
  ...message,
  callId: name,
  name: text.optional(),
  content,
  durationMs: count.optional(),
  isLate: z.boolean().optional(),
  isArtifactRead: z.boolean().optional(),
  externalizeFailure: text.optional(),
};
const summary = z.strictObject({
  text,
  fromEventId: name,
  toEventId: name,
  modelId: text.optional(),
});
const toolCall = z.strictObject({ ...ofProvider, id: name, name: text, arguments: text });

const schemas: { [Kind in SessionEventKind]: z.ZodType<SessionEventData[Kind]> } = {
  user_input: z.strictObject({
    ...message,
    content,
    role: z.enum(["user", "system", "developer"]).optional(),
  }),
  memory_hit: z.strictObject({
    memoryId: name,
    text,
    score: z.number().optional(),
    query: text.optional(),
    source: text.optional(),
  }),
  tool_call: z.strictObject({ callId: name, name: text, arguments: text }),
  tool_success: z.strictObject(outcome),
  tool_error: z.strictObject(outcome),
  tool_timeout: z.strictObject({ ...outcome, content: content.optional(), timeoutMs: count }),
  guard_decision: z.strictObject({
    guard: name,
    decision: z.enum(["allow", "block", "modify"]),
    reason: text.optional(),
    callId: name.optional(),
    details: z.unknown().optional(),
  }),
  phase_result: z.strictObject({
    phase: name,
    status: z.enum(["succeeded", "failed"]).optional(),
    output: z.unknown().optional(),
    summary: summary.optional(),
  }),
  artifact_stored: z.strictObject({ ...artifact, source: text, callId: name.optional() }),
  assistant_message: z.strictObject({
    ...message,
    content,
    toolCalls: z.array(toolCall).optional(),
  }),
};

/** Runs in linear time on any text, unlike a regular expression over groups of four. */
function isBase64(value: string): boolean {
  return value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

/** True for the name of an event kind. */
export function isEventKind(kind: unknown): kind is SessionEventKind {
  return Object.keys(schemas).some((known) => known === kind);
}

/** True if the data fits the kind. Otherwise adds each issue to `issues`. */
export function isEventBody(
  body: { kind: SessionEventKind; data: unknown },
  issues: Issue[],
): body is EventBody {
  const { error } = schemas[body.kind].safeParse(body.data);
  issues.push(...issuesOf(error, { whole: "The data", code }));
  return error === undefined;
}

const stamped = z.object({
  eventId: name,
  timestamp: z.number(),
  tokens: count,
  kind: z.custom<SessionEventKind>(isEventKind),
  data: z.unknown(),
});

/** True for a JSON value that is a log event. Otherwise adds each issue to `issues`. */
export function isSessionEvent(value: unknown, issues: Issue[]): value is SessionEvent {
  const { data: body, error } = stamped.safeParse(value);
  issues.push(...issuesOf(error, { whole: "The event", code }));
  return body !== undefined && isEventBody(body, issues);
}

/** Returns the first 50 issues found by zod. `whole` names the checked value. */
export function issuesOf(
  error: z.ZodError | undefined,
  { whole, code }: { whole: string; code: string },
): Issue[] {
  return (error?.issues ?? [])
    .flatMap(withinUnion)
    .slice(0, 50)
    .map((issue) => {
      const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
      const message = `${path.join(".") || whole}: ${issue.message}.`;
      return { code, path, message };
    });
}

/**
 * Replaces a union issue with the issues of its parts. Otherwise zod would report every form that
 * content may have.
 */
function withinUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const inner = issue.code === "invalid_union" ? issue.errors.at(-1) : undefined;
  if (inner === undefined || inner.every(({ path }) => path.length === 0)) return [issue];
  return inner.map((innerIssue) => ({ ...innerIssue, path: [...issue.path, ...innerIssue.path] }));
}
