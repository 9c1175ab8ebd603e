import assert from "node:assert/strict";

import { contextMiddleware } from "@ccl/context-compiler/langchain";
import { countMessages, estimatedCounter, type ChatMessage } from "@ccl/core";
import { fromOpenAiMessages } from "@ccl/providers/wire/openai-chat";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { createAgent, tool } from "langchain";
import { z } from "zod";

import { promptFault } from "./prompt-fault.ts";
import { budget, callCount, orderOf, task } from "./shop-story.ts";

/** Asks for one order after the other, then answers. Records its input. */
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

/** The messages that a provider would receive, to be checked and counted. */
function readMessages(messages: readonly BaseMessage[]): ChatMessage[] {
  const roles: Record<string, string> = { human: "user", ai: "assistant" };
  return fromOpenAiMessages(
    messages.map((message) => {
      const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
      const toolCalls = calls.map(({ id, name, args }) => {
        return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
      });
      return {
        role: roles[message.type] ?? message.type,
        content: message.text,
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
        ...("tool_call_id" in message && { tool_call_id: message.tool_call_id }),
      };
    }),
  );
}

/** An agent of LangChain whose model gets fitted input. */
export async function runLangChain(): Promise<void> {
  const model = new FakeModel();
  const readOrder = tool(({ order }) => orderOf(order), {
    name: "read_order",
    description: "Reads an order.",
    schema: z.object({ order: z.int() }),
  });
  const agent = createAgent({
    model,
    tools: [readOrder],
    systemPrompt: "You look after orders.",
    middleware: [contextMiddleware({ budget })],
  });
  const result = await agent.invoke(
    { messages: [new HumanMessage(task)] },
    { recursionLimit: 100, configurable: { thread_id: "t1" } },
  );
  assert.equal(result.messages.at(-1)?.text, "O-7 is late.");
  assert.equal(model.inputs.length, callCount + 1);
  const count = (text: string): number => estimatedCounter.count(text);
  const sizes = model.inputs.map((input) => {
    const prompt = readMessages(input);
    assert.equal(promptFault(prompt), undefined, "every prompt is one that a provider accepts");
    return countMessages(count, prompt);
  });
  assert.ok(
    Math.max(...sizes) <= budget,
    `the largest prompt of ${Math.max(...sizes)} tokens is within the budget`,
  );
  const whole = countMessages(count, readMessages(result.messages));
  assert.ok(whole > budget, "the conversation itself is longer, and whole");
  assert.ok(
    model.inputs.at(-1)?.some((message) => message.text === task),
    "the task is still shown",
  );
  console.log(
    `LangChain: ${sizes.length} calls, a conversation of ${whole} tokens, prompts of at most ${Math.max(...sizes)}`,
  );
}
