import { estimatedCounter, type ChatMessage, type TokenCounter } from "@ccl/core";
import { expect, it } from "vitest";
import { createMessageMeter } from "./message-meter.ts";

it("messages are counted once until they change", () => {
  let calls = 0;
  const counter: TokenCounter = {
    ...estimatedCounter,
    countMessages: (messages, tools) => {
      calls += 1;
      return estimatedCounter.countMessages?.(messages, tools) ?? 0;
    },
  };
  const first: ChatMessage = { role: "user", content: "one" };
  const messages: ChatMessage[] = [first, { role: "user", content: "two" }];
  createMessageMeter(counter).probe(messages);
  const atFirst = calls;
  createMessageMeter(counter).of(first);
  expect(calls).toBe(atFirst);
  first.content = "another";
  createMessageMeter(counter).of(first);
  expect(calls).toBe(atFirst + 1);
});
