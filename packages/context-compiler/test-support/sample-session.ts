import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { createFixedClock, createSequentialIds } from "@ccl/core/testing";
import { createSession } from "../src/session/create-session.ts";
import type { EventDraft } from "../src/session/event-input.ts";
import type { Session, SessionOptions } from "../src/session/session.ts";

/** The estimate, marked as exact so that budgets are used to the last token. */
export const exact: TokenCounter = { ...estimatedCounter, name: "exact-for-tests", isExact: true };

/** A text of `count` words. */
export function words(count: number, seed = 0): string {
  return Array.from({ length: count }, (_, at) => `word${(at * 7 + seed) % 97}`).join(" ");
}

/** An in-memory session whose ids and times do not depend on the run. */
export function sampleSession(options: SessionOptions = {}): Session {
  const fixed = {
    sessionId: "s",
    clock: createFixedClock(1_000),
    ids: createSequentialIds("e"),
    counter: exact,
  };
  return createSession({ ...fixed, ...options });
}

/** The drafts of one turn: a question, a call, its result of about 150 tokens, an answer. */
export function turnDrafts(turn: number): EventDraft[] {
  const call = { id: `c${turn}`, name: "look_up", arguments: `{"id":"R-${turn}"}` };
  return [
    { kind: "user_input", data: { content: `Please check R-${turn}. ${words(15, turn)}` } },
    { kind: "assistant_message", data: { content: "", toolCalls: [call] } },
    { kind: "tool_call", data: { callId: call.id, name: call.name, arguments: call.arguments } },
    {
      kind: "tool_success",
      data: { callId: call.id, content: `R-${turn} holds ${words(80, turn)}` },
    },
    { kind: "assistant_message", data: { content: `R-${turn} is fine. ${words(20, turn)}` } },
  ];
}

/** Records the turns `from` up to and excluding `to`. */
export async function recordTurns(session: Session, from: number, to: number): Promise<void> {
  for (let turn = from; turn < to; turn += 1) await session.recordAll(turnDrafts(turn));
}
