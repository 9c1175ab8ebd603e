import { describe, expect, it } from "vitest";
import { createMemorySessionStore } from "../session-store/create-session-store.ts";
import { openSession } from "../session/open-session.ts";
import { exact, sampleSession, words } from "../../test-support/sample-session.ts";
import { createContextCompiler } from "./create-context-compiler.ts";
import { createSessionMemory } from "./create-session-memory.ts";

const topK = 5;

describe("createSessionMemory", () => {
  it("finds earlier turns, also after a previous search, with their session and event", async () => {
    const session = sampleSession();
    await session.record("user_input", { content: "My sister Anna lives in Lisbon." });
    const memory = createSessionMemory({ session });
    expect(await memory.search("Where does Anna live?", { topK })).toMatchObject([
      { text: "user: My sister Anna lives in Lisbon.", source: "session:s", eventId: "e-1" },
    ]);
    await session.record("assistant_message", { content: "The ferry leaves at nine." });
    const [hit] = await memory.search("When does the ferry leave?", { topK });
    expect(hit?.text).toBe("assistant: The ferry leaves at nine.");
    expect(await memory.search("zebra", { topK })).toEqual([]);
  });

  it("reads the other sessions of a store within its scope, and their new events", async () => {
    const store = createMemorySessionStore();
    for (const [sessionId, content] of [
      ["mine-1", "The boiler code is 4711."],
      ["mine-2", "The boiler was made in Graz."],
      ["other", "The boiler of others."],
    ] as const) {
      const session = await openSession({ store, sessionId });
      await session.record("user_input", { content });
      await session.close();
    }
    const memory = createSessionMemory({ store, scope: (id) => id.startsWith("mine") });
    const idsOf = async (query: string): Promise<unknown> =>
      (await memory.search(query, { topK })).map(({ source }) => source).sort();
    expect(await idsOf("boiler")).toEqual(["session:mine-1", "session:mine-2"]);
    const again = await openSession({ store, sessionId: "mine-1" });
    await again.record("user_input", { content: "The attic is dry." });
    expect(await idsOf("attic")).toEqual(["session:mine-1"]);
  });

  it("ranks by meaning if there is an embedder", async () => {
    const session = sampleSession();
    await session.record("user_input", { content: "It rained all night." });
    await session.record("user_input", { content: "We ate soup." });
    const embedder = {
      name: "weather",
      dimensions: 2,
      embed: (texts: string[]) =>
        Promise.resolve(
          texts.map((text) => new Float32Array(/rain|weather/.test(text) ? [1, 0] : [0, 1])),
        ),
    };
    const [hit] = await createSessionMemory({ session, embedder }).search("weather", { topK: 1 });
    expect(hit?.text).toBe("user: It rained all night.");
  });

  it("brings dropped turns back into a prompt, and repeats nothing that is shown", async () => {
    const session = sampleSession();
    await session.record("user_input", { content: "Begin." });
    await session.record("assistant_message", { content: "The passport number is X-9931." });
    for (let turn = 0; turn < 60; turn += 1)
      await session.record("assistant_message", { content: `Note ${turn}. ${words(60, turn)}` });
    await session.record("user_input", { content: "What is the passport number?" });
    const budget = 2_000;
    const shownBy = async (memory?: ReturnType<typeof createSessionMemory>): Promise<string> => {
      const compiler = createContextCompiler({ counter: exact, memory });
      const context = await compiler.compile(session, { budget, systemPrompt: "" });
      return JSON.stringify(context.toMessages());
    };
    const shown = await shownBy(createSessionMemory({ session }));
    expect(shown).toContain("X-9931");
    expect(shown.split("What is the passport number?")).toHaveLength(2);
    expect(await shownBy()).not.toContain("X-9931");
  });

  it("requires a session or a store", () => {
    expect(() => createSessionMemory({})).toThrow(/needs a session or a store/);
  });
});
