import { countMessages, estimatedCounter } from "@ccl/core";
import { fromAiSdkMessages } from "@ccl/providers/wire/ai-sdk";
import { describe, expect, it } from "vitest";

import type { FitState } from "../fit/fit-state.ts";
import { contextMiddleware, type ContextMiddleware } from "./context-middleware.ts";

/** The prompts that the middleware passes to a model. */
async function sentOf<Params extends { prompt: object[] }>(
  middleware: ContextMiddleware<"v3">,
  params: Params,
): Promise<Params> {
  let sent = params;
  const doGenerate = async (given: Params): Promise<object> => {
    sent = given;
    return {};
  };
  await middleware.wrapGenerate({ params, model: { specificationVersion: "v3", doGenerate } });
  return sent;
}
const user = (text: string): object => ({ role: "user", content: [{ type: "text", text }] });
const turn = (at: number): object[] => [
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: `c${at}`, toolName: "read", input: { at } }],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: `c${at}`,
        toolName: "read",
        output: { type: "text", value: `order ${at} is open. `.repeat(100) },
      },
    ],
  },
];
const promptOf = (task: string, turns: number): object[] => [
  { role: "system", content: "You look after orders." },
  user(task),
  ...Array.from({ length: turns }, (_, at) => turn(at)).flat(),
];
const sizeOf = (prompt: readonly object[]): number =>
  countMessages((text) => estimatedCounter.count(text), fromAiSdkMessages(prompt));

describe("contextMiddleware", () => {
  it("keeps each prompt within its budget, with the task and an unchanged prefix", async () => {
    const middleware = contextMiddleware({ budget: 3_000 });
    const first = await sentOf(middleware, {
      prompt: promptOf("Which order is late?", 20),
      temperature: 0,
    });
    const second = await sentOf(middleware, { prompt: promptOf("Which order is late?", 21) });
    for (const { prompt } of [first, second]) {
      expect(sizeOf(prompt)).toBeLessThanOrEqual(3_000);
      expect(JSON.stringify(prompt)).toContain("Which order is late?");
    }
    expect(first.temperature).toBe(0);
    expect(second.prompt.slice(0, first.prompt.length)).toEqual(first.prompt);
  });

  it("keeps the state of each conversation in the given store", async () => {
    const states = new Map<string, FitState>();
    const middleware = contextMiddleware({ budget: 3_000, store: states });
    for (const task of ["Which order is late?", "Which order is paid?"])
      await sentOf(middleware, { prompt: promptOf(task, 20) });
    expect(states.size).toBe(2);
    const named = contextMiddleware({ budget: 3_000, store: states, conversation: "chat-7" });
    await sentOf(named, { prompt: promptOf("Hello", 1) });
    expect(states.has("chat-7")).toBe(true);
  });

  it("reports what does not fit", async () => {
    const middleware = contextMiddleware({ budget: 20 });
    const params = { prompt: promptOf("Which order is late? ".repeat(50), 1) };
    await expect(sentOf(middleware, params)).rejects.toMatchObject({
      code: "budget_exceeded",
    });
  });

  it("passes on messages that fit unchanged", async () => {
    const prompt = promptOf("Which order is late?", 2);
    const { prompt: same } = await sentOf(contextMiddleware({ budget: 30_000 }), { prompt });
    expect(same).toEqual(prompt);
  });
});
