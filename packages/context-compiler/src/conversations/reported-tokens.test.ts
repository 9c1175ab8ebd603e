import Anthropic from "@anthropic-ai/sdk";
import { estimatedCounter } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { generateText, stepCountIs, wrapLanguageModel } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { createAgent, tool } from "langchain";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { startUpstream } from "../../test-support/fake-upstream.ts";
import { contextMiddleware } from "../ai-sdk/context-middleware.ts";
import { contextStep } from "../ai-sdk/context-step.ts";
import { withContext as withAnthropicContext } from "../anthropic/with-context.ts";
import type { FitState } from "../fit/fit-state.ts";
import { contextMiddleware as langChainMiddleware } from "../langchain/context-middleware.ts";
import { fromLangChain } from "../langchain/langchain-messages.ts";
import { withContext } from "../openai/with-context.ts";
import { fittingConversations } from "./fit-conversation.ts";

const budget = 1_500;
const turns = 14;
const task = "Which order is late?";
const orderOf = (at: number): string => `order ${at} is on its way, no part is late. `.repeat(15);
const history = Array.from({ length: turns }, (_, at) => [
  { role: "assistant" as const, content: `I read order ${at}.` },
  { role: "user" as const, content: orderOf(at) },
]);
const begin = { role: "user" as const, content: task };
const asked = history.map((_, at) => [begin, ...history.slice(0, at).flat()]);
const options = { budget, policy: "balanced" as const };
const countOf = (sent: unknown): number =>
  Math.ceil(1.3 * estimatedCounter.count(JSON.stringify(sent)));
const sse = (events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/**
 * Answers prompts with 1.3 times the estimated tokens, reports them or not, and returns the tokens
 * of each.
 */
type Run = (isReported: boolean, store: Map<string, FitState>) => Promise<number[]>;

/** The official clients over a server that counts this way. */
function upstreamRun(
  answer: (tokens: number | undefined) => object | string,
  call: (url: string, messages: (typeof history)[number], store: Map<string, FitState>) => unknown,
): Run {
  return async (isReported, store) => {
    const counts: number[] = [];
    const upstream = await startUpstream(({ messages, input, tools }: JsonRecord) => {
      counts.push(countOf([messages ?? input, tools]));
      return answer(isReported ? counts.at(-1) : undefined);
    });
    for (const messages of asked) await call(upstream.url, messages, store);
    await upstream.close();
    return counts;
  };
}

const openAi = (url: string, store: Map<string, FitState>): OpenAI =>
  withContext(new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 }), { ...options, store });
const anthropic = (url: string, store: Map<string, FitState>): Anthropic =>
  withAnthropicContext(new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 }), {
    ...options,
    store,
  });
const chatUsage = (tokens: number | undefined): object =>
  tokens === undefined ? {} : { usage: { prompt_tokens: tokens, completion_tokens: 1 } };
const inputUsage = (tokens: number | undefined): object =>
  tokens === undefined ? {} : { usage: { input_tokens: tokens, output_tokens: 1 } };
const aiSdkUsage = (total: number | undefined) => ({
  inputTokens: { total, noCache: total, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
});
const stop = { unified: "stop" as const, raw: undefined };

/** An AI SDK model with the middleware, streamed or not. */
function aiSdkRun(isStreamed: boolean): Run {
  return async (isReported, store) => {
    const counts: number[] = [];
    const usageOf = (prompt: unknown) => {
      counts.push(countOf(prompt));
      return aiSdkUsage(isReported ? counts.at(-1) : undefined);
    };
    const inner = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        const content = [{ type: "text" as const, text: "Fine." }];
        return { content, finishReason: stop, usage: usageOf(prompt), warnings: [] };
      },
      doStream: async ({ prompt }) => {
        const usage = usageOf(prompt);
        const chunks = [{ type: "finish" as const, finishReason: stop, usage }];
        return { stream: simulateReadableStream({ chunks }) };
      },
    });
    const model = wrapLanguageModel({
      model: inner,
      middleware: contextMiddleware({ ...options, store }),
    });
    for (const messages of asked) {
      const prompt = messages.map(({ role, content }) => ({
        role,
        content: [{ type: "text" as const, text: content }],
      }));
      if (!isStreamed) await model.doGenerate({ prompt });
      else for await (const _ of (await model.doStream({ prompt })).stream);
    }
    return counts;
  };
}

