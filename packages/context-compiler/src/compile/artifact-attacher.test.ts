import { ArtifactStoreError, createMemoryArtifactStore, withEncryption } from "@ccl/artifact-store";
import type { ChatMessage } from "@ccl/core";
import { describe, expect, it } from "vitest";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import { openSession } from "../session/open-session.ts";
import { recordMessages } from "../session/record-messages.ts";
import type { Session } from "../session/session.ts";
import { exact, sampleSession, words } from "../../test-support/sample-session.ts";
import { createContextCompiler } from "./create-context-compiler.ts";
import type { WorkingContext } from "./working-context.ts";

const asked = (id: string, name = "read_file"): ChatMessage[] => [
  { role: "user", content: `Read ${id}.` },
  { role: "assistant", content: "", toolCalls: [{ id, name, arguments: "{}" }] },
];
const answer = (toolCallId: string, content: string): ChatMessage => ({
  role: "tool",
  toolCallId,
  content,
});
const large = (seed: number): string => `${words(1_500, seed)} end${seed}`;
const compile = (
  session: Session,
  artifactStore = createMemoryArtifactStore(),
): Promise<WorkingContext> =>
  createContextCompiler({ counter: exact, artifactStore }).compile(session, {
    budget: 50_000,
    systemPrompt: "",
  });
const storedIn = ({ eventLog }: Session) =>
  eventLog.filter(["artifact_stored"]).map(({ data }) => data);

