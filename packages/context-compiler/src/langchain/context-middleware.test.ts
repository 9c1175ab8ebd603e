import { estimatedCounter } from "@ccl/core";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import * as classes from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { promptFault } from "../../test-support/prompt-fault.ts";
import type { FitState } from "../fit/fit-state.ts";
import { contextMiddleware } from "./context-middleware.ts";
import { fromLangChain, toLangChain } from "./langchain-messages.ts";

const budget = 2_500;
const callCount = 30;
const task = "Check the orders and tell me which of them is late.";

const { AIMessage, HumanMessage } = classes;
type BaseMessage = classes.BaseMessage;

/** Requests one order after the other, then answers. Records the prompts that it gets. */
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

const readOrder = tool(({ order }) => `{"order":"${order}","state":"on time"}\n`.repeat(40), {
  name: "read_order",
  description: "Reads an order.",
  schema: z.object({ order: z.int() }),
});

describe("contextMiddleware for LangChain", () => {
  it("keeps an agent's prompts within the budget and its state complete", async () => {
    const store = new Map<string, FitState>();
    const model = new FakeModel();
    const agent = createAgent({
      model,
      tools: [readOrder],
      systemPrompt: "You look after orders.",
      middleware: [contextMiddleware({ budget, store })],
    });
    const result = await agent.invoke(
      { messages: [new HumanMessage(task)] },
      { recursionLimit: 200, configurable: { thread_id: "t1" } },
    );
    expect(result.messages).toHaveLength(2 + 2 * callCount);
    expect(model.inputs).toHaveLength(callCount + 1);
    const prompts = model.inputs.map((input) => input.map(fromLangChain));
    const sizes = prompts.map((prompt) => estimatedCounter.count(JSON.stringify(prompt)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(budget);
    expect(prompts.map(promptFault).filter((fault) => fault !== undefined)).toEqual([]);
    const systems = prompts.map((prompt) => prompt.filter(({ role }) => role === "system").length);
    expect(new Set(systems)).toEqual(new Set([1]));
    expect(model.inputs.filter((input) => !input.some(({ text }) => text === task))).toEqual([]);
    expect([...store.keys()]).toEqual(["t1"]);
  });
});

describe("LangChain messages", () => {
  it("keep all their fields in a round trip, except shortened text", () => {
    const original = new AIMessage({
      id: "m1",
      content: [
        { type: "reasoning", reasoning: "hm" },
        { type: "text", text: "Both." },
        { type: "tool_use", id: "c1", name: "a", input: {} },
        { type: "tool_use", id: "c2", name: "b", input: {} },
      ],
      tool_calls: [
        { id: "c1", name: "a", args: {} },
        { id: "c2", name: "b", args: { deep: [1] } },
      ],
      response_metadata: { model: "m" },
    });
    const message = fromLangChain(original);
    expect(message.toolCalls).toHaveLength(2);
    const back = toLangChain(
      { ...message, toolCalls: message.toolCalls?.slice(1) },
      classes,
      original,
    );
    expect(back).toMatchObject({ id: "m1", response_metadata: { model: "m" } });
    expect(back).toMatchObject({ tool_calls: [{ id: "c2", name: "b", args: { deep: [1] } }] });
    expect(JSON.stringify(back.content)).not.toContain("c1");
    expect(back.content).toHaveLength(3);
  });
});