const runs: [string, Run][] = [
  [
    "chat completions",
    upstreamRun(
      (tokens) => ({ choices: [], ...chatUsage(tokens) }),
      (url, messages, store) =>
        openAi(url, store).chat.completions.create({ model: "m", messages }),
    ),
  ],
  [
    "streamed chat completions",
    upstreamRun(
      (tokens) => `${sse([{ choices: [], ...chatUsage(tokens) }])}data: [DONE]\n\n`,
      async (url, messages, store) => {
        const request = { model: "m", messages, stream: true as const };
        for await (const _ of await openAi(url, store).chat.completions.create(request));
      },
    ),
  ],
  [
    "responses",
    upstreamRun(
      (tokens) => ({ output: [], ...inputUsage(tokens) }),
      (url, input, store) => openAi(url, store).responses.create({ model: "m", input }),
    ),
  ],
  [
    "streamed responses",
    upstreamRun(
      (tokens) =>
        sse([{ type: "response.completed", response: { output: [], ...inputUsage(tokens) } }]),
      async (url, input, store) => {
        const request = { model: "m", input, stream: true as const };
        for await (const _ of await openAi(url, store).responses.create(request));
      },
    ),
  ],
  [
    "messages of Anthropic",
    upstreamRun(
      (tokens) => ({ type: "message", content: [], ...inputUsage(tokens) }),
      (url, messages, store) =>
        anthropic(url, store).messages.create({ model: "m", max_tokens: 9, messages }),
    ),
  ],
  [
    "streamed messages of Anthropic",
    upstreamRun(
      (tokens) =>
        `event: message_start\n${sse([{ type: "message_start", message: { content: [], ...inputUsage(tokens) } }])}event: message_stop\n${sse([{ type: "message_stop" }])}`,
      (url, messages, store) =>
        anthropic(url, store).messages.stream({ model: "m", max_tokens: 9, messages }).done(),
    ),
  ],
  ["the AI SDK", aiSdkRun(false)],
  ["streams of the AI SDK", aiSdkRun(true)],
  [
    "steps of the AI SDK",
    async (isReported, store) => {
      const counts: number[] = [];
      const model = new MockLanguageModelV3({
        doGenerate: async ({ prompt, tools }) => {
          counts.push(countOf([prompt, tools]));
          const toolCallId = `c${counts.length}`;
          return {
            content: [{ type: "tool-call", toolCallId, toolName: "read", input: "{}" }],
            finishReason: { unified: "tool-calls", raw: undefined },
            usage: aiSdkUsage(isReported ? counts.at(-1) : undefined),
            warnings: [],
          };
        },
      });
      const read = { inputSchema: z.object({}), execute: async () => orderOf(1) };
      await generateText({
        model,
        prepareStep: contextStep({ ...options, store, reserve: 100 }),
        prompt: task,
        tools: { read },
        stopWhen: stepCountIs(turns),
      });
      return counts;
    },
  ],
  [
    "LangChain",
    async (isReported, store) => {
      const counts: number[] = [];
      class CountingModel extends BaseChatModel {
        override _llmType(): string {
          return "fake";
        }
        override bindTools(): this {
          return this;
        }
        override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
          counts.push(countOf(messages.map(fromLangChain)));
          const total = counts.at(-1) ?? 0;
          const calls = [{ id: `c${counts.length}`, name: "read", args: {} }];
          const usage = { input_tokens: total, output_tokens: 1, total_tokens: total + 1 };
          const message = new AIMessage({
            content: "",
            tool_calls: counts.length < turns ? calls : [],
          });
          Object.assign(message, isReported ? { usage_metadata: usage } : {});
          return { generations: [{ message, text: "" }] };
        }
      }
      const read = tool(() => orderOf(1), { name: "read", schema: z.object({}) });
      const agent = createAgent({
        model: new CountingModel({}),
        tools: [read],
        middleware: [langChainMiddleware({ ...options, store })],
      });
      await agent.invoke({ messages: [new HumanMessage(task)] }, { recursionLimit: 100 });
      return counts;
    },
  ],
];

describe("usage that a provider reports to another library", () => {
  it.each(runs)("keeps later prompts within the budget: %s", async (_name, run) => {
    const store = new Map<string, FitState>();
    const reported = await run(true, store);
    expect(reported).toHaveLength(turns);
    expect(reported.filter((tokens) => tokens > budget)).toEqual([]);
    expect(Math.max(...reported)).toBeGreaterThan(budget * 0.7);
    const [state] = store.values();
    expect(state?.usages).toHaveLength(8);
    expect(state?.usages?.at(-2)?.inputTokens).toBe(reported.at(-2));
    // The control: without reports, prompts exceed the budget.
    expect(Math.max(...(await run(false, new Map())))).toBeGreaterThan(budget);
  });

  it("is stored with the conversation as JSON, and a failing store loses no answer", async () => {
    const texts = new Map<string, string>();
    let isBroken = false;
    const store = {
      async get(key: string): Promise<FitState | undefined> {
        if (isBroken) throw new Error("the table is gone");
        const text = texts.get(key);
        return text === undefined ? undefined : JSON.parse(text);
      },
      set: async (key: string, state: FitState) => texts.set(key, JSON.stringify(state)),
    };
    const sizes: number[] = [];
    for (const messages of asked) {
      // As if each call ran in a new process.
      const { prompt, report } = await fittingConversations({ ...options, store })(messages, {
        write: (fitted) => fitted.messages,
      });
      sizes.push(countOf(prompt));
      await report({ inputTokens: sizes.at(-1) });
      await report({ inputTokens: Number.NaN });
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(budget);
    const fit = fittingConversations({ ...options, store });
    const call = { write: () => "", sent: () => "" };
    const { report } = await fit([begin], call);
    isBroken = true;
    await report({ inputTokens: 1_000 });
    await expect(fit([begin], call)).rejects.toThrow("the table is gone");
  });
});
