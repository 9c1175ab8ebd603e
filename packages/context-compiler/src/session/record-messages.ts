import { sha256Hex, type ChatMessage } from "@ccl/core";
import { TurnQueue } from "@ccl/core/async";
import { isRecord } from "@ccl/core/json";

import { ContextCompilerError } from "../context-compiler-error.ts";
import type { EventDraft } from "./event-input.ts";
import { isRecorded, type RecordedMessage } from "./is-recorded.ts";
import { jsonOf, maskDraft } from "./prepare-draft.ts";
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
    throw new ContextCompilerError(
      "invalid_messages",
      "`messages` must be an array of chat messages.",
    );
  }
  const drafts = messages.map(draftsOf);
  const index = drafts.findIndex(({ length }) => length === 0);
  if (index >= 0) {
    const text = `Message ${index} is not a chat message, or is a tool message without toolCallId.`;
    throw new ContextCompilerError("invalid_messages", text, { details: { index } });
  }
  const hashes = messages.map(hashOf);
  const last = lastTranscriptOf(session);
  return last.turns.run(async () => {
    const { length } = session.eventLog;
    const isGrown =
      last.events === length && last.hashes.every((hash, position) => hash === hashes[position]);
    const fresh = isGrown
      ? drafts.slice(last.hashes.length).flat()
      : await findNew(session, drafts, options);
    // A shorter transcript adds nothing either. It must not replace the longer one.
    if (fresh.length === 0) return [];
    const events = await session.recordAll(fresh, options);
    last.hashes = hashes;
    last.events = length + events.length;
    return events;
  }, options.signal);
}

/** The last recorded transcript. The next one is compared with it rather than with the log. */
const lastTranscriptOf = sessionMemory(() => ({
  turns: new TurnQueue(ContextCompilerError),
  hashes: new Array<string>(),
  /** Length of the log when the transcript was recorded. */
  events: 0,
}));

/** A hash does not change if the caller later changes the message. */
function hashOf(message: ChatMessage): string {
  const { content } = message;
  const hashed = Array.isArray(content) ? content.map(withHashedBytes) : content;
  return sha256Hex(jsonOf({ ...message, content: hashed }));
}

/** Encoding the bytes as base64 would take much longer. */
function withHashedBytes(part: unknown): unknown {
  if (!isRecord(part) || !(part["data"] instanceof Uint8Array)) return part;
  return { ...part, data: sha256Hex(part["data"]) };
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
  const transcript = placeMessages(
    bodies.map((body, at) => ({ ...body, timestamp: 0, tokens: 0, eventId: String(at) })),
  );
  const recorded = placeMessages(session.eventLog);
  const fresh = [...transcript]
    .filter(([key]) => !recorded.has(key))
    .map(([, { position }]) => position)
    .sort((left, right) => left - right);
  if (fresh[0] !== undefined && [...recorded.keys()].some((key) => !transcript.has(key)))
    throw historyChanged(fresh[0]);
  for (const [key, { message, position }] of transcript) {
    const before = recorded.get(key);
    if (before && !(await isRecorded(message, before, { session, ...options })))
      throw historyChanged(position);
  }
  return fresh.flatMap((position) => drafts[position] ?? []);
}

/** Creates the drafts for a message. Returns none if the value is not a message. */
function draftsOf(message: ChatMessage): EventDraft[] {
  if (!isRecord(message)) return [];
  const { role, content, toolCalls = [], toolCallId: callId, isError, ...fields } = message;
  if (!Array.isArray(toolCalls) || !toolCalls.every(isRecord)) return [];
  switch (role) {
    case "system":
    case "developer":
      return [{ kind: "user_input", data: { ...fields, content, role } }];
    case "user":
      return [{ kind: "user_input", data: { ...fields, content } }];
    case "assistant": {
      const calls = toolCalls.map(({ id, name, arguments: text }): EventDraft => {
        return { kind: "tool_call", data: { callId: id, name, arguments: text } };
      });
      const requested = toolCalls.length === 0 ? {} : { toolCalls };
      return [{ kind: "assistant_message", data: { ...fields, content, ...requested } }, ...calls];
    }
    case "tool":
      if (callId === undefined) return [];
      return [
        {
          kind: isError === true ? "tool_error" : "tool_success",
          data: { ...fields, callId, content },
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
      const source = byId.get(eventIds.at(-1) ?? "");
      return [keyOf(message), { message, event: source?.event, position: source?.position ?? 0 }];
    }),
  );
}

function createPlaces(): (message: ChatMessage) => string {
  let others = 0;
  const answers = new Map<string, number>();
  return ({ role, toolCallId = "" }) => {
    if (role === "tool") {
      const count = (answers.get(toolCallId) ?? 0) + 1;
      answers.set(toolCallId, count);
      return `${others} ${count} ${toolCallId}`;
    }
    answers.clear();
    others += 1;
    return String(others);
  };
}

function historyChanged(index: number): ContextCompilerError {
  return new ContextCompilerError(
    "history_changed",
    `The transcript differs from what was recorded, first at message ${index}. Record it in a separate session.`,
    { details: { index } },
  );
}
