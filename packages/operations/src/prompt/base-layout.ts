import type { ChatMessage } from "@ccl/core";

/** Messages that stand and fall together: one, or a tool call with its results and what lies between. */
export interface MessageGroup {
  /** Index of its first message in the base. */
  start: number;
  /** Index behind its last message. */
  end: number;
}

/** The parts of a base history. */
export interface BaseLayout {
  /** Messages of the leading block of system and developer messages. */
  leadCount: number;
  /** Of the current user turn; undefined where no message of the user follows the leading block. */
  userIndex: number | undefined;
  /** What follows the leading block, in order and without gaps. */
  groups: MessageGroup[];
  /** Index into `groups` by index into the base less `leadCount`. */
  groupOf: Int32Array;
}

/** Finds the leading block, tool calls with their results, and the current turn. Linear. */
export function baseLayout(base: readonly ChatMessage[], userMessageId?: string): BaseLayout {
  let leadCount = 0;
  while (isInstruction(base[leadCount])) leadCount += 1;
  const groups = groupsOf(base, leadCount);
  const groupOf = new Int32Array(base.length - leadCount);
  let position = 0;
  for (let index = 0; index < groups.length; index += 1) {
    const length = (groups[index]?.end ?? 0) - (groups[index]?.start ?? 0);
    for (const end = position + length; position < end; position += 1) groupOf[position] = index;
  }
  const userIndex = userIndexOf(base, { leadCount, userMessageId });
  return { leadCount, userIndex, groups, groupOf };
}

/** The group that a message of the history belongs to; undefined for one of the leading block. */
export function groupAt(
  { groups, groupOf, leadCount }: BaseLayout,
  index: number,
): MessageGroup | undefined {
  return groups[groupOf[index - leadCount] ?? -1];
}

function isInstruction(message: ChatMessage | undefined): boolean {
  return message?.role === "system" || message?.role === "developer";
}

function userIndexOf(
  base: readonly ChatMessage[],
  { leadCount, userMessageId }: { leadCount: number; userMessageId: string | undefined },
): number | undefined {
  const isTurn = (message: ChatMessage): boolean =>
    userMessageId === undefined ? message.role === "user" : message.id === userMessageId;
  const index = base.findLastIndex(isTurn);
  return index < leadCount ? undefined : index;
}

function groupsOf(base: readonly ChatMessage[], leadCount: number): MessageGroup[] {
  const lastResultOf = new Map<number, number>();
  const callAt = new Map<string, number>();
  for (let index = leadCount; index < base.length; index += 1) {
    const { toolCalls, toolCallId } = base[index] ?? {};
    if (toolCalls !== undefined) for (const { id } of toolCalls) callAt.set(id, index);
    const call = toolCallId === undefined ? undefined : callAt.get(toolCallId);
    if (call !== undefined) lastResultOf.set(call, index);
  }
  const groups: MessageGroup[] = [];
  for (let start = leadCount; start < base.length;) {
    let end = start + 1;
    // A call between another call and its result draws its own results in.
    for (let index = start; index < end; index += 1)
      end = Math.max(end, (lastResultOf.get(index) ?? index) + 1);
    groups.push({ start, end });
    start = end;
  }
  return groups;
}
