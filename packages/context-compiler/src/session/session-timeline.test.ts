import type { ChatMessage } from "@ccl/core";
import { createSequentialIds } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";
import { createSession } from "./create-session.ts";
import type { EventDraft } from "./event-input.ts";
import type { SessionEvent } from "../event/session-event.ts";
import { createSessionTimeline, type SessionMessage } from "./session-timeline.ts";

function sessionMessages(events: Iterable<SessionEvent>): SessionMessage[] {
  const timeline = createSessionTimeline();
  for (const event of events) timeline.add(event);
  return [...timeline.entries];
}

const user = (content: string): EventDraft => ({ kind: "user_input", data: { content } });
const says = (content: string, ...ids: string[]): EventDraft => ({
  kind: "assistant_message",
  data: {
    content,
    toolCalls:
      ids.length === 0 ? undefined : ids.map((id) => ({ id, name: "tool", arguments: "{}" })),
  },
});
const call = (callId: string): EventDraft => ({
  kind: "tool_call",
  data: { callId, name: "tool", arguments: "{}" },
});
const gives = (callId: string, content: string = `result ${callId}`): EventDraft => ({
  kind: "tool_success",
  data: { callId, content },
});

function brief({ role, content, toolCalls, toolCallId, isError }: ChatMessage): string {
  const calls = toolCalls === undefined ? "" : ` calls ${toolCalls.map(({ id }) => id).join(",")}`;
  return `${role}${toolCallId === undefined ? "" : ` ${toolCallId}${isError === true ? "!" : ""}`}: ${String(content)}${calls}`;
}

async function messagesOf(drafts: EventDraft[]): Promise<string[]> {
  const session = createSession({ ids: createSequentialIds() });
  await session.recordAll(drafts);
  expect(sessionMessages(session.eventLog)).toEqual(session.messages());
  return session.messages().map(({ message }) => brief(message));
}

describe("sessionMessages", () => {
  it.each<[string, EventDraft[], string[]]>([
    [
      "answers a call",
      [user("q"), says("", "a"), call("a"), gives("a"), says("done")],
      ["user: q", "assistant:  calls a", "tool a: result a", "assistant: done"],
    ],
    [
      "puts parallel answers in the order of the calls",
      [says("", "a", "b", "c"), gives("c"), gives("a"), gives("b")],
      ["assistant:  calls a,b,c", "tool a: result a", "tool b: result b", "tool c: result c"],
    ],
    [
      "moves an answer before a user message that came in between",
      [says("", "a", "b"), gives("b"), user("well?"), gives("a")],
      ["assistant:  calls a,b", "tool a: result a", "tool b: result b", "user: well?"],
    ],
    ["leaves a call without an outcome open", [says("", "a"), call("a")], ["assistant:  calls a"]],
    [
      "leaves out an answer that comes after the next assistant message",
      [says("", "a"), says("without it"), gives("a")],
      ["assistant:  calls a", "assistant: without it"],
    ],
    [
      "leaves out a second answer",
      [says("", "a"), gives("a"), gives("a", "again")],
      ["assistant:  calls a", "tool a: result a"],
    ],
    [
      "leaves out an answer that is marked late",
      [
        says("", "a"),
        { kind: "tool_success", data: { callId: "a", content: "late", isLate: true } },
      ],
      ["assistant:  calls a"],
    ],
    ["leaves out an answer to no call", [gives("x"), user("q")], ["user: q"]],
    [
      "adds a message for calls of the application",
      [user("q"), call("a"), gives("a")],
      ["user: q", "assistant:  calls a", "tool a: result a"],
    ],
    [
      "keeps parallel calls of the application together",
      [call("a"), call("b"), gives("b"), gives("a"), call("c"), gives("c")],
      [
        "assistant:  calls a,b",
        "tool a: result a",
        "tool b: result b",
        "assistant:  calls c",
        "tool c: result c",
      ],
    ],
    [
      "keeps a call that a tool makes after the call that it serves",
      [says("", "a"), call("a"), call("inner"), gives("inner"), gives("a")],
      [
        "assistant:  calls a",
        "tool a: result a",
        "assistant:  calls inner",
        "tool inner: result inner",
      ],
    ],
    [
      "accepts ids that repeat",
      [says("", "a"), gives("a", "1"), says("", "a"), gives("a", "2")],
      ["assistant:  calls a", "tool a: 1", "assistant:  calls a", "tool a: 2"],
    ],
    [
      "accepts an id that occurs twice in a message",
      [says("", "a", "a"), gives("a", "1"), gives("a", "2")],
      ["assistant:  calls a,a", "tool a: 1", "tool a: 2"],
    ],
    [
      "shows errors and timeouts as errors",
      [
        says("", "a", "b"),
        { kind: "tool_error", data: { callId: "a", content: "no" } },
        { kind: "tool_timeout", data: { callId: "b", timeoutMs: 50 } },
      ],
      ["assistant:  calls a,b", "tool a!: no", "tool b!: The tool did not answer within 50 ms."],
    ],
    [
      "shows no memory hits, guard decisions or phase results",
      [
        { kind: "memory_hit", data: { memoryId: "m", text: "t" } },
        { kind: "guard_decision", data: { guard: "g", decision: "block" } },
        { kind: "phase_result", data: { phase: "p" } },
      ],
      [],
    ],
  ])("%s", async (_name, drafts, expected) => {
    expect(await messagesOf(drafts)).toEqual(expected);
  });

  it("lists the events of each message", async () => {
    const session = createSession({ ids: createSequentialIds("e") });
    await session.recordAll([
      user("q"),
      says("", "a"),
      call("a"),
      gives("a"),
      call("b"),
      call("c"),
    ]);
    expect(session.messages().map(({ eventIds }) => eventIds)).toEqual([
      ["e-1"],
      ["e-2"],
      ["e-3", "e-4"],
      ["e-5", "e-6"],
    ]);
  });

  it("returns the index of the first changed message", async () => {
    const session = createSession();
    const drafts = [
      user("q"),
      says("", "a", "b"),
      gives("b"),
      user("x"),
      gives("a"),
      call("c"),
      call("d"),
      gives("z"),
    ];
    const events = await session.recordAll(drafts);
    const timeline = createSessionTimeline();
    expect(events.map((event) => timeline.add(event))).toEqual([0, 1, 2, 3, 2, 5, 5, undefined]);
  });

  it("keeps unchanged message objects, so that counts can be cached by object", async () => {
    const session = createSession();
    await session.recordAll([user("q"), says("", "a"), gives("a")]);
    const before = session.messages().map(({ message }) => message);
    await session.recordAll([user("more")]);
    expect(
      session
        .messages()
        .slice(0, 3)
        .every(({ message }, index) => message === before[index]),
    ).toBe(true);
    expect(Object.isFrozen(before[0])).toBe(true);
  });

  it("renders an artifact in place of the payload", async () => {
    const session = createSession();
    const artifact = {
      artifactId: "ab12".repeat(16),
      summary: "rows: 2",
      sizeBytes: 10_240,
      mimeType: "application/json",
    };
    await session.recordAll([
      says("", "a"),
      { kind: "artifact_stored", data: { ...artifact, source: "tool:t", callId: "a" } },
      { kind: "tool_success", data: { callId: "a", content: [{ type: "artifact", ...artifact }] } },
    ]);
    expect(session.messages()[1]?.message.content).toMatchInlineSnapshot(`
      "[stored in full as artifact ab12ab12ab12: application/json, 10,240 bytes]
      rows: 2"
    `);
    expect(session.messages()[1]?.eventIds).toHaveLength(2);
  });
});
