import type { ChatMessage, ToolCall } from "@ccl/core";
import { deepFreeze } from "@ccl/core/json";
import { eventMessage } from "./event-message.ts";
import type { SessionEvent } from "../event/session-event.ts";

/** One message in a session, with its source events. */
export interface SessionMessage {
  readonly message: ChatMessage;
  /** In log order. A tool result has those of its `tool_call`, `artifact_stored` and outcome. */
  readonly eventIds: readonly string[];
  /**
   * Sum of the tokens cached in the events. Slightly too high if several calls by the application
   * were joined.
   */
  readonly tokens: number;
}

/** A session's messages, updated with each event. */
interface SessionTimeline {
  /** Entries in the model's order. The array grows in place, so treat it as read-only. */
  readonly entries: readonly SessionMessage[];
  /**
   * Adds the next event in constant time. Returns the index of the first message that is new or
   * changed, or undefined if no message changes. Pass `message` if `eventMessage(event)` is already
   * known.
   */
  add(event: SessionEvent, message?: ChatMessage): number | undefined;
}

interface Slot {
  callId: string;
  isAnswered: boolean;
  /** Ids of the call's `tool_call` and `artifact_stored` events. */
  eventIds: string[];
}

/** An assistant message whose calls can still be answered. */
interface CallGroup {
  /** Index of the assistant message. */
  index: number;
  slots: Slot[];
  /** True if the message was added for calls that the application itself started. */
  isSynthetic: boolean;
}

interface TimelineState {
  entries: SessionMessage[];
  /** Groups that have an open call, oldest first. */
  groups: CallGroup[];
  keepsStrays: boolean;
}

/**
 * Builds the messages of a log, in the model's order. `user_input` and `assistant_message` stay
 * unchanged. An outcome answers its call, and parallel results follow the order of their calls. If
 * no assistant message requested a call, one is added for it. `memory_hit`, `guard_decision`,
 * `phase_result` and `artifact_stored` are not messages. An outcome is left out if it is marked
 * late, is a second outcome, belongs to no call, or comes after the next assistant message. Calls
 * without an outcome stay open. `keepsStrays` appends outcomes that answer no call.
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

/** Freezes the message, except for bytes, which can't be frozen. */
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

/** Returns the newest call with this id that is waiting for its result. */
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
  const openCall = slotOf(state, callId);
  if (openCall !== undefined) {
    openCall.slot.eventIds.push(event.eventId);
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
