import { estimatedCounter } from "@ccl/core";
import { arrayAt, isRecord, type JsonRecord } from "@ccl/core/json";
import { fromOpenAiMessages } from "@ccl/providers/wire/openai-chat";
import { fromResponsesItems } from "@ccl/providers/wire/openai-responses";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";

import { type Answer, type FakeUpstream, startUpstream } from "../../test-support/fake-upstream.ts";
import { promptFault } from "../../test-support/prompt-fault.ts";
import type { FitState } from "../fit/fit-state.ts";
import { withContext } from "./with-context.ts";

const budget = 8_000;
const turns = 100;
const task = "Find the late order. Report it to Ms Keller, never to the customer.";
const orderOf = (number: number): string =>
  JSON.stringify(
    Array.from({ length: 12 }, (_, at) => ({
      id: `I-${number}-${at}`,
      name: `part ${(number * 7 + at) % 23}`,
      status: number === 71 && at === 3 ? "late" : "on time",
    })),
  );
const tools = [
  {
    type: "function" as const,
    function: {
      name: "read_order",
      description: "Reads an order.",
      parameters: { type: "object", properties: { order: { type: "integer" } } },
    },
  },
];
/** Tokens of a request, counted on the JSON that was sent. */
const sizeOf = (body: JsonRecord): number =>
  [body["messages"], body["input"], body["instructions"], body["tools"]]
    .filter((part) => part !== undefined)
    .reduce<number>((sum, part) => sum + estimatedCounter.count(JSON.stringify(part)), 0);

let upstream: FakeUpstream;
const start = async (answer: Answer): Promise<OpenAI> => {
  upstream = await startUpstream(answer);
  return new OpenAI({ apiKey: "none", baseURL: upstream.url, maxRetries: 0 });
};
afterEach(() => upstream.close());

const completion = (message: object, reason: string): object => ({
  id: "c",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [
    { index: 0, message: { role: "assistant", refusal: null, ...message }, finish_reason: reason },
  ],
});
const chatAnswer: Answer = (_body, at) => {
  if (at === turns) return completion({ content: "O-71 is late." }, "stop");
  const called = { name: "read_order", arguments: JSON.stringify({ order: at }) };
  return completion(
    { content: null, tool_calls: [{ id: `call_${at}`, type: "function", function: called }] },
    "tool_calls",
  );
};

type Messages = OpenAI.Chat.ChatCompletionMessageParam[];

/** The loop of the README. */
async function runLoop(client: OpenAI, messages: Messages): Promise<string> {
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: "m", messages, tools });
    const message = choices[0]?.message;
    if (message === undefined) throw new TypeError("no answer");
    messages.push(message);
    if (message.tool_calls === undefined) return message.content ?? "";
    for (const call of message.tool_calls) {
      const input = call.type === "function" ? JSON.parse(call.function.arguments) : {};
      messages.push({ role: "tool", tool_call_id: call.id, content: orderOf(input.order) });
    }
  }
}

const begin = (): Messages => [
  { role: "system", content: "You look after orders." },
  { role: "user", content: task },
];

