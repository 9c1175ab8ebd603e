import assert from "node:assert/strict";

import { countMessages, estimatedCounter, type ToolDefinition } from "@ccl/core";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";

import { fitModelInput } from "./fit-model-input.ts";
import { fromLangChain } from "./langchain-messages.ts";
import { promptFault } from "./prompt-fault.ts";
import { budget, callCount, orderOf, task } from "./shop-story.ts";

/** Asks for one order after the other, then answers; keeps what it was given. */
class FakeModel extends BaseChatModel {
  readonly inputs: BaseMessage[][] = [];

  constructor() {
    super({});
  }

  override _llmType(): string {
    return "fake";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.inputs.push(messages);
    const number = this.inputs.length;
    const call = { id: `call_${number}`, name: "read_order", args: { order: number } };
    const message =
      number > callCount
        ? new AIMessage("O-7 is late.")
        : new AIMessage({ content: "", tool_calls: [call] });
    return { generations: [{ message, text: message.text }] };
  }
}

const described: ToolDefinition = {
  name: "read_order",
  description: "Reads an order.",
  inputSchema: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
  execute: () => Promise.reject(new Error("LangGraph calls it")),
};

/** An agent of LangGraph whose model gets fitted input. */
export async function runLangGraph(): Promise<void> {
  const llm = new FakeModel();
  const { name, description } = described;
  const readOrder = tool(async ({ order }) => orderOf(order), {
    name,
    description,
    schema: z.object({ order: z.int() }),
  });
  const preModelHook = fitModelInput({ budget, tools: [described] });
  const agent = createReactAgent({ llm, tools: [readOrder], preModelHook });
  const messages = [new SystemMessage("You look after orders."), new HumanMessage(task)];
  const result = await agent.invoke(
    { messages },
    { recursionLimit: 100, configurable: { thread_id: "t1" } },
  );
  assert.equal(result.messages.at(-1)?.text, "O-7 is late.");
  assert.equal(llm.inputs.length, callCount + 1);
  const count = (text: string): number => estimatedCounter.count(text);
  const sizes = llm.inputs.map((input) => {
    const prompt = input.map(fromLangChain);
    assert.equal(promptFault(prompt), undefined, "every prompt is one that a provider accepts");
    return countMessages(count, prompt, [described]);
  });
  assert.ok(
    Math.max(...sizes) <= budget,
    `the largest prompt of ${Math.max(...sizes)} tokens is within the budget`,
  );
  const whole = countMessages(count, result.messages.map(fromLangChain));
  assert.ok(whole > budget, "the conversation itself is longer, and whole");
  assert.ok(
    llm.inputs.at(-1)?.some((message) => message.text === task),
    "the task is still shown",
  );
  console.log(
    `LangGraph: ${sizes.length} calls, a conversation of ${whole} tokens, prompts of at most ${Math.max(...sizes)}`,
  );
}
