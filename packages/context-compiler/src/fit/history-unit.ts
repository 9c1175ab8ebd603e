import type { ChatMessage } from "@ccl/core";

import type { ElidedRange } from "./fit-options.ts";

/**
 * Messages that are kept or dropped together: a call message with all its results, the two halves
 * of a provider's pair with everything in between, or any other single message.
 */
export interface HistoryUnit {
  kind: "calls" | "assistant" | "user" | "system";
  /** The caller's own message objects, repaired if necessary. */
  messages: ChatMessage[];
  /**
   * Index of each message in the input. A result added for an unanswered call has the index of its
   * call.
   */
  indexes: number[];
  tokens: number;
}

/** A range of units: `from` included, `to` excluded. */
export interface UnitRange {
  from: number;
  to: number;
}

/** A message, its index in the input, and its tokens. */
export interface Member {
  message: ChatMessage;
  index: number;
  tokens: number;
}

/** Creates a unit that starts with the message. */
export function createUnit({ message, index, tokens }: Member): HistoryUnit {
  return { kind: kindOf(message), messages: [message], indexes: [index], tokens };
}

/** Appends a message to a unit. */
export function addToUnit(unit: HistoryUnit, { message, index, tokens }: Member): void {
  unit.messages.push(message);
  unit.indexes.push(index);
  unit.tokens += tokens;
}

/** Joins a unit with all later units. */
export function joinUnits(units: HistoryUnit[], first: HistoryUnit): void {
  for (const { messages, indexes, tokens } of units.splice(units.indexOf(first) + 1)) {
    first.messages.push(...messages);
    first.indexes.push(...indexes);
    first.tokens += tokens;
  }
}

function kindOf({ role, toolCalls }: ChatMessage): HistoryUnit["kind"] {
  if (role === "assistant") return toolCalls === undefined ? "assistant" : "calls";
  return role === "user" ? "user" : "system";
}

/** Describes the units by their input messages. */
export function describeUnits(units: readonly HistoryUnit[], { from, to }: UnitRange): ElidedRange {
  const removed = { from: units[from]?.indexes[0] ?? 0, to: 0, messages: 0, tokens: 0 };
  for (const { indexes, tokens } of units.slice(from, to)) {
    removed.messages += indexes.length;
    removed.tokens += tokens;
    for (const index of indexes) removed.to = Math.max(removed.to, index + 1);
  }
  return removed;
}
