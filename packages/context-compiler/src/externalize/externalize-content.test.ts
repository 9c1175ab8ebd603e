import {
  ArtifactStoreError,
  createMemoryArtifactStore,
  type ArtifactStore,
} from "@ccl/artifact-store";
import { estimatedCounter } from "@ccl/core";
import { describe, expect, it } from "vitest";
import { createSession } from "../session/create-session.ts";
import { recordMessages } from "../session/record-messages.ts";
import type { SessionEvent } from "../event/session-event.ts";
import type { Session } from "../session/session.ts";
import { isAboveTokens } from "./externalize-content.ts";
import { findArtifact } from "./find-artifact.ts";

const orders = JSON.stringify(
  Array.from({ length: 200 }, (_, index) => ({
    order_id: `#W${5_000_000 + index * 7_919}`,
    status: index % 3 === 0 ? "pending" : "delivered",
    note: "Left with a neighbour, as was asked for on the phone.",
  })),
);
const storedIn = ({ eventLog }: Session): SessionEvent<"artifact_stored">[] =>
  eventLog.filter(["artifact_stored"]);
const text = async (
  store: ArtifactStore,
  event: SessionEvent<"artifact_stored"> | undefined,
): Promise<string> => new TextDecoder().decode(await store.retrieve(event?.data.artifactId ?? ""));

describe("a session with an artifact store", () => {
  it("stores a large result before its outcome, and shows a summary in its place", async () => {
    const artifactStore = createMemoryArtifactStore();
    const session = createSession({ sessionId: "s", artifactStore });
    await session.record("tool_call", { callId: "1", name: "orders", arguments: "{}" });
    const outcome = await session.record("tool_success", {
      callId: "1",
      name: "orders",
      content: orders,
    });
    expect(session.eventLog.slice().map(({ kind }) => kind)).toEqual([
      "tool_call",
      "artifact_stored",
      "tool_success",
    ]);
    const [stored] = storedIn(session);
    expect(stored?.data).toMatchObject({
      source: "tool:orders",
      callId: "1",
      mimeType: "application/json",
      sizeBytes: orders.length,
    });
    expect(outcome.data.content).toEqual([
      expect.objectContaining({ type: "artifact", artifactId: stored?.data.artifactId }),
    ]);
    expect(await text(artifactStore, stored)).toBe(orders);
    expect((await artifactStore.listHandles({ sessionId: "s" })).handles).toHaveLength(1);
    const shown = String(session.messages().at(-1)?.message.content);
    expect(shown).toContain("#W5000000");
    expect(shown).toMatch(
      /^\[stored in full as artifact [0-9a-f]{12}: application\/json, [\d,]+ bytes\]\n/,
    );
    expect(estimatedCounter.count(shown)).toBeLessThan(460);
    const digits = /artifact ([0-9a-f]{12})/.exec(shown)?.[1] ?? "";
    expect(findArtifact(session.eventLog, digits)?.data.artifactId).toBe(stored?.data.artifactId);
    expect(findArtifact(session.eventLog, digits.slice(1))).toBeUndefined();
  });

  it("keeps small results, artifact reads, and everything without a store in the log", async () => {
    const artifactStore = createMemoryArtifactStore();
    const session = createSession({ artifactStore });
    await session.record("tool_success", { callId: "1", content: "small" });
    await session.record("tool_success", { callId: "2", content: orders, isArtifactRead: true });
    const bare = createSession();
    await bare.record("tool_success", { callId: "1", content: orders });
    expect(session.eventLog.filter(["artifact_stored"])).toEqual([]);
    expect(session.eventLog.at(-1)?.data).toMatchObject({ content: orders });
    expect(bare.eventLog.at(0)?.data).toMatchObject({ content: orders });
  });

  it("masks secrets in what it stores and in the summary", async () => {
    const artifactStore = createMemoryArtifactStore();
    const session = createSession({ artifactStore });
    const key = `ghp_${"a1B2".repeat(9)}`;
    await session.record("tool_error", {
      callId: "1",
      content: `${key} was refused\n${"and so on. ".repeat(2_000)}`,
    });
    const [stored] = storedIn(session);
    expect(stored?.data.summary).toContain("[redacted:");
    expect(await text(artifactStore, stored)).not.toContain(key);
  });

  it("stores images and files by their type, and all text of a result together", async () => {
    const artifactStore = createMemoryArtifactStore();
    const session = createSession({ artifactStore });
    const png = new Uint8Array([
      0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 2, 128, 0, 0, 1,
      224,
    ]);
    const { data } = await session.record("tool_success", {
      callId: "1",
      content: [
        { type: "text", text: "first ".repeat(600) },
        { type: "image", mimeType: "image/png", data: png },
        { type: "text", text: "second ".repeat(600) },
      ],
    });
    expect(data.content).toMatchObject([
      { type: "artifact", mimeType: "text/plain; charset=utf-8" },
      {
        type: "artifact",
        mimeType: "image/png",
        sizeBytes: 24,
        summary: "image of 640 x 480 pixels",
      },
    ]);
    expect(session.eventLog.slice().map(({ kind }) => kind)).toEqual([
      "artifact_stored",
      "artifact_stored",
      "tool_success",
    ]);
  });

  it.each([
    [new ArtifactStoreError("disk_full", "The disk is full."), "disk_full"],
    [Object.assign(new Error("no space left"), { code: "ENOSPC" }), "unavailable"],
  ])(
    "keeps the result in the log when the store fails with %s, and records the error code",
    async (error, code) => {
      const failing = { ...createMemoryArtifactStore(), store: () => Promise.reject(error) };
      const session = createSession({ artifactStore: failing });
      const { data } = await session.record("tool_success", { callId: "1", content: orders });
      expect(data).toMatchObject({ content: orders, externalizeFailure: code });
    },
  );

  it("records nothing when it is aborted while it stores", async () => {
    const controller = new AbortController();
    const slow: ArtifactStore = {
      ...createMemoryArtifactStore(),
      store: () => {
        controller.abort();
        return Promise.reject(new ArtifactStoreError("aborted", "The call was aborted."));
      },
    };
    const session = createSession({ artifactStore: slow });
    const call = session.record(
      "tool_success",
      { callId: "1", content: orders },
      { signal: controller.signal },
    );
    await expect(call).rejects.toMatchObject({ code: "aborted" });
    expect(session.eventLog.length).toBe(0);
  });

  it("recognizes a transcript whose results were stored", async () => {
    const session = createSession({ artifactStore: createMemoryArtifactStore() });
    const messages = [
      {
        role: "assistant" as const,
        content: "",
        toolCalls: [{ id: "1", name: "orders", arguments: "{}" }],
      },
      { role: "tool" as const, toolCallId: "1", content: orders },
    ];
    await recordMessages(session, messages);
    expect(await recordMessages(session, messages)).toEqual([]);
    const changed = messages.with(1, {
      role: "tool",
      toolCallId: "1",
      content: orders.replace("#W5", "#W6"),
    });
    await expect(recordMessages(session, changed)).rejects.toMatchObject({
      code: "history_changed",
    });
  });

  it("counts only as much of a huge text as it needs to know its size", () => {
    let counted = 0;
    const counter = {
      name: "test",
      isExact: true,
      count: (text: string) => ((counted += text.length), text.length / 4),
    };
    expect(isAboveTokens("x".repeat(10_000_000), 1_000, counter)).toBe(true);
    expect(counted).toBeLessThan(20_000);
    expect(isAboveTokens("x".repeat(100), 1_000, counter)).toBe(false);
  });
});
