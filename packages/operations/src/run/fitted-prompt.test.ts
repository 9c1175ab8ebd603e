import { countMessages, type TokenCounter } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import { expect, it } from "vitest";

import { defineProfile } from "../define/define-profile.ts";
import { custom } from "../define/operations.ts";
import type { PromptEffect } from "../effects/operation-effect.ts";
import { createRunStore } from "../stores/create-run-store.ts";
import { createRunEngine } from "./create-run-engine.ts";
import type { RunEngineOptions } from "./engine-options.ts";
import type { MainPrompt } from "./engine-options.ts";
import type { RunResult } from "../events/run-event.ts";

/** One token a character. */
const characters: TokenCounter = {
  name: "characters",
  isExact: true,
  count: (text) => text.length,
};
/** Counts more for the whole than for its parts, as a counter that rounds does. */
const rounding: TokenCounter = {
  ...characters,
  name: "rounding",
  countMessages: (messages, tools) =>
    Math.ceil(countMessages((text) => text.length, messages, tools) * 1.07),
};

/** The last of five turns of 100 characters, with an optional operation that has this effect in it. */
async function lastTurn(
  effect: (anchorId: string) => PromptEffect,
  options: Pick<RunEngineOptions, "limits" | "promptFitter">,
): Promise<{ result: RunResult; prompt: MainPrompt | undefined }> {
  let prompt: MainPrompt | undefined;
  let anchorId = "";
  const mainModel = createScriptedModel(Array.from({ length: 5 }, () => "a".repeat(100)));
  const open = (given: typeof options, promptOf: (shown: MainPrompt) => void) =>
    createRunEngine({ mainModel, ...stores, onPrompt: promptOf, ...given });
  const stores = { runs: createRunStore(), recover: false };
  const before = open({}, ({ messages }) => (anchorId ||= messages[2]?.id ?? ""));
  for (let turn = 0; turn < 4; turn += 1)
    await (
      await before.start({ chatId: "c", message: "u".repeat(100) })
    ).result;
  const handler = async () => ({ status: "done" as const, effects: [effect(anchorId)] });
  const profile = defineProfile({
    id: "p",
    operations: { insert: custom(handler, { required: false }) },
  });
  const engine = open(options, (shown) => (prompt = shown));
  const run = await engine.start({ chatId: "c", message: "u".repeat(100), profile });
  return { result: await run.result, prompt };
}

const beside =
  (onAnchorTrimmed: "boundary" | "drop" | "fail") =>
  (messageId: string): PromptEffect => ({
    type: "prompt.insert",
    anchor: { messageId },
    place: "after",
    role: "user",
    content: "inserted",
    onAnchorTrimmed,
  });
const window = (budget: number, more = {}) => ({
  limits: { prompt: { counter: characters, budget, ...more } },
});

it.each([
  ["boundary", 600, "committed", { clamped: 1, dropped: 0 }, true],
  ["drop", 600, "committed", { clamped: 0, dropped: 1 }, false],
  ["fail", 600, "error", { clamped: 0, dropped: 0 }, false],
  ["fail", 6_000, "committed", { clamped: 0, dropped: 0 }, true],
] as const)(
  "has an insert at a message that was cut: %s in a window of %d",
  async (onAnchorTrimmed, budget, commitStatus, report, isShown) => {
    const { result, prompt } = await lastTurn(beside(onAnchorTrimmed), window(budget));
    expect(result.status).toBe("done");
    expect(result.commitLog.map((entry) => entry.commitStatus)).toEqual([commitStatus]);
    expect(prompt?.messages.some(({ content }) => content === "inserted")).toBe(isShown);
    const { clamped, dropped } = prompt?.explain ?? {};
    expect({ clamped: clamped?.length, dropped: dropped?.length }).toEqual(report);
    expect((prompt?.explain.trimmed.length ?? 0) > 0).toBe(budget === 600);
  },
);

it("stays within the window where the whole counts more than its parts", async () => {
  const { result, prompt } = await lastTurn(beside("boundary"), {
    limits: { prompt: { counter: rounding, budget: 600 } },
  });
  expect(result.status).toBe("done");
  expect(prompt?.tokens).toBe(rounding.countMessages?.(prompt?.messages ?? []));
  expect(prompt?.tokens).toBeLessThanOrEqual(600);
});

it.each([
  ["inserts beyond the budget", window(10), /^Inserts take 15 tokens where \d/],
  [
    "a fitter that gives too much",
    { ...window(600), promptFitter: { fit: async ({ messages }) => messages } },
    /^The prompt has \d+ tokens where 600/,
  ],
] satisfies [string, Pick<RunEngineOptions, "limits" | "promptFitter">, RegExp][])(
  "calls no model for %s",
  async (_name, options, message) => {
    const { result, prompt } = await lastTurn(beside("boundary"), options);
    expect(prompt).toBeUndefined();
    expect(result).toMatchObject({ status: "failed", mainLlm: { executed: false } });
    expect(result.failedDetails?.errorMessage).toMatch(message);
  },
);
