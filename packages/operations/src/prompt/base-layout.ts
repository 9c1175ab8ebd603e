import type { ChatMessage } from "@ccl/core";

import type { PromptInsert } from "./assembled-prompt.ts";

/** Messages that stay together, with inserts around them: a tool call and its results, or any single message. */
interface MessageGroup {
  /** Index of its first message in the base. */
  start: number;
  /** Index after its last message. */
  end: number;
  before: PromptInsert[];
  after: PromptInsert[];
  /** Insert that replaces the group. */
  replacement?: PromptInsert | undefined;
}

/** The parts of a base history. */
export interface BaseLayout {
  /** Number of messages in the leading block, which consists of system and developer messages. */
  leadCount: number;
  /** Index of the current user turn. -1 if no user message follows the leading block. */
  userIndex: number;
  /** The group of each message, by index into the base. Undefined for the leading block. */
  groupAt: readonly (MessageGroup | undefined)[];
}

/** Counts the system and developer messages that precede all others. */
export function leadCountOf(messages: readonly ChatMessage[]): number {
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  return first < 0 ? messages.length : first;
}

/** Finds the leading block, tool calls with their results, and the current turn. Linear time. */
export function baseLayout(base: readonly ChatMessage[], userMessageId?: string): BaseLayout {
  const leadCount = leadCountOf(base);
  const userIndex = base.findLastIndex(
    ({ role, id }, index) =>
      index >= leadCount && (userMessageId === undefined ? role === "user" : id === userMessageId),
  );
  return { leadCount, userIndex, groupAt: groupsOf(base, leadCount) };
}

function groupsOf(base: readonly ChatMessage[], leadCount: number): (MessageGroup | undefined)[] {
  const lastResultOf = new Map<number, number>();
  const callAt = new Map<string, number>();
  for (const [index, { toolCalls = [], toolCallId = "" }] of base.entries()) {
    if (index < leadCount) continue;
    for (const { id } of toolCalls) callAt.set(id, index);
    const call = callAt.get(toolCallId);
    if (call !== undefined) lastResultOf.set(call, index);
  }
  const groupAt: (MessageGroup | undefined)[] = Array.from({ length: leadCount });
  while (groupAt.length < base.length) {
    const start = groupAt.length;
    const group: MessageGroup = { start, end: start + 1, before: [], after: [] };
    // A call between another call and its result extends the group by its own results.
    for (let index = start; index < group.end; index += 1) {
      group.end = Math.max(group.end, (lastResultOf.get(index) ?? index) + 1);
      groupAt.push(group);
    }
  }
  return groupAt;
}
