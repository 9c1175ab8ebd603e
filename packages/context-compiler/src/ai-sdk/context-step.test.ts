import { estimatedCounter } from "@ccl/core";
import { fromAiSdkMessages } from "@ccl/providers/wire/ai-sdk";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { promptFault } from "../../test-support/prompt-fault.ts";
import { contextStep } from "./context-step.ts";

const task = "Which order is late?";
const budget = 2_500;
const callCount = 20;
const sizeOf = (messages: readonly object[]): number =>
  estimatedCounter.count(JSON.stringify(messages));
const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
const usage = { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: 0 } };

describe("contextStep", () => {
  it("keeps the steps of an agent within the budget", async () => {
    const model: MockLanguageModelV3 = new MockLanguageModelV3({
      async doGenerate() {
        const at = model.doGenerateCalls.length;
        const call = {
          type: "tool-call" as const,
          toolCallId: `c${at}`,
          toolName: "read",
          input: `{"order":${at}}`,
        };
        return at > callCount
          ? {
              content: [{ type: "text", text: "O-7." }],
              finishReason: { unified: "stop", raw: undefined },
              usage,
              warnings: [],
            }
          : {
              content: [call],
              finishReason: { unified: "tool-calls", raw: undefined },
              usage,
              warnings: [],
            };
      },
    });
    const read = tool({
      inputSchema: z.object({ order: z.int() }),
      execute: async ({ order }) => `{"order":"${order}","state":"open"}\n`.repeat(60),
    });
    const prepareStep = contextStep({ budget, reserve: 200 });
    const { text } = await generateText({
      model,
      prepareStep,
      prompt: task,
      tools: { read },
      stopWhen: stepCountIs(callCount + 1),
    });
    expect(text).toBe("O-7.");
    const prompts = model.doGenerateCalls.map(({ prompt }) => prompt);
    expect(Math.max(...prompts.map(sizeOf))).toBeLessThanOrEqual(budget - 200);
    expect(
      prompts
        .map((prompt) => promptFault(fromAiSdkMessages(prompt)))
        .filter((fault) => fault !== undefined),
    ).toEqual([]);
    expect(prompts.filter((prompt) => !JSON.stringify(prompt).includes(task))).toEqual([]);
  });

  it("starts from the whole history in versions that continue with the prepared messages", async () => {
    const prepareStep = contextStep({ budget });
    const initialMessages = [{ role: "user", content: task }];
    const responseMessages = Array.from({ length: 40 }, (_, at) => ({
      role: "assistant",
      content: `note ${at}: ${"word ".repeat(100)}`,
    }));
    const first = await prepareStep({
      messages: initialMessages,
      initialMessages,
      responseMessages,
    });
    const messages = [...first.messages, { role: "assistant", content: "new" }];
    const next = await prepareStep({
      messages,
      initialMessages,
      responseMessages: [...responseMessages, { role: "assistant", content: "new" }],
    });
    expect(next.messages.slice(0, -1)).toEqual(first.messages);
    expect(JSON.stringify(next.messages.at(-1))).toContain("new");
  });
});
