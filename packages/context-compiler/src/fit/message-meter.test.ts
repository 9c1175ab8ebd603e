import {
  estimatedCounter,
  type ChatMessage,
  type TokenCounter,
  type ToolDefinition,
} from "@ccl/core";
import { expect, it } from "vitest";
import { createMessageMeter } from "./message-meter.ts";

it("messages and tools are counted once, whatever is counted without the tools between", () => {
  let calls = 0;
  const counter: TokenCounter = {
    ...estimatedCounter,
    countMessages: (messages, tools) => {
      calls += 1;
      return estimatedCounter.countMessages?.(messages, tools) ?? 0;
    },
  };
  const tool: ToolDefinition = {
    name: "look_up",
    description: "",
    inputSchema: {},
    execute: () => Promise.resolve(),
  };
  const first: ChatMessage = { role: "user", content: "one" };
  const messages: ChatMessage[] = [first, { role: "user", content: "two" }];
  createMessageMeter(counter, [tool]).probe(messages);
  const atFirst = calls;
  createMessageMeter(counter).of(first);
  createMessageMeter(counter, [tool]).of(first);
  expect(calls).toBe(atFirst);
  first.content = "another";
  createMessageMeter(counter, [tool]).of(first);
  expect(calls).toBe(atFirst + 1);
});
