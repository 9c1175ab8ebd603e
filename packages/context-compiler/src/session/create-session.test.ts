import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { CclError, type ChatMessage } from "@ccl/core";
import { createFixedClock, createSequentialIds } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";
import { sampleSession, words } from "../../test-support/sample-session.ts";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import { alignOutput } from "../tool-interrupt/align-output.ts";
import { redactOf } from "./recording-session.ts";
import { createSession } from "./create-session.ts";
import { openSession } from "./open-session.ts";
import { recordMessages } from "./record-messages.ts";
import type { SessionEventKind } from "../event/session-event.ts";

const fixed = (): {
  clock: ReturnType<typeof createFixedClock>;
  ids: ReturnType<typeof createSequentialIds>;
} => ({
  clock: createFixedClock(1_000),
  ids: createSequentialIds("event"),
});

const user = (content: string): ChatMessage => ({ role: "user", content });

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => new Error("nothing was thrown"),
    (thrown: unknown) => thrown,
  );
  return error instanceof CclError ? error.code : String(error);
}

describe("createSession", () => {
  it("records events with id, time, kind, data and tokens", async () => {
    const session = createSession({ sessionId: "s", ...fixed() });
    const event = await session.record("user_input", { content: "Hello there" });
    expect(event).toEqual({
      eventId: "event-1",
      timestamp: 1_000,
      kind: "user_input",
      data: { content: "Hello there" },
      tokens: expect.any(Number),
    });
    expect(session.eventLog.totalTokens()).toBe(event.tokens);
    expect(event.tokens).toBeGreaterThan(2);
  });

  it("filters by kind, finds events since a time, and iterates", async () => {
    const { clock, ids } = fixed();
    const session = createSession({ clock, ids });
    await session.record("user_input", { content: "one" });
    clock.advance(10);
    await session.eventLog.append("assistant_message", { content: "two" });
    clock.set(5);
    await session.record("user_input", { content: "three" });
    const { eventLog } = session;
    expect(eventLog.filter(["user_input"]).map(({ data }) => data.content)).toEqual([
      "one",
      "three",
    ]);
    expect(eventLog.since(1_010).map(({ eventId }) => eventId)).toEqual(["event-2", "event-3"]);
    expect(eventLog.since(0)).toHaveLength(3);
    expect(eventLog.since(1_011)).toEqual([]);
    const seen: string[] = [];
    for await (const { eventId } of eventLog) seen.push(eventId);
    expect(seen).toEqual(["event-1", "event-2", "event-3"]);
    expect(eventLog.length).toBe(3);
    expect(eventLog.at(-1)?.timestamp).toBe(1_010);
  });

  it("generates ids that sort by time, whatever the clock does", async () => {
    const { clock } = fixed();
    const session = createSession({ clock });
    for (let count = 0; count < 50; count += 1) {
      clock.set(count % 2 === 0 ? 5_000 : 1_000);
      await session.record("user_input", { content: "x" });
    }
    const ids = session.eventLog.slice().map(({ eventId }) => eventId);
    expect(ids).toEqual(ids.toSorted());
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it("freezes events deeply and shares nothing with the caller's data", async () => {
    const session = createSession();
    const part = { type: "text" as const, text: "before" };
    const event = await session.record("user_input", { content: [part] });
    part.text = "after";
    expect(event.data.content).toEqual([{ type: "text", text: "before" }]);
    expect(() => Object.assign(event.data, { role: "system" })).toThrow(TypeError);
    expect(() => Object.assign(event.data.content[0] ?? {}, { text: "x" })).toThrow(TypeError);
    expect(() => Object.assign(session.eventLog, { push: 1 })).toThrow(TypeError);
  });

  it("records in the order of the calls, not of their completion", async () => {
    const session = createSession({ ids: createSequentialIds() });
    const words = ["a", "b", "c", "d"];
    await Promise.all(words.map((content) => session.record("user_input", { content })));
    expect(session.eventLog.slice().map(({ data }) => "content" in data && data.content)).toEqual(
      words,
    );
  });

  it.each<[string, string, unknown]>([
    ["an unknown kind", "user_output", { content: "x" }],
    ["data that is not an object", "user_input", "x"],
    ["no content", "user_input", {}],
    ["an unknown member", "user_input", { content: "x", contents: "y" }],
    [
      "a role other than the operator's or the user's",
      "user_input",
      { content: "x", role: "assistant" },
    ],
    ["a part of an unknown type", "user_input", { content: [{ type: "video" }] }],
    [
      "invalid base64",
      "user_input",
      { content: [{ type: "image", mimeType: "image/png", dataBase64: "*" }] },
    ],
    ["a call without an id", "tool_call", { name: "x", arguments: "{}" }],
    ["parsed arguments", "tool_call", { callId: "1", name: "x", arguments: {} }],
    ["an outcome without a call", "tool_success", { content: "x" }],
    ["a timeout without its limit", "tool_timeout", { callId: "1" }],
    ["an unknown decision", "guard_decision", { guard: "g", decision: "maybe" }],
    ["a summary without its range", "phase_result", { phase: "summary", summary: { text: "x" } }],
    [
      "an id that is not a hash",
      "artifact_stored",
      { artifactId: "a", summary: "", sizeBytes: 1, mimeType: "", source: "" },
    ],
    ["data that JSON can't hold", "phase_result", { phase: "p", output: { x: 1n } }],
    ["a number that is not finite", "memory_hit", { memoryId: "m", text: "t", score: Number.NaN }],
  ])("rejects %s", async (_name, kind, data) => {
    const session = createSession();
    const record: (kind: SessionEventKind, data: never) => Promise<unknown> = session.record;
    expect(await codeOf(record(kind as SessionEventKind, data as never))).toBe("invalid_event");
    expect(session.eventLog.length).toBe(0);
  });

  it("accepts every kind", async () => {
    const session = createSession();
    const artifactId = "0".repeat(64);
    await session.record("user_input", { content: "hi", role: "developer", source: "cli" });
    await session.record("memory_hit", {
      memoryId: "m1",
      text: "likes tea",
      score: 0.5,
      query: "tea",
    });
    await session.record("assistant_message", {
      content: "",
      toolCalls: [{ id: "1", name: "t", arguments: "{}" }],
    });
    await session.record("tool_call", { callId: "1", name: "t", arguments: "{}" });
    await session.record("artifact_stored", {
      artifactId,
      summary: "",
      sizeBytes: 1,
      mimeType: "x/y",
      source: "tool:t",
    });
    await session.record("tool_success", { callId: "1", content: "done", durationMs: 3 });
    await session.record("tool_error", { callId: "2", content: "failed", isLate: true });
    await session.record("tool_timeout", { callId: "3", timeoutMs: 10 });
    await session.record("guard_decision", { guard: "g", decision: "block", details: { rule: 1 } });
    await session.record("phase_result", { phase: "plan", status: "succeeded", output: [1, null] });
    expect(new Set(session.eventLog.slice().map(({ kind }) => kind)).size).toBe(10);
  });

  it("masks secrets in every text before anything is stored", async () => {
    const session = createSession();
    const key = `ghp_${"a1B2".repeat(9)}`;
    await session.record("user_input", { content: `use ${key}` });
    await session.record("assistant_message", {
      content: [{ type: "reasoning", text: `the key is ${key}`, signature: "proof" }],
      toolCalls: [
        { id: "1", name: "t", arguments: JSON.stringify({ password: "hunter2-hunter2" }) },
      ],
    });
    await session.record("tool_success", { callId: "1", content: `found ${key}` });
    await session.record("phase_result", { phase: "p", output: { api_key: "abcd1234efgh5678" } });
    const text = JSON.stringify(session.eventLog.slice());
    expect(text).not.toContain(key);
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("abcd1234efgh5678");
    expect(text).not.toContain("proof");
    const plain = createSession({ redact: false });
    await plain.record("user_input", { content: `use ${key}` });
    expect(JSON.stringify(plain.eventLog.slice())).toContain(key);
  });

  it.each([
    [
      String.raw`{"url":"https:\/\/me:hunter2-hunter2@host.test\/x"}`,
      '{"url":"https://me:[redacted:url_password]@host.test/x"}',
    ],
    [
      String.raw`{"query":"a=1\u0026password=hunter22secret"}`,
      '{"query":"a=1&password=[redacted:secret_value]"}',
    ],
    [
      String.raw`{"body":"{\u0022password\u0022:\u0022hunter2-hunter2\u0022}"}`,
      String.raw`{"body":"{\"password\":\"[redacted:secret_value]\"}"}`,
    ],
    [
      String.raw`{"stdout":"A=1\nPASSWORD=hunter2-hunter2\n"}`,
      String.raw`{"stdout":"A=1\nPASSWORD=[redacted:secret_value]\n"}`,
    ],
    [String.raw`{"path":"a\/b\u0026"}`, String.raw`{"path":"a\/b\u0026"}`],
  ])("masks secrets with JSON escapes in %s, whatever the source", async (text, masked) => {
    const session = createSession();
    const toolCalls = [{ id: "1", name: "t", arguments: text }];
    await recordMessages(session, [user(text), { role: "assistant", content: "", toolCalls }]);
    await session.record("tool_success", { callId: "1", content: [{ type: "text", text }] });
    const [first, second, third] = session.messages().map(({ message }) => message);
    expect([first?.content, second?.toolCalls?.[0]?.arguments]).toEqual([masked, masked]);
    expect(third?.content).toEqual([{ type: "text", text: masked }]);
    const held = { check: undefined, redact: redactOf(session) };
    expect(alignOutput({ content: text }, held)).toMatchObject({ value: masked });
    expect(await recordMessages(session, [user(text)])).toEqual([]);
  });

  it("returns messages through which it cannot be changed", async () => {
    const session = createSession();
    await session.record("user_input", {
      content: [{ type: "text", text: "one" }],
      providerMetadata: { a: { b: 1 } },
    });
    await session.record("tool_call", { callId: "1", name: "t", arguments: "{}" });
    const before = JSON.stringify(session.messages());
    const given = session.messages();
    Reflect.apply(Array.prototype.splice, given, [0, 2]);
    expect(given).toEqual([]);
    const isFrozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    expect(session.messages().every(isFrozen)).toBe(true);
    expect(JSON.stringify(session.messages())).toBe(before);
  });

  it("replaces lone surrogates, which no log can hold", async () => {
    const session = createSession();
    const { data } = await session.record("tool_success", { callId: "1", content: "cut \uD83D" });
    expect(data.content).toBe("cut \uFFFD");
  });

  it("counts only what reaches a prompt", async () => {
    const session = createSession();
    const call = { id: "1", name: "t", arguments: "{}" };
    const asked = await session.record("assistant_message", { content: "", toolCalls: [call] });
    const named = await session.record("tool_call", { callId: "1", name: "t", arguments: "{}" });
    const first = await session.record("tool_success", { callId: "1", content: "first answer" });
    const second = await session.record("tool_success", { callId: "1", content: "second answer" });
    const guard = await session.record("guard_decision", { guard: "g", decision: "allow" });
    const own = await session.record("tool_call", { callId: "2", name: "t", arguments: "{}" });
    expect([named, second, guard].map(({ tokens }) => tokens)).toEqual([0, 0, 0]);
    expect(own.tokens).toBe(asked.tokens);
    const shown = session.messages().reduce((sum, { tokens }) => sum + tokens, 0);
    expect(session.eventLog.totalTokens()).toBe(shown);
    expect(first.tokens).toBeGreaterThan(0);
  });

  it("rejects a duplicate id, and records nothing of that batch", async () => {
    const session = createSession({ ids: { next: () => "same" } });
    await session.record("user_input", { content: "one" });
    expect(await codeOf(session.record("user_input", { content: "two" }))).toBe("invalid_options");
    expect(session.eventLog.length).toBe(1);
  });

  it("records a batch completely or not at all", async () => {
    const session = createSession();
    const drafts = [
      { kind: "user_input" as const, data: { content: "fine" } },
      { kind: "tool_call" as const, data: { callId: "", name: "t", arguments: "{}" } },
    ];
    expect(await codeOf(session.recordAll(drafts))).toBe("invalid_event");
    expect(session.eventLog.length).toBe(0);
    expect(await session.recordAll(drafts.slice(0, 1))).toHaveLength(1);
  });

  it("records again after a record that failed", async () => {
    const session = createSession();
    const failed = session.record("tool_call", { callId: "", name: "t", arguments: "{}" });
    const next = session.record("user_input", { content: "after" });
    expect(await codeOf(failed)).toBe("invalid_event");
    expect((await next).data.content).toBe("after");
  });

  it("records nothing once aborted or closed", async () => {
    const session = createSession();
    const signal = AbortSignal.abort();
    expect(await codeOf(session.record("user_input", { content: "x" }, { signal }))).toBe(
      "aborted",
    );
    await session.close();
    expect(await codeOf(session.record("user_input", { content: "x" }))).toBe("closed");
    expect(session.eventLog.length).toBe(0);
  });

  it.each([
    ["an empty id", { sessionId: "" }],
    ["an id with a line feed", { sessionId: "a\nb" }],
    ["a negative threshold", { offloadAboveTokens: -1 }],
    ["a threshold that is not a number", { offloadAboveTokens: Number.NaN }],
  ])("rejects %s", (_name, options) => {
    expect(() => createSession(options)).toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
  });

  it("stops waiting for an artifact store, and for earlier records, once aborted", async () => {
    const artifactStore = createMemoryArtifactStore();
    let answer = (): void => expect.fail();
    artifactStore.store = () =>
      new Promise((_, reject) => (answer = () => reject(new Error("too late"))));
    const session = sampleSession({ artifactStore });
    const large = { callId: "c1", content: words(3_000) };
    const controller = new AbortController();
    const stuck = session.record("tool_success", large, { signal: controller.signal });
    const behind = session.record("user_input", { content: "Hello." });
    controller.abort("enough");
    await expect(stuck).rejects.toMatchObject({ code: "aborted", cause: "enough" });
    await behind;
    const waiting = session.record("tool_success", large);
    const given = new AbortController();
    const impatient = session.record(
      "user_input",
      { content: "Never mind." },
      { signal: given.signal },
    );
    const last = session.record("user_input", { content: "Bye." });
    given.abort();
    await expect(impatient).rejects.toMatchObject({ code: "aborted" });
    answer();
    await Promise.all([waiting, last]);
    expect(Array.from(session.eventLog, ({ data }) => "content" in data && data.content)).toEqual([
      "Hello.",
      large.content,
      "Bye.",
    ]);
  });

  it("stores state beside the log", async () => {
    const session = createSession();
    await session.saveState("cut/16000", '{"from":3}');
    expect(await session.loadState("cut/16000")).toBe('{"from":3}');
    await session.saveState("cut/16000", undefined);
    expect(await session.loadState("cut/16000")).toBeUndefined();
  });
});

describe("openSession", () => {
  it("stops waiting for a store that hangs, once aborted", async () => {
    const store = {
      ...createMemorySessionStore(),
      read: (): Promise<never> => new Promise(() => undefined),
    };
    const controller = new AbortController();
    const opening = openSession({ store, sessionId: "s", signal: controller.signal });
    controller.abort("enough");
    await expect(opening).rejects.toMatchObject({ code: "aborted", cause: "enough" });
  });

  it("accepts a synchronous store", async () => {
    const { signal } = new AbortController();
    const store = Object.assign(createMemorySessionStore(), { read: () => Object({ events: [] }) });
    expect((await openSession({ store, sessionId: "s", signal })).messages()).toEqual([]);
  });

  it("reads recorded events back to the byte, and records more", async () => {
    const store = createMemorySessionStore();
    const { clock } = fixed();
    const first = await openSession({ store, sessionId: "s", clock });
    await first.record("user_input", {
      content: [{ type: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) }],
    });
    clock.set(0);
    const second = await openSession({ store, sessionId: "s", clock });
    expect(second.eventLog.slice()).toEqual(first.eventLog.slice());
    expect(second.messages()).toEqual(first.messages());
    expect(second.eventLog.totalTokens()).toBe(first.eventLog.totalTokens());
    const event = await second.record("assistant_message", { content: "seen" });
    expect(event.eventId > (first.eventLog.at(0)?.eventId ?? "")).toBe(true);
    expect(event.timestamp).toBe(1_000);
  });

  it("lets one of two writers win and loses nothing", async () => {
    const store = createMemorySessionStore();
    const [one, two] = await Promise.all([
      openSession({ store, sessionId: "s" }),
      openSession({ store, sessionId: "s" }),
    ]);
    const codes = await Promise.all([
      codeOf(one.record("user_input", { content: "one" })),
      codeOf(two.record("user_input", { content: "two" })),
    ]);
    expect(codes.filter((code) => code === "conflict")).toHaveLength(1);
    const after = await openSession({ store, sessionId: "s" });
    expect(after.eventLog.length).toBe(1);
    await after.record("user_input", { content: "three" });
    expect(after.eventLog.length).toBe(2);
  });

  it("reads another writer's events, and then records after them", async () => {
    const store = createMemorySessionStore();
    const one = await openSession({ store, sessionId: "s" });
    const two = await openSession({ store, sessionId: "s" });
    await one.record("user_input", { content: "one" });
    await one.record("tool_call", { callId: "c", name: "look", arguments: "{}" });
    expect(await codeOf(two.record("user_input", { content: "two" }))).toBe("conflict");
    const answered = two.refresh();
    const recorded = two.record("tool_success", { callId: "c", content: "seen" });
    expect(await answered).toBe(2);
    await recorded;
    expect(await two.refresh()).toBe(0);
    expect(await one.refresh()).toBe(1);
    const again = await openSession({ store, sessionId: "s" });
    for (const session of [one, two]) {
      expect(session.eventLog.slice()).toEqual(again.eventLog.slice());
      expect(session.messages()).toEqual(again.messages());
    }
    expect(again.eventLog.length).toBe(3);
  });
});
