import type { ChatMessage, Part } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import { createSession } from "./create-session.ts";
import { openSession } from "./open-session.ts";
import { recordMessages } from "./record-messages.ts";
import type { Session } from "./session.ts";

const shown = (session: Session): ChatMessage[] => session.messages().map(({ message }) => message);

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "{}", "[1,2]", "line\r\nline", "🙂"),
);
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text }),
  fc.record(
    { type: fc.constant("reasoning" as const), text, signature: fc.base64String() },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record(
    {
      type: fc.constantFrom("image" as const, "file" as const),
      mimeType: fc.constantFrom("image/png", "application/pdf"),
      data: fc.uint8Array({ maxLength: 20 }),
    },
    { requiredKeys: ["type", "mimeType"] },
  ),
);
const content = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: fc.array(part, { maxLength: 3 }) },
);
const fields = fc.record(
  {
    id: fc.string({ minLength: 1, maxLength: 5 }),
    source: fc.constant("test"),
    providerMetadata: fc.record({
      openai: fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value))),
    }),
  },
  { requiredKeys: [] },
);
/**
 * One turn: a user message, or an assistant message with answers to all of its calls, in any order.
 */
const turn: fc.Arbitrary<ChatMessage[]> = fc.oneof(
  fc
    .tuple(
      content,
      fields,
      fc.constantFrom("system" as const, "user" as const, "developer" as const),
    )
    .map(([content, fields, role]) => [{ role, content, ...fields }]),
  fc
    .tuple(
      content,
      fields,
      fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 }),
      fc.array(content, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
    )
    .map(([content, fields, ids, answers, isError]) => {
      const calls = ids.map((id) => ({ id, name: "tool", arguments: '{"x":1}' }));
      const asks: ChatMessage = {
        role: "assistant",
        content,
        ...fields,
        toolCalls: ids.length === 0 ? undefined : calls,
      };
      return [
        asks,
        ...ids.map((toolCallId, index): ChatMessage => {
          return {
            role: "tool",
            toolCallId,
            content: answers[index] ?? "",
            isError: isError || undefined,
          };
        }),
      ];
    }),
);
const transcript = fc.array(turn, { maxLength: 8 }).map((turns) => turns.flat());

const weather: ChatMessage[] = [
  { role: "system", content: "You are terse." },
  { role: "user", content: "Weather in Oslo and Rome?" },
  {
    role: "assistant",
    content: "",
    toolCalls: [
      { id: "1", name: "weather", arguments: '{"city":"Oslo"}' },
      { id: "2", name: "weather", arguments: '{"city":"Rome"}' },
    ],
  },
  { role: "tool", toolCallId: "1", content: '{"degrees":3}' },
  { role: "tool", toolCallId: "2", content: "no such city", isError: true },
  { role: "assistant", content: "3 degrees in Oslo." },
];

