import Anthropic from "@anthropic-ai/sdk";
import { estimatedCounter } from "@ccl/core";
import { arrayAt, isRecord, type JsonRecord } from "@ccl/core/json";
import { fromAnthropicMessages } from "@ccl/providers/wire/anthropic";
import { afterEach, describe, expect, it } from "vitest";

import { type Answer, type FakeUpstream, startUpstream } from "../../test-support/fake-upstream.ts";
import { promptFault } from "../../test-support/prompt-fault.ts";
import { withContext } from "./with-context.ts";

const budget = 6_000;
const turns = 60;
const task = "Find the late order. Report it to Ms Keller, never to the customer.";
const system = "You look after orders.";
const mark = { type: "ephemeral" as const };
const orderOf = (number: number): string => `order ${number}: all parts on time. `.repeat(60);
const tools = [
  { name: "read_order", input_schema: { type: "object" as const } },
  { type: "web_search_20250305" as const, name: "web_search" as const },
];
const sizeOf = ({ system: operator, messages, tools: given }: JsonRecord): number =>
  estimatedCounter.count(JSON.stringify([operator, messages, given]));
const marksIn = (body: JsonRecord | undefined): number =>
  JSON.stringify(body).split("cache_control").length - 1;

let upstream: FakeUpstream;
const start = async (answer: Answer): Promise<Anthropic> => {
  upstream = await startUpstream(answer);
  return new Anthropic({ apiKey: "none", baseURL: upstream.url, maxRetries: 0 });
};
afterEach(() => upstream.close());

const answer: Answer = (_body, at) => ({
  id: `m${at}`,
  type: "message",
  role: "assistant",
  model: "m",
  content: [
    { type: "thinking", thinking: "Next.", signature: `sig${at}` },
    { type: "tool_use", id: `toolu_${at}`, name: "read_order", input: { order: at } },
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 1, output_tokens: 1 },
});

async function runLoop(
  client: Anthropic,
  operator: Anthropic.MessageCreateParams["system"] = system,
) {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: task }];
  for (let turn = 0; turn < turns; turn += 1) {
    const request = { model: "m", max_tokens: 100, system: operator, messages, tools };
    const { content } = await client.messages.create(request);
    messages.push({ role: "assistant", content });
    const result = {
      type: "tool_result" as const,
      tool_use_id: `toolu_${turn}`,
      content: orderOf(turn),
    };
    messages.push({ role: "user", content: [result] });
  }
}

describe("withContext of an Anthropic client", () => {
  it("keeps the task, the system prompt and valid turns within the budget", async () => {
    await runLoop(withContext(await start(answer), { budget }));
    const bodies = upstream.requests.map(({ body }) => body);
    expect(bodies.map(sizeOf).filter((size) => size > budget)).toEqual([]);
    expect(bodies.filter((body) => !JSON.stringify(body["messages"]).includes(task))).toEqual([]);
    expect(bodies.filter((body) => !JSON.stringify(body["system"]).includes(system))).toEqual([]);
    const prompts = bodies.map((body) =>
      fromAnthropicMessages({ messages: arrayAt(body, "messages").filter(isRecord) }),
    );
    expect(prompts.map(promptFault).filter((fault) => fault !== undefined)).toEqual([]);
    const last = arrayAt(bodies.at(-1), "messages");
    expect(last.length).toBeLessThan(2 * turns - 1);
    const thoughts = JSON.stringify(last).split('"thinking":').length;
    expect(thoughts).toBe(JSON.stringify(last).split('"tool_use"').length);
  });

  it("marks the stable prefix at up to four places, unless the request has marks or turns them off", async () => {
    const client = await start(answer);
    await runLoop(withContext(client, { budget }));
    const marks = upstream.requests.map(({ body }) => marksIn(body));
    expect(Math.min(...marks)).toBeGreaterThan(0);
    expect(Math.max(...marks)).toBeLessThanOrEqual(4);
    await runLoop(withContext(client, { budget, cacheControl: false }));
    expect(marksIn(upstream.requests.at(-1)?.body)).toBe(0);
    const marked = [{ type: "text" as const, text: system, cache_control: mark }];
    await runLoop(withContext(client, { budget }), marked);
    expect(marksIn(upstream.requests.at(-1)?.body)).toBe(1);
    expect(upstream.requests.at(-1)?.body["system"]).toEqual(marked);
  });

  it("does not touch streams and token counting", async () => {
    const events = [
      {
        type: "message_start",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: "message_stop" },
    ];
    const stream = events
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
    const client = withContext(
      await start(({ stream: isStream }) => (isStream === true ? stream : { input_tokens: 7 })),
      { budget: 300 },
    );
    const messages = Array.from({ length: 60 }, (_, at) => ({
      role: "user" as const,
      content: `Note ${at}: all is well.`,
    }));
    expect(await client.messages.stream({ model: "m", max_tokens: 9, messages }).finalText()).toBe(
      "Hi",
    );
    expect(await client.messages.countTokens({ model: "m", messages })).toEqual({
      input_tokens: 7,
    });
    const [streamed, counted] = upstream.requests;
    expect(sizeOf(streamed?.body ?? {})).toBeLessThanOrEqual(300);
    expect(counted?.body["messages"]).toEqual(messages);
  });
});
