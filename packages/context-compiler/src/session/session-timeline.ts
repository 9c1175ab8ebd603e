import type { ChatMessage, ToolCall } from "@ccl/core";
import { deepFreeze } from "@ccl/core/json";
import { eventMessage } from "./event-message.ts";
import type { SessionEvent } from "./session-event.ts";

/** One message of a session and where it came from. */
export interface SessionMessage {
  readonly message: ChatMessage;
  /** In the order of the log: of a tool's answer its `tool_call`, `artifact_stored` and outcome. */
  readonly eventIds: readonly string[];
  /** As cached in the events; may be over by a few tokens of framing where calls of the application were joined. */
  readonly tokens: number;
}

/** The messages of a session as its events come in. */
export interface SessionTimeline {
  /** In the order in which a model gets them. The array grows in place; treat it as read-only. */
  readonly entries: readonly SessionMessage[];
  /**
   * Takes the next event in constant time and returns the index of the first message that is new or changed; undefined
   * when the event reaches no message. `message` spares building `eventMessage(event)` again.
   */
  add(event: SessionEvent, message?: ChatMessage): number | undefined;
}

interface Slot {
  callId: string;
  isAnswered: boolean;
  /** The `tool_call` and `artifact_stored` of the call. */
  eventIds: string[];
}

/** An assistant message with calls that can still be answered. */
interface CallGroup {
  /** Of the assistant message. */
  index: number;
  slots: Slot[];
  /** The application called by itself, and the message was added for that. */
  isSynthetic: boolean;
}

interface TimelineState {
  entries: SessionMessage[];
  /** Those with an open call, oldest first. */
  groups: CallGroup[];
  keepsStrays: boolean;
}

/**
 * The messages of a log, in the order in which a model gets them. `user_input` and `assistant_message` stand as they are;
 * an outcome answers its call, parallel answers in the order of the calls; calls that no assistant message named get one.
 * `memory_hit`, `guard_decision`, `phase_result` and `artifact_stored` are no messages. Outcomes that are marked late, come
 * second, belong to no call, or come after the next assistant message are left out. Calls without an outcome stay open.
 * `keepsStrays` keeps outcomes that answer no call, at the end as they come.
 */
export function createSessionTimeline({
  keepsStrays = false,
}: { keepsStrays?: boolean | undefined } = {}): SessionTimeline {
  const state: TimelineState = { entries: [], groups: [], keepsStrays };
  return {
    entries: state.entries,
    add(event, message = eventMessage(event)) {
      switch (event.kind) {
        case "tool_call":
          return addCall(state, event);
        case "artifact_stored":
          slotOf(state, event.data.callId)?.slot.eventIds.push(event.eventId);
          return undefined;
        case "assistant_message":
          state.groups.length = 0;
          if (event.data.toolCalls !== undefined) openGroup(state, event.data.toolCalls, false);
          return message === undefined ? undefined : push(state, event, message);
        case "tool_success":
        case "tool_error":
        case "tool_timeout":
          return message === undefined ? undefined : addOutcome(state, event, message);
        default:
          return message === undefined ? undefined : push(state, event, message);
      }
    },
  };
}

function push(
  { entries }: TimelineState,
  { eventId, tokens }: SessionEvent,
  message: ChatMessage,
): number {
  return entries.push(entryOf(message, [eventId], tokens)) - 1;
}

function entryOf(
  message: ChatMessage,
  eventIds: readonly string[],
  tokens: number,
): SessionMessage {
  return Object.freeze({
    message: freezeMessage(message),
    eventIds: Object.freeze(eventIds),
    tokens,
  });
}

/** Bytes can't be frozen; all else is. */
function freezeMessage(message: ChatMessage): ChatMessage {
  if (typeof message.content !== "string") {
    for (const part of message.content) Object.freeze(part);
    Object.freeze(message.content);
  }
  deepFreeze(message.toolCalls);
  return Object.freeze(message);
}

function openGroup(
  { entries, groups }: TimelineState,
  calls: readonly ToolCall[],
  isSynthetic: boolean,
): CallGroup {
  const slots = calls.map(({ id }) => ({ callId: id, isAnswered: false, eventIds: [] }));
  const group = { index: entries.length, slots, isSynthetic };
  groups.push(group);
  return group;
}

/** The newest call of this id that waits for its answer. */
function slotOf(
  { groups }: TimelineState,
  callId: string | undefined,
): { group: CallGroup; slot: Slot } | undefined {
  for (let index = groups.length - 1; index >= 0; index -= 1) {
    const group = groups[index];
    const slot = group?.slots.find((slot) => slot.callId === callId && !slot.isAnswered);
    if (group !== undefined && slot !== undefined) return { group, slot };
  }
  return undefined;
}

function addCall(state: TimelineState, event: SessionEvent<"tool_call">): number | undefined {
  const { callId, name } = event.data;
  const asked = slotOf(state, callId);
  if (asked !== undefined) {
    asked.slot.eventIds.push(event.eventId);
    return undefined;
  }
  const call = { id: callId, name, arguments: event.data.arguments };
  const last = state.groups.at(-1);
  const joined =
    last?.isSynthetic === true && last.index === state.entries.length - 1 ? last : undefined;
  const before = joined === undefined ? undefined : state.entries[joined.index];
  if (joined === undefined || before === undefined) {
    const message: ChatMessage = { role: "assistant", content: "", toolCalls: [call] };
    openGroup(state, [call], true);
    return push(state, event, message);
  }
  const message: ChatMessage = {
    ...before.message,
    toolCalls: [...(before.message.toolCalls ?? []), call],
  };
  joined.slots.push({ callId, isAnswered: false, eventIds: [] });
  state.entries[joined.index] = entryOf(
    message,
    [...before.eventIds, event.eventId],
    before.tokens + event.tokens,
  );
  return joined.index;
}

function addOutcome(
  state: TimelineState,
  event: SessionEvent<"tool_success" | "tool_error" | "tool_timeout">,
  message: ChatMessage,
): number | undefined {
  const found = event.data.isLate === true ? undefined : slotOf(state, event.data.callId);
  if (found === undefined) {
    return state.keepsStrays ? push(state, event, message) : undefined;
  }
  const { group, slot } = found;
  const before = group.slots
    .slice(0, group.slots.indexOf(slot))
    .filter(({ isAnswered }) => isAnswered).length;
  const index = group.index + 1 + before;
  slot.isAnswered = true;
  state.entries.splice(index, 0, entryOf(message, [...slot.eventIds, event.eventId], event.tokens));
  for (const other of state.groups) if (other.index >= index) other.index += 1;
  if (group.slots.every(({ isAnswered }) => isAnswered))
    state.groups.splice(state.groups.indexOf(group), 1);
  return index;
}
