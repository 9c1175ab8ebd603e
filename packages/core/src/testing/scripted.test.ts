import { describe, expect, it } from "vitest";

import type { ModelDelta } from "../models/language-model.ts";
import { LanguageModelError } from "../models/language-model-error.ts";
import { createFixedClock } from "./fixed-clock.ts";
import { createScriptedEmbedder } from "./scripted-embedder.ts";
import { createScriptedModel } from "./scripted-model.ts";
import { createSequentialIds } from "./sequential-ids.ts";

const request = { messages: [{ role: "user" as const, content: "Hello" }] };

describe("createScriptedModel", () => {
  it("answers in order and records its requests", async () => {
    const call = { id: "1", name: "look", arguments: "{}" };
    const model = createScriptedModel([
      "one",
      { toolCalls: [call] },
      ({ messages }) => `saw ${messages.length}`,
    ]);
    expect(await model.generate(request)).toEqual({
      text: "one",
      toolCalls: [],
      finishReason: "stop",
    });
    expect(await model.generate(request)).toMatchObject({
      text: "",
      toolCalls: [call],
      finishReason: "tool_calls",
    });
    expect((await model.generate(request)).text).toBe("saw 1");
    expect(model.requests).toEqual([request, request, request]);
  });

  it("throws scripted errors, and when the script has ended", async () => {
    const model = createScriptedModel([
      new LanguageModelError("rate_limited", "Wait.", { retryAfterMs: 10 }),
    ]);
    await expect(model.generate(request)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: 10,
    });
    await expect(model.generate(request)).rejects.toMatchObject({ code: "script_exhausted" });
  });

  it("streams an answer in pieces that join to the whole", async () => {
    const deltas: ModelDelta[] = [];
    for await (const delta of createScriptedModel([{ text: "abcde", reasoning: "because" }]).stream(
      request,
    ))
      deltas.push(delta);
    expect(deltas.map((delta) => (delta.type === "text" ? delta.text : delta.type))).toEqual([
      "reasoning",
      "abc",
      "de",
      "finish",
    ]);
  });

  it("rejects a call that was aborted before it began", async () => {
    const model = createScriptedModel(["never"]);
    await expect(model.generate({ ...request, signal: AbortSignal.abort() })).rejects.toMatchObject(
      {
        code: "aborted",
      },
    );
  });
});

describe("createScriptedEmbedder", () => {
  it("returns one vector per text, the same each time, and the scripted one if there is one", async () => {
    const embedder = createScriptedEmbedder({ dimensions: 2, vectors: { known: [1, 0] } });
    const [known, other] = await embedder.embed(["known", "other"]);
    expect(known).toEqual(Float32Array.of(1, 0));
    expect(other).toEqual((await embedder.embed(["other"]))[0]);
    expect(Math.hypot(...(other ?? []))).toBeCloseTo(1, 5);
    expect(embedder.requests).toEqual([["known", "other"], ["other"]]);
  });

  it("places texts with common words closer than others", async () => {
    const vectors = await createScriptedEmbedder().embed([
      "red apple pie",
      "a red apple",
      "steel bridge",
      "",
    ]);
    const closeness = (left: number, right: number): number =>
      (vectors[left] ?? new Float32Array()).reduce(
        (sum, value, index) => sum + value * (vectors[right]?.[index] ?? 0),
        0,
      );
    expect(closeness(0, 1)).toBeGreaterThan(closeness(0, 2));
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it("rejects a scripted vector of another length", async () => {
    const embedder = createScriptedEmbedder({ dimensions: 2, vectors: { bad: [1] } });
    await expect(embedder.embed(["bad"])).rejects.toThrow(/1 numbers, not 2/);
  });
});

describe("createFixedClock and createSequentialIds", () => {
  it("change only on request", () => {
    const clock = createFixedClock(1000);
    clock.advance(5);
    expect(clock.now()).toBe(1005);
    clock.set(7);
    expect(clock.now()).toBe(7);
    const ids = createSequentialIds("run");
    expect([ids.next(), ids.next()]).toEqual(["run-1", "run-2"]);
  });
});
