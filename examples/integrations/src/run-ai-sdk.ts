import assert from "node:assert/strict";

import { contextMiddleware, contextStep } from "@ccl/context-compiler/ai-sdk";
import { fromAiSdkMessages } from "@ccl/providers/wire/ai-sdk";
import { countMessages, estimatedCounter } from "@ccl/core";
import { generateText, stepCountIs, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

import { promptFault } from "./prompt-fault.ts";
import { budget, callCount, orderOf, task } from "./shop-story.ts";

type Answer = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;

const tokens = (
  total: number,
): { total: number; noCache: number; cacheRead: number; cacheWrite: number } => {
  return { total, noCache: total, cacheRead: 0, cacheWrite: 0 };
};

function answer(content: Answer["content"], unified: "stop" | "tool-calls"): Answer {
  const usage = { inputTokens: tokens(1), outputTokens: { total: 1, text: 1, reasoning: 0 } };
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
}

const system = "You look after orders.";

function createMock(): MockLanguageModelV3 {
  let calls = 0;
  return new MockLanguageModelV3({
    async doGenerate() {
      calls += 1;
      if (calls > callCount) return answer([{ type: "text", text: "O-7 is late." }], "stop");
      const input = JSON.stringify({ order: calls });
      return answer(
        [{ type: "tool-call", toolCallId: `call_${calls}`, toolName: "read_order", input }],
        "tool-calls",
      );
    },
  });
}

/** An agent of the AI SDK whose model sees fitted prompts, through a wrapped model and through a step. */
export async function runAiSdk(): Promise<void> {
  const wrapped = createMock();
  const middleware = contextMiddleware({ budget });
  await runAgent(wrapped, { model: wrapLanguageModel({ model: wrapped, middleware }) });
  const plain = createMock();
  // A step sees neither the system prompt nor the tools.
  await runAgent(plain, { model: plain, prepareStep: contextStep({ budget, reserve: 100 }) });
}

async function runAgent(
  mock: MockLanguageModelV3,
  agent: Pick<Parameters<typeof generateText>[0], "model"> & {
    prepareStep?: ReturnType<typeof contextStep>;
  },
): Promise<void> {
  const readOrder = tool({
    description: "Reads an order.",
    inputSchema: z.object({ order: z.int() }),
    execute: async ({ order }) => orderOf(order),
  });
  const result = await generateText({
    ...agent,
    system,
    prompt: task,
    tools: { read_order: readOrder },
    stopWhen: stepCountIs(callCount + 1),
  });
  assert.equal(result.text, "O-7 is late.");
  assert.equal(mock.doGenerateCalls.length, callCount + 1);
  const count = (text: string): number => estimatedCounter.count(text);
  const sizes = mock.doGenerateCalls.map((params) => {
    const messages = fromAiSdkMessages(params.prompt);
    assert.equal(promptFault(messages), undefined, "every prompt is one that a provider accepts");
    return countMessages(count, messages);
  });
  assert.ok(
    Math.max(...sizes) <= budget,
    `the largest prompt of ${Math.max(...sizes)} tokens is within the budget`,
  );
  const whole = countMessages(
    count,
    fromAiSdkMessages([{ role: "user", content: task }, ...result.response.messages]),
  );
  assert.ok(whole > budget, "the conversation itself is longer, and whole");
  assert.ok(
    JSON.stringify(mock.doGenerateCalls.at(-1)?.prompt).includes(task),
    "the task is still shown",
  );
  console.log(
    `AI SDK: ${sizes.length} calls, a conversation of ${whole} tokens, prompts of at most ${Math.max(...sizes)}`,
  );
}