describe("recordMessages", () => {
  it("restores the messages of any transcript", async () => {
    await fc.assert(
      fc.asyncProperty(transcript, async (messages) => {
        const session = createSession({ redact: false });
        await recordMessages(session, messages);
        expect(shown(session)).toEqual(messages);
      }),
    );
  });

  it("records a growing transcript as if it had been passed at once", async () => {
    await fc.assert(
      fc.asyncProperty(
        transcript,
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        async (messages, steps) => {
          const session = createSession({ redact: false });
          for (let end = 0; end < messages.length;) {
            end = Math.min(messages.length, end + (steps.next().value ?? 1));
            await recordMessages(session, messages.slice(0, end));
            expect(await recordMessages(session, messages.slice(0, end))).toEqual([]);
          }
          expect(shown(session)).toEqual(messages);
          const bySteps = session.eventLog.slice().map(({ kind }) => kind);
          const atOnce = createSession({ redact: false });
          await recordMessages(atOnce, messages);
          expect(bySteps.toSorted()).toEqual(
            atOnce.eventLog
              .slice()
              .map(({ kind }) => kind)
              .toSorted(),
          );
        },
      ),
    );
  });

  it("records calls as separate events", async () => {
    const session = createSession();
    await recordMessages(session, weather);
    expect(session.eventLog.slice().map(({ kind }) => kind)).toEqual([
      "user_input",
      "user_input",
      "assistant_message",
      "tool_call",
      "tool_call",
      "tool_success",
      "tool_error",
      "assistant_message",
    ]);
  });

  it.each<[string, (messages: ChatMessage[]) => ChatMessage[]]>([
    [
      "a changed message",
      (messages) => messages.with(1, { role: "user", content: "Weather in Rome?" }),
    ],
    [
      "a changed result",
      (messages) => messages.with(3, { role: "tool", toolCallId: "1", content: '{"degrees":4}' }),
    ],
    [
      "a result that is no longer an error",
      (messages) => messages.with(4, { role: "tool", toolCallId: "2", content: "no such city" }),
    ],
    [
      "changed arguments",
      (messages) =>
        messages.with(2, {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "1", name: "weather", arguments: "{}" }],
        }),
    ],
    ["a removed message", (messages) => messages.toSpliced(1, 1)],
    [
      "an inserted message",
      (messages) => messages.toSpliced(1, 0, { role: "user", content: "first" }),
    ],
  ])("rejects %s in the recorded part, and records nothing", async (_name, change) => {
    const session = createSession();
    await recordMessages(session, weather);
    const before = session.eventLog.length;
    const changed = [...change(weather), { role: "user" as const, content: "more" }];
    await expect(recordMessages(session, changed)).rejects.toMatchObject({
      code: "history_changed",
    });
    expect(session.eventLog.length).toBe(before);
  });

  it("accepts a shorter transcript as already recorded", async () => {
    const session = createSession();
    await recordMessages(session, weather);
    expect(await recordMessages(session, weather.slice(0, 3))).toEqual([]);
    const changed: ChatMessage[] = [...weather.slice(0, 5), { role: "user", content: "more" }];
    await expect(recordMessages(session, changed)).rejects.toMatchObject({
      code: "history_changed",
    });
    expect(await recordMessages(session, weather)).toEqual([]);
    expect(shown(session)).toEqual(weather);
  });

  it("continues after a shorter transcript in a session that was reopened", async () => {
    const store = createMemorySessionStore();
    await recordMessages(await openSession({ store, sessionId: "s" }), weather);
    const session = await openSession({ store, sessionId: "s" });
    await recordMessages(session, weather.slice(0, 5));
    expect(await recordMessages(session, weather)).toEqual([]);
  });

  it("records a message once in concurrent calls", async () => {
    const session = createSession();
    const calls = [3, 6, 2, 6].map((end) => recordMessages(session, weather.slice(0, end)));
    const added = (await Promise.all(calls)).map(({ length }) => length);
    expect(added).toEqual([5, 3, 0, 0]);
    expect(shown(session)).toEqual(weather);
  });

  it("rejects a recorded message that the caller changed in place", async () => {
    const session = createSession();
    const parts = [
      { type: "text" as const, text: "What is this?" },
      { type: "image" as const, mimeType: "image/png", data: new Uint8Array([1, 2]) },
    ];
    const messages: ChatMessage[] = [{ role: "user", content: parts }];
    await recordMessages(session, messages);
    expect(await recordMessages(session, messages)).toEqual([]);
    const more: ChatMessage[] = [...messages, { role: "user", content: "more" }];
    for (const part of [{ text: "What is that?" }, { data: new Uint8Array([1, 3]) }]) {
      const target = parts["text" in part ? 0 : 1];
      const former = { ...target };
      Object.assign(target ?? {}, part);
      await expect(recordMessages(session, more)).rejects.toMatchObject({
        code: "history_changed",
      });
      Object.assign(target ?? {}, former);
    }
    expect(await recordMessages(session, more)).toHaveLength(1);
  });

  it("compares with the log if something else was recorded meanwhile", async () => {
    const session = createSession();
    const [recorded] = await Promise.all([
      recordMessages(session, weather.slice(0, 2)),
      session.record("user_input", { content: "by the application" }),
    ]);
    expect(recorded).toHaveLength(2);
    await expect(recordMessages(session, weather)).rejects.toMatchObject({
      code: "history_changed",
    });
  });

  it("accepts answers in any order, and later answers of the same calls", async () => {
    const session = createSession();
    const [system, user, asks, first, second] = weather;
    if (!system || !user || !asks || !first || !second) throw new Error("the transcript is short");
    await recordMessages(session, [system, user, asks, second]);
    await recordMessages(session, [system, user, asks, second, first]);
    expect(shown(session)).toEqual([system, user, asks, first, second]);
    expect(await recordMessages(session, [system, user, asks, first, second])).toEqual([]);
  });

  it("recognizes messages whose secrets were masked", async () => {
    const session = createSession();
    const messages: ChatMessage[] = [
      { role: "user", content: `my key is ghp_${"a1B2".repeat(9)}` },
    ];
    expect(await recordMessages(session, messages)).toHaveLength(1);
    expect(await recordMessages(session, messages)).toEqual([]);
    expect(JSON.stringify(shown(session))).toContain("[redacted:");
  });

  it("keeps answers without a call in the log, and recognizes them", async () => {
    const session = createSession();
    const messages: ChatMessage[] = [
      { role: "tool", toolCallId: "cut off", content: "orphan" },
      { role: "user", content: "hi" },
    ];
    await recordMessages(session, messages);
    expect(shown(session)).toEqual([{ role: "user", content: "hi" }]);
    expect(
      await recordMessages(session, [...messages, { role: "assistant", content: "hello" }]),
    ).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ["a tool message without a call", { role: "tool", content: "x" }],
    ["an unknown role", { role: "robot", content: "x" }],
  ])("rejects %s", async (_name, message) => {
    const session = createSession();
    await expect(recordMessages(session, [message as ChatMessage])).rejects.toMatchObject({
      code: "invalid_messages",
    });
  });

  it("continues in a session that was reopened", async () => {
    const store = createMemorySessionStore();
    await recordMessages(await openSession({ store, sessionId: "s" }), weather.slice(0, 4));
    const session = await openSession({ store, sessionId: "s" });
    expect(await recordMessages(session, weather)).toHaveLength(2);
    expect(shown(session)).toEqual(weather);
  });
});
