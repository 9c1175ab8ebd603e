import { createMemoryArtifactStore } from "@ccl/artifact-store";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSession } from "../session/create-session.ts";
import type { Session } from "../session/session.ts";
import { sealEvidence, type EvidencePack } from "./evidence-pack.ts";
import { sessionFromEvidencePack } from "../session/session-from-evidence-pack.ts";
import { verifyEvidencePack } from "./verify-evidence-pack.ts";

async function recordedSession(): Promise<Session> {
  const session = createSession({ sessionId: "s", artifactStore: createMemoryArtifactStore() });
  await session.record("user_input", { content: "Which orders are open?" });
  await session.record("assistant_message", {
    content: "",
    toolCalls: [{ id: "1", name: "orders", arguments: "{}" }],
  });
  await session.record("tool_call", { callId: "1", name: "orders", arguments: "{}" });
  await session.record("tool_success", {
    callId: "1",
    name: "orders",
    content: "open ".repeat(2_000),
  });
  await session.record("tool_timeout", { callId: "2", timeoutMs: 10 });
  await session.record("memory_hit", { memoryId: "m", text: "🙂".repeat(200) });
  await session.record("guard_decision", { guard: "g", decision: "block", reason: "no" });
  await session.record("phase_result", { phase: "plan", status: "succeeded" });
  return session;
}

describe("an evidence pack", () => {
  it("has an entry for each event, under one hash", async () => {
    const session = await recordedSession();
    const pack = session.toEvidencePack();
    expect(pack.entries.map(({ eventId }) => eventId)).toEqual(
      session.eventLog.slice().map(({ eventId }) => eventId),
    );
    expect(
      pack.entries.every(
        ({ summary, sha256 }) => summary.length <= 200 && /^[0-9a-f]{64}$/.test(sha256),
      ),
    ).toBe(true);
    const stored = pack.entries
      .filter(({ artifactId }) => artifactId !== undefined)
      .map(({ kind }) => kind);
    expect(stored).toEqual(["artifact_stored", "tool_success"]);
    expect(verifyEvidencePack(pack)).toEqual({ ok: true, value: pack });
    expect(verifyEvidencePack(JSON.parse(JSON.stringify(pack)), session.eventLog.slice()).ok).toBe(
      true,
    );
  });

  it("survives a session that was created from it, with the events and without", async () => {
    const session = await recordedSession();
    const pack = session.toEvidencePack();
    const bare = await sessionFromEvidencePack(pack);
    expect(bare.toEvidencePack()).toEqual(pack);
    expect(bare.eventLog.length).toBe(0);
    const full = await sessionFromEvidencePack(pack, { events: session.eventLog.slice() });
    expect(full.toEvidencePack()).toEqual(pack);
    expect(full.messages()).toEqual(session.messages());
    const more = await bare.record("user_input", { content: "and now?" });
    const grown = bare.toEvidencePack();
    expect(grown.entries.slice(0, -1)).toEqual(pack.entries);
    expect(grown.entries.at(-1)?.eventId).toBe(more.eventId);
    expect(verifyEvidencePack(grown).ok).toBe(true);
  });

  it("is invalid after any change to it", async () => {
    const pack = (await recordedSession()).toEvidencePack();
    const text = JSON.stringify(pack);
    const places = fc.nat({ max: text.length - 1 });
    fc.assert(
      fc.property(places, fc.constantFrom("0", "f", "x", " "), (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        let value: unknown;
        try {
          value = JSON.parse(changed);
        } catch {
          return;
        }
        expect(verifyEvidencePack(value).ok).toBe(JSON.stringify(value) === text);
      }),
    );
  });

  it.each<[string, (pack: EvidencePack) => EvidencePack]>([
    ["an entry was left out", (pack) => sealEvidence(pack.sessionId, pack.entries.slice(1))],
    ["entries changed places", (pack) => sealEvidence(pack.sessionId, pack.entries.toReversed())],
    [
      "a hash was recomputed",
      (pack) =>
        sealEvidence(
          pack.sessionId,
          pack.entries.map((entry) => ({ ...entry, sha256: "0".repeat(64) })),
        ),
    ],
    [
      "a time was changed",
      (pack) =>
        sealEvidence(
          pack.sessionId,
          pack.entries.map((entry) => ({ ...entry, timestamp: 1 })),
        ),
    ],
  ])("does not match the events when %s, though its own hash is valid", async (_name, change) => {
    const session = await recordedSession();
    const changed = change(session.toEvidencePack());
    expect(verifyEvidencePack(changed).ok).toBe(true);
    expect(verifyEvidencePack(changed, session.eventLog.slice()).ok).toBe(false);
    const restored = sessionFromEvidencePack(changed, { events: session.eventLog.slice() });
    await expect(restored).rejects.toMatchObject({ code: "evidence_invalid" });
  });

  it.each([
    undefined,
    null,
    "pack",
    [],
    { sessionId: "s" },
    { sessionId: "s", entries: [1], sha256: "x" },
  ])("is rejected: %j", (value) => {
    const verified = verifyEvidencePack(value);
    expect(verified.ok).toBe(false);
  });
});
