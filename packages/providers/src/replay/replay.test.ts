import { createScriptedModel } from "@ccl/core/testing";
import type { ModelRequest } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { createReplayModel, ReplayError, type ReplayStore } from "./index.ts";

function memoryStore(text?: string): ReplayStore & { text: string | undefined; writes: number } {
  return {
    text,
    writes: 0,
    async read() {
      return this.text;
    },
    async write(next) {
      this.text = next;
      this.writes += 1;
    },
  };
}

const ask = (content: string): ModelRequest => ({ messages: [{ role: "user", content }] });
const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";

describe("a replay model", () => {
  it("asks once, then answers from the recording, whole and streamed", async () => {
    const store = memoryStore();
    const response = {
      text: "Four.",
      reasoning: "2+2",
      toolCalls: [{ id: "a", name: "add", arguments: "{}" }],
      usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 },
      requestId: "r",
      providerMetadata: { x: { y: [1] } },
    };
    const model = createScriptedModel([response]);
    const recorded = await createReplayModel({ store, model }).generate(ask("2+2?"));
    const replay = createReplayModel({ store });
    expect(await replay.generate(ask("2+2?"))).toEqual(recorded);
    expect(recorded).toMatchObject(response);
    const types: string[] = [];
    for await (const delta of replay.stream(ask("2+2?"))) types.push(delta.type);
    expect(types).toEqual(["reasoning", "text", "tool_call", "finish"]);
    expect([model.requests.length, store.writes]).toEqual([1, 1]);
  });

  it("fails on a request that it does not know, and says which", async () => {
    const store = memoryStore();
    await createReplayModel({ store, model: createScriptedModel(["A."]) }).generate(ask("a"));
    const failed = createReplayModel({ store }).generate(ask("b"));
    await expect(failed).rejects.toSatisfy(
      (error) => ReplayError.isInstance(error) && error.code === "unknown_request",
    );
    await expect(createReplayModel({ store: memoryStore() }).generate(ask("a"))).rejects.toThrow(
      "has 0 answers",
    );
  });

  it("knows a request again by what it asks: not by ids, limits or keys, but by every other field", async () => {
    const store = memoryStore();
    await createReplayModel({ store, model: createScriptedModel(["A."]) }).generate(
      ask(`use ${secret}`),
    );
    const replay = createReplayModel({ store });
    const other = secret.replace("abc", "xyz");
    const same = {
      messages: [{ id: "7", source: "s", role: "user" as const, content: `use ${other}` }],
      timeoutMs: 5,
    };
    expect((await replay.generate(same)).text).toBe("A.");
    await expect(replay.generate({ ...same, temperature: 1 })).rejects.toThrow(
      "none for the request",
    );
  });

  it("stores no secret, neither by its form nor by its name, and gives the recording run what it stored", async () => {
    const store = memoryStore();
    const answer = {
      text: `key ${secret}`,
      providerMetadata: { headers: { password: "hunter2-Kx91pq" } },
    };
    const model = createScriptedModel([answer]);
    const recorded = await createReplayModel({ store, model }).generate(ask(`my key is ${secret}`));
    expect(store.text).not.toMatch(/abcdefghijklmnop|hunter2/);
    expect(recorded.text).toMatch(/^key \[redacted:/);
    expect(await createReplayModel({ store }).generate(ask(`my key is ${secret}`))).toEqual(
      recorded,
    );
  });

  it("writes the same bytes whatever the order of the requests, images included", async () => {
    const image: ModelRequest = {
      messages: [
        {
          role: "user",
          content: [{ type: "image", mimeType: "image/png", data: Uint8Array.of(1, 2) }],
        },
      ],
    };
    const runs = [
      [ask("a"), image],
      [image, ask("a")],
    ].map(async (requests) => {
      const store = memoryStore();
      const answer = ({ messages }: ModelRequest): string =>
        typeof messages[0]?.content === "string" ? "A." : "I.";
      const replay = createReplayModel({ store, model: createScriptedModel([answer, answer]) });
      await Promise.all(requests.map((request) => replay.generate(request)));
      return store.text;
    });
    const [first, second] = await Promise.all(runs);
    expect(first).toBe(second);
    expect(Object.keys(JSON.parse(first ?? "").entries)).toHaveLength(2);
  });

  it("asks once for two equal requests at a time", async () => {
    const model = createScriptedModel(["A."]);
    const replay = createReplayModel({ store: memoryStore(), model });
    const [one, two] = await Promise.all([replay.generate(ask("a")), replay.generate(ask("a"))]);
    expect([one.text, two.text, model.requests.length]).toEqual(["A.", "A.", 1]);
  });

  it.each([
    "",
    "{}",
    '{"version":2,"entries":{}}',
    '{"version":1,"entries":{"k":{"response":{"text":"x"}}}}',
  ])("refuses a store that holds %j", async (text) => {
    const run = createReplayModel({ store: memoryStore(text) }).generate(ask("a"));
    await expect(run).rejects.toMatchObject({ code: "recording_invalid" });
  });
});
