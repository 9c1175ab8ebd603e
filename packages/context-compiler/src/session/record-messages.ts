import type { ChatMessage } from "@ccl/core";
import { isRecord, isSameJson } from "@ccl/core/json";

import { ContextCompilerError } from "../context-compiler-error.ts";
import type { EventDraft } from "./event-input.ts";
import { isRecorded, type RecordedMessage } from "./is-recorded.ts";
import { maskDraft } from "./prepare-draft.ts";
import { redactOf } from "./recording-session.ts";
import type { SessionEvent } from "../event/session-event.ts";
import { sessionMemory } from "./session-memory.ts";
import { createSessionTimeline } from "./session-timeline.ts";
import type { Session } from "./session.ts";

/**
 * Records the new messages of a transcript, all or none. Returns the new events. As the transcript
 * grows, the whole of it may be passed again. Calls in an assistant message are also recorded as
 * `tool_call`. System and developer messages become `user_input` with that role. Results that
 * belong to no call stay in the log but appear in no prompt.
 * @throws ContextCompilerError `history_changed` if the recorded part differs, `invalid_messages`
 * for a value that is not a message
 */
export async function recordMessages(
  session: Session,
  messages: readonly ChatMessage[],
  options: { signal?: AbortSignal | undefined } = {},
): Promise<SessionEvent[]> {
  if (!Array.isArray(messages)) {
    throw new ContextCompilerError("invalid_messages", "The messages are a list of chat messages.");
  }
  const last = lastTranscriptOf(session);
  const isGrown = last.events === session.eventLog.length && startsWith(messages, last.messages);
  const before = isGrown ? last.messages : [];
  const start = before.length;
  const drafts = messages.slice(start).map(draftsOf);
  const broken = drafts.findIndex(({ length }) => length === 0);
  if (broken >= 0) {
    const index = broken + start;
    const text = `Message ${index} is not a chat message, or is a tool message without toolCallId.`;
    throw new ContextCompilerError("invalid_messages", text, { details: { index } });
  }
  const fresh = start > 0 ? drafts.flat() : await findNew(session, drafts, options);
  const events = fresh.length === 0 ? [] : await session.recordAll(fresh, options);
  const added = messages.slice(start).map((message) => ({ ...message }));
  last.messages = [...before, ...added];
  last.events = session.eventLog.length;
  return events;
}

/** The last recorded transcript. The next one is compared with it rather than with the log. */
const lastTranscriptOf = sessionMemory((): { messages: ChatMessage[]; events: number } => ({
  messages: [],
  events: 0,
}));

function startsWith(messages: readonly ChatMessage[], known: readonly ChatMessage[]): boolean {
  return (
    messages.length >= known.length &&
    known.every((message, at) => isSameJson(messages[at], message))
  );
}

/**
 * Finds the drafts that are not in the log yet. Throws `history_changed` if the log has different
 * ones in their place.
 */
async function findNew(
  session: Session,
  drafts: readonly EventDraft[][],
  options: { signal?: AbortSignal | undefined },
): Promise<EventDraft[]> {
  const redact = redactOf(session);
  const bodies = drafts.flatMap(([draft]) =>
    draft === undefined ? [] : maskDraft(draft, redact).draft,
  );
  const stamp = { timestamp: 0, tokens: 0 };
  const transcript = placeMessages(
    bodies.map((body, position) => ({ ...body, ...stamp, eventId: String(position) })),
  );
  const recorded = placeMessages(session.eventLog);
  const fresh = [...transcript]
    .filter(([key]) => !recorded.has(key))
    .map(([, { position }]) => position);
  const first = fresh.reduce((min, position) => Math.min(min, position), Infinity);
  const isShortened = [...recorded.keys()].some((key) => !transcript.has(key));
  if (isShortened && fresh.length > 0) throw historyChanged(first);
  for (const [key, { message, position }] of transcript) {
    const before = recorded.get(key);
    if (before === undefined) continue;
    if (!(await isRecorded(message, before, { session, ...options })))
      throw historyChanged(position);
  }
  return fresh.sort((a, b) => a - b).flatMap((position) => drafts[position] ?? []);
}

/** Creates the drafts for a message. Returns none if the value is not a message. */
function draftsOf(message: ChatMessage): EventDraft[] {
  if (!isRecord(message)) return [];
  const { role, content, toolCalls = [], toolCallId, isError, ...fields } = message;
  if (!Array.isArray(toolCalls) || !toolCalls.every(isRecord)) return [];
  switch (role) {
    case "system":
    case "developer":
      return [{ kind: "user_input", data: { ...fields, content, role } }];
    case "user":
      return [{ kind: "user_input", data: { ...fields, content } }];
    case "assistant": {
      const calls = toolCalls.map((call): EventDraft => {
        return {
          kind: "tool_call",
          data: { callId: call.id, name: call.name, arguments: call.arguments },
        };
      });
      const requested = toolCalls.length === 0 ? {} : { toolCalls };
      return [{ kind: "assistant_message", data: { ...fields, content, ...requested } }, ...calls];
    }
    case "tool":
      if (toolCallId === undefined) return [];
      return [
        {
          kind: isError === true ? "tool_error" : "tool_success",
          data: { ...fields, callId: toolCallId, content },
        },
      ];
    default:
      return [];
  }
}

interface Placed extends RecordedMessage {
  /** Position in the passed transcript or in the log. */
  position: number;
}

/**
 * Keys messages by their position among the others, regardless of the order of parallel results.
 */
function placeMessages(events: Iterable<SessionEvent>): Map<string, Placed> {
  const timeline = createSessionTimeline({ keepsStrays: true });
  const byId = new Map<string, { event: SessionEvent; position: number }>();
  for (const event of events) {
    timeline.add(event);
    byId.set(event.eventId, { event, position: byId.size });
  }
  const keyOf = createPlaces();
  return new Map(
    timeline.entries.map(({ message, eventIds }) => {
      const found = byId.get(eventIds.at(-1) ?? "");
      return [keyOf(message), { message, event: found?.event, position: found?.position ?? 0 }];
    }),
  );
}

function createPlaces(): (message: ChatMessage) => string {
  let others = 0;
  let answers = new Map<string, number>();
  return ({ role, toolCallId = "" }) => {
    if (role === "tool") {
      const count = (answers.get(toolCallId) ?? 0) + 1;
      answers.set(toolCallId, count);
      return `${others} ${count} ${toolCallId}`;
    }
    answers = new Map();
    others += 1;
    return String(others);
  };
}

function historyChanged(index: number): ContextCompilerError {
  return new ContextCompilerError(
    "history_changed",
    `The transcript differs from what was recorded, first at message ${index}. Record it in a session of its own.`,
    { details: { index } },
  );
}