describe("large results of a recorded transcript", () => {
  it("are stored once and shown while there is room", async () => {
    const artifactStore = createMemoryArtifactStore();
    const session = sampleSession();
    await recordMessages(session, [
      ...asked("a"),
      answer("a", large(1)),
      ...asked("b"),
      answer("b", "short"),
    ]);
    const compiler = createContextCompiler({ counter: exact, artifactStore });
    const first = await compiler.compile(session, { budget: 50_000, systemPrompt: "" });
    const again = await compiler.compile(session, { budget: 50_000, systemPrompt: "" });
    const [ref] = first.artifactRefs;
    expect(storedIn(session)).toMatchObject([
      { callId: "a", source: "tool:read_file", artifactId: ref?.artifactId },
    ]);
    expect(first.toolResults.map(({ content }) => String(content).slice(0, 28))).toEqual([
      large(1).slice(0, 28),
      "short",
    ]);
    expect(first.artifactRefs).toHaveLength(1);
    expect(
      first.entries[2]?.eventIds.map(
        (id) => [...session.eventLog].find(({ eventId }) => eventId === id)?.kind,
      ),
    ).toEqual(["tool_call", "artifact_stored", "tool_success"]);
    expect(again.toMessages()).toEqual(first.toMessages());
    const bytes = await artifactStore.retrieve(ref?.artifactId ?? "");
    expect(new TextDecoder().decode(bytes)).toBe(large(1));
    expect((await artifactStore.listHandles({ sessionId: "s" })).handles).toHaveLength(1);
  });

  it.each(["plain", "encrypted"])(
    "give the same bytes after the session is reopened, over a store that is %s",
    async (kind) => {
      const plain = createMemoryArtifactStore();
      const artifactStore =
        kind === "plain" ? plain : withEncryption(plain, { key: new Uint8Array(32).fill(7) });
      const store = createMemorySessionStore();
      const session = await openSession({ store, sessionId: "s", counter: exact });
      await recordMessages(session, [...asked("a"), answer("a", large(1))]);
      const first = await compile(session, artifactStore);
      const reopened = await openSession({ store, sessionId: "s", counter: exact });
      const after = await compile(reopened, artifactStore);
      expect(after.toMessages()).toEqual(first.toMessages());
      expect(storedIn(reopened)).toHaveLength(1);
    },
  );

  it("are distinguished by their bytes if call ids repeat", async () => {
    const session = sampleSession();
    const contents = [1, 2, 3].map(large);
    await recordMessages(
      session,
      contents.flatMap((content) => [...asked("call_0"), answer("call_0", content)]),
    );
    const context = await compile(session);
    expect(new Set(storedIn(session).map(({ artifactId }) => artifactId)).size).toBe(3);
    expect(context.artifactRefs.map(({ artifactId }) => artifactId)).toEqual(
      storedIn(session).map(({ artifactId }) => artifactId),
    );
    const { toolResults } = await createContextCompiler({
      counter: exact,
      artifactStore: createMemoryArtifactStore(),
    }).compile(session, { budget: 1_000, systemPrompt: "" });
    expect(toolResults.at(-1)?.content).toContain(storedIn(session)[2]?.artifactId.slice(0, 12));
  });

  it("stay in full if they are pieces of an artifact", async () => {
    const session = sampleSession();
    await recordMessages(session, [...asked("a", "read_artifact"), answer("a", large(1))]);
    await session.recordAll([
      { kind: "tool_call", data: { callId: "b", name: "peek", arguments: "{}" } },
      { kind: "tool_success", data: { callId: "b", content: large(2), isArtifactRead: true } },
    ]);
    const context = await compile(session);
    expect(storedIn(session)).toEqual([]);
    expect(context.toolResults.map(({ content }) => content)).toEqual([large(1), large(2)]);
  });

  it("stay unchanged if they were stored when they were recorded", async () => {
    const artifactStore = createMemoryArtifactStore();
    const session = sampleSession({ artifactStore, offloadAboveTokens: 50 });
    await recordMessages(session, [...asked("a"), answer("a", large(1))]);
    const compiler = createContextCompiler({ counter: exact });
    const context = await compiler.compile(session, { budget: 50_000, systemPrompt: "" });
    expect(storedIn(session)).toHaveLength(1);
    expect(context.artifactRefs).toHaveLength(1);
    expect(context.toolResults[0]?.content).toBe(large(1));
  });

  it("are shown by their summary if the store lost them, and the trace says so", async () => {
    const artifactStore = createMemoryArtifactStore();
    const session = sampleSession({ artifactStore, offloadAboveTokens: 50 });
    await recordMessages(session, [...asked("a"), answer("a", large(1))]);
    const emptied = { ...artifactStore, retrieve: () => Promise.resolve(undefined) };
    const context = await compile(session, emptied);
    expect(String(context.toolResults[0]?.content)).toMatch(/^\[stored in full as artifact /);
    expect(context.trace[0]?.remarks[0]).toMatch(/can't be read: its summary is shown$/);
  });

  it("are read again by the next compile if the store failed once", async () => {
    const inner = createMemoryArtifactStore();
    let failures = 1;
    const artifactStore: typeof inner = {
      ...inner,
      retrieve: (...given) =>
        failures-- > 0
          ? Promise.reject(new ArtifactStoreError("unavailable", "down"))
          : inner.retrieve(...given),
    };
    const session = sampleSession({ artifactStore, offloadAboveTokens: 50 });
    await recordMessages(session, [...asked("a"), answer("a", large(1))]);
    const compiler = createContextCompiler({ counter: exact });
    const shown: unknown[] = [];
    for (const budget of [50_000, 50_000]) {
      const context = await compiler.compile(session, { budget, systemPrompt: "" });
      shown.push(context.toolResults[0]?.content);
    }
    expect(shown).toEqual([expect.stringMatching(/^\[stored in full as artifact /), large(1)]);
  });

  it("stay in full if the store fails, and the trace says so", async () => {
    const inner = createMemoryArtifactStore();
    const artifactStore = {
      ...inner,
      store: () => Promise.reject(new ArtifactStoreError("limit_exceeded", "full")),
    };
    const session = sampleSession();
    await recordMessages(session, [...asked("a"), answer("a", large(1))]);
    const context = await compile(session, artifactStore);
    expect(context.toolResults[0]?.content).toBe(large(1));
    expect(context.trace[0]?.remarks).toEqual([
      "the answer to a stays in full: the store failed (limit_exceeded)",
    ]);
  });

  it("are stored once by two concurrent compiles", async () => {
    const session = sampleSession();
    await recordMessages(session, [
      ...asked("a"),
      answer("a", large(1)),
      ...asked("b"),
      answer("b", large(2)),
    ]);
    const artifactStore = createMemoryArtifactStore();
    const contexts = await Promise.all([1, 2].map(() => compile(session, artifactStore)));
    expect(storedIn(session)).toHaveLength(2);
    expect(contexts[0]?.toMessages()).toEqual(contexts[1]?.toMessages());
  });

  it("are not attached after an abort", async () => {
    const controller = new AbortController();
    const inner = createMemoryArtifactStore();
    const hang = (): Promise<never> => new Promise(() => controller.abort("enough"));
    const session = sampleSession();
    await recordMessages(session, [...asked("a"), answer("a", large(1))]);
    const compiler = createContextCompiler({
      counter: exact,
      artifactStore: { ...inner, store: hang },
    });
    const options = { budget: 50_000, systemPrompt: "", signal: controller.signal };
    await expect(compiler.compile(session, options)).rejects.toMatchObject({ code: "aborted" });
    expect(storedIn(session)).toEqual([]);
    expect((await compile(session)).artifactRefs).toHaveLength(1);
  });
});
