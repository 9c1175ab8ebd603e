import assert from "node:assert/strict";

import { withContext } from "@ccl/context-compiler/openai";
import { estimatedCounter } from "@ccl/core";
import { startTestServer, type TestAnswer } from "@ccl/providers/testing";
import { fromResponsesItems } from "@ccl/providers/wire/openai-responses";
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

import { promptFault } from "./prompt-fault.ts";
import { budget, callCount, orderOf, task } from "./shop-story.ts";

/** An agent of OpenAI's Agents SDK whose client fits its prompts. */
export async function runOpenAiAgents(): Promise<void> {
  const calls = Array.from({ length: callCount }, (_, at): TestAnswer => {
    const input = JSON.stringify({ order: at + 1 });
    return {
      type: "answer",
      toolCalls: [{ id: `call_${at}`, name: "read_order", arguments: input }],
    };
  });
  const server = await startTestServer({
    script: [...calls, { type: "answer", text: "O-7 is late." }],
  });
  setTracingDisabled(true);
  const client = new OpenAI({ baseURL: server.baseUrl("openai-responses"), apiKey: "none" });
  setDefaultOpenAIClient(withContext(client, { budget }));
  const readOrder = tool({
    name: "read_order",
    description: "Reads an order.",
    parameters: z.object({ order: z.int() }),
    execute: async ({ order }) => orderOf(order),
  });
  const agent = new Agent({
    name: "Clerk",
    instructions: "You look after orders.",
    model: "any",
    tools: [readOrder],
  });
  const result = await run(agent, task, { maxTurns: callCount + 2 });
  await server.close();
  assert.equal(result.finalOutput, "O-7 is late.");
  const sizes = server.calls.map(({ body }) => {
    const { input } = body;
    assert.ok(Array.isArray(input));
    const fault = promptFault(fromResponsesItems(input));
    assert.equal(fault, undefined, "every prompt is one that a provider accepts");
    return estimatedCounter.count(JSON.stringify([body["input"], body["tools"]]));
  });
  const largest = Math.max(...sizes);
  assert.ok(largest <= budget, `the largest prompt of ${largest} tokens is within the budget`);
  const whole = estimatedCounter.count(JSON.stringify(result.history));
  assert.ok(whole > budget, "the conversation itself is longer, and whole");
  assert.ok(JSON.stringify(server.calls.at(-1)?.body).includes(task), "the task is still shown");
  console.log(
    `OpenAI Agents: ${sizes.length} calls, a conversation of ${whole} tokens, prompts of at most ${largest}`,
  );
}
