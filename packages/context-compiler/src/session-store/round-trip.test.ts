import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "@ccl/core";
import { createMemoryRecords, type Records } from "@ccl/records";
import { openRecords } from "@ccl/records/node";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventDraft } from "../session/event-input.ts";
import { openSession } from "../session/open-session.ts";
import { createSessionStore } from "./create-session-store.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-sessions-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const openers: { [kind: string]: () => Promise<Records> } = {
  memory: async () => createMemoryRecords(),
  "a folder": () => openRecords({ folder, durability: "off" }),
  SQLite: () => openRecords({ sqlite: { path: ":memory:" } }),
};

const costs: { [kind: string]: number } = { "a folder": 4, SQLite: 4 };

const text = fc.string({ unit: "binary" });
const id = fc.string({ minLength: 1, maxLength: 8 }).filter((value) => value.trim() !== "");
const json = fc.jsonValue();
const draft: fc.Arbitrary<EventDraft> = fc.oneof(
  text.map((content): EventDraft => ({ kind: "user_input", data: { content } })),
  fc.tuple(text, id).map(([content, callId]): EventDraft => {
    return {
      kind: "assistant_message",
      data: { content, toolCalls: [{ id: callId, name: "t", arguments: content }] },
    };
  }),
  fc.tuple(id, text).map(([callId, name]): EventDraft => ({
    kind: "tool_call",
    data: { callId, name, arguments: "{}" },
  })),
  fc.tuple(id, fc.uint8Array()).map(([callId, data]): EventDraft => {
    return {
      kind: "tool_success",
      data: { callId, content: [{ type: "file", mimeType: "x/y", data }] },
    };
  }),
  fc
    .tuple(id, fc.double({ noNaN: true, noDefaultInfinity: true }))
    .map(([memoryId, score]): EventDraft => {
      return { kind: "memory_hit", data: { memoryId, text: "t", score } };
    }),
  json.map((output): EventDraft => ({ kind: "phase_result", data: { phase: "p", output } })),
);

describe.each(Object.keys(openers))("sessions in %s", (kind) => {
  it("are identical to the byte when read back, whatever was recorded", async () => {
    const records = await openers[kind]?.();
    if (records === undefined) throw new Error(`no records in ${kind}`);
    const store = createSessionStore(records);
    const { numRuns = 200 } = fc.readConfigureGlobal();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(draft, { maxLength: 12 }),
        fc.nat({ max: 12 }),
        async (drafts, cut) => {
          const sessionId = `session ${(count += 1)}`;
          const session = await openSession({ store, sessionId });
          await session.recordAll(drafts.slice(0, cut));
          await session.recordAll(drafts.slice(cut));
          const again = await openSession({ store, sessionId });
          expect(canonicalJson(again.eventLog.slice())).toBe(
            canonicalJson(session.eventLog.slice()),
          );
          expect(JSON.stringify(again.messages())).toBe(JSON.stringify(session.messages()));
          expect(again.toEvidencePack()).toEqual(session.toEvidencePack());
        },
      ),
      // A run on disk takes milliseconds.
      { numRuns: Math.ceil(numRuns / (costs[kind] ?? 1)) },
    );
    await records.close();
  });
});