describe("withContext for an openai client", () => {
  it("keeps the task over 100 turns, where the last messages that fit would lose it", async () => {
    const client = withContext(await start(chatAnswer), { budget });
    const messages = begin();
    expect(await runLoop(client, messages)).toBe("O-71 is late.");
    expect(messages).toHaveLength(2 + 2 * turns + 1);
    const bodies = upstream.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(turns + 1);
    expect(bodies.map(sizeOf).filter((size) => size > budget)).toEqual([]);
    const prompts = bodies.map(({ messages: sent }) =>
      fromOpenAiMessages(Array.isArray(sent) ? sent : []),
    );
    expect(prompts.map(promptFault).filter((fault) => fault !== undefined)).toEqual([]);
    expect(bodies.filter((body) => !JSON.stringify(body).includes(task))).toEqual([]);
    expect(
      bodies.slice(1).filter((body, at) => !JSON.stringify(body).includes(`I-${at}-11`)),
    ).toEqual([]);

    let from = messages.length - 1;
    while (sizeOf({ messages: messages.slice(from - 1, -1), tools }) <= budget) from -= 1;
    expect(JSON.stringify(messages.slice(from))).not.toContain(task);
  });

  it("keeps the cut between calls, so that prompts have the same prefix", async () => {
    const client = withContext(await start(chatAnswer), { budget });
    await runLoop(client, begin());
    const sent = upstream.requests.map(({ body }) =>
      arrayAt(body, "messages").map((one) => JSON.stringify(one)),
    );
    const kept = sent.filter(
      (one, at) => at === 0 || sent[at - 1]?.every((message, place) => one[place] === message),
    );
    expect(kept.length).toBeGreaterThan(turns * 0.85);
  });

  it("keeps the states of conversations in a store, by name if there is one", async () => {
    const store = new Map<string, FitState>();
    const client = await start(chatAnswer);
    await runLoop(withContext(client, { budget, store, conversation: "chat-7" }), begin());
    expect([...store.keys()]).toEqual(["chat-7"]);
    expect(store.get("chat-7")?.cut).toBeDefined();
  });

  it("does not touch streams, options and the original client", async () => {
    const event = { id: "c", object: "chat.completion.chunk", created: 0, model: "m" };
    const delta = {
      ...event,
      choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    };
    const client = await start(() => `data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`);
    const fitted = withContext(client, { budget: 300 }).withOptions({ timeout: 9_000 });
    const messages: Messages = [
      ...begin(),
      ...Array.from({ length: 50 }, (_, at) => ({
        role: "user" as const,
        content: `Note ${at}: all is well.`,
      })),
    ];
    let text = "";
    for await (const chunk of await fitted.chat.completions.create({
      model: "m",
      messages,
      stream: true,
      temperature: 0.2,
    }))
      text += chunk.choices[0]?.delta.content ?? "";
    await fitted.chat.completions.stream({ model: "m", messages }).finalContent();
    await client.chat.completions.create({ model: "m", messages, stream: true });
    expect(text).toBe("Hi");
    const [first, second, plain] = upstream.requests.map(({ body }) => body);
    expect(first).toMatchObject({ model: "m", stream: true, temperature: 0.2 });
    expect(sizeOf(first ?? {})).toBeLessThanOrEqual(300);
    expect(second?.["messages"]).toEqual(first?.["messages"]);
    expect(plain?.["messages"]).toEqual(messages);
  });

  it("throws from the call if something does not fit", async () => {
    const client = withContext(await start(chatAnswer), { budget: 20 });
    const messages = begin();
    await expect(client.chat.completions.create({ model: "m", messages })).rejects.toMatchObject({
      code: "budget_exceeded",
    });
    expect(upstream.requests).toEqual([]);
  });

  it("rejects anything but a client", () => {
    const fake = { post: 1, withOptions: () => fake };
    // @ts-expect-error -- a JavaScript caller may pass this
    expect(() => withContext(fake, { budget })).toThrow("official package");
  });
});

describe("withContext for responses", () => {
  const respond: Answer = (_body, at) => ({
    id: `r${at}`,
    object: "response",
    output: [
      { type: "reasoning", id: `rs_${at}`, summary: [], encrypted_content: "secret" },
      {
        type: "function_call",
        id: `fc_${at}`,
        call_id: `call_${at}`,
        name: "read_order",
        arguments: `{"order":${at}}`,
      },
    ],
  });

  it("keeps the instructions, the task, and calls with their reasoning", async () => {
    const client = withContext(await start(respond), { budget });
    const instructions = "You look after orders.";
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: task }];
    for (let turn = 0; turn < turns; turn += 1) {
      const { output } = await client.responses.create({
        model: "m",
        instructions,
        input,
        store: false,
      });
      input.push(...output.filter(isInput));
      input.push({ type: "function_call_output", call_id: `call_${turn}`, output: orderOf(turn) });
    }
    const bodies = upstream.requests.map(({ body }) => body);
    expect(bodies.map(sizeOf).filter((size) => size > budget)).toEqual([]);
    expect(bodies.filter((body) => body["instructions"] !== instructions)).toEqual([]);
    expect(bodies.filter((body) => !JSON.stringify(body).includes(task))).toEqual([]);
    const prompts = bodies.map((body) =>
      fromResponsesItems(arrayAt(body, "input").filter(isRecord)),
    );
    expect(prompts.map(promptFault).filter((fault) => fault !== undefined)).toEqual([]);
    const last = arrayAt(bodies.at(-1) ?? {}, "input").filter(isRecord);
    const kinds = last.map(({ type }) => type);
    expect(kinds.filter((type) => type === "reasoning").length).toBe(
      kinds.filter((type) => type === "function_call").length,
    );
  });

  it("sends a request that continues a conversation at the provider unchanged", async () => {
    const client = withContext(await start(respond), { budget: 40 });
    const input: OpenAI.Responses.ResponseInput = [
      { type: "function_call_output", call_id: "call_0", output: orderOf(0) },
    ];
    await client.responses.create({ model: "m", input, previous_response_id: "r0" });
    expect(upstream.requests[0]?.body["input"]).toEqual(input);
  });
});

function isInput(
  item: OpenAI.Responses.ResponseOutputItem,
): item is OpenAI.Responses.ResponseReasoningItem | OpenAI.Responses.ResponseFunctionToolCall {
  return item.type === "reasoning" || item.type === "function_call";
}
