import { fromAnthropicMessages, toAnthropicMessages } from "@ccl/providers/wire/anthropic";
import { fromOpenAiMessages, toOpenAiMessages } from "@ccl/providers/wire/openai-chat";
import { describe, expect, it } from "vitest";

import { fitMessages } from "./fit-messages.ts";

describe("fitting messages from a provider's format", () => {
  it("keeps a refusal and a voice answer", () => {
    const wire = [
      { role: "user", content: "Go" },
      { role: "assistant", content: null, refusal: "I can't." },
      { role: "assistant", content: null, audio: { id: "a1" } },
    ];
    const messages = fitMessages(fromOpenAiMessages(wire), { budget: 1_000 }).messages;
    expect(messages.map(({ content }) => content)).toEqual(["Go", "I can't.", "[audio]"]);
    expect(toOpenAiMessages(messages)).toEqual(wire);
  });

  it("keeps encrypted reasoning", () => {
    const hidden = { type: "redacted_thinking", data: "xyz" };
    const wire = {
      messages: [
        { role: "user", content: "Go" },
        { role: "assistant", content: [hidden, { type: "text", text: "So." }] },
      ],
    };
    const { messages } = fitMessages(fromAnthropicMessages(wire), { budget: 1_000 });
    expect(toAnthropicMessages(messages).messages[1]?.content[0]).toEqual(hidden);
  });

  const words = (count: number): string => "word ".repeat(count);
  const user = { role: "user", content: words(60) };
  const talk = [user, { role: "assistant", content: [{ type: "text", text: words(60) }] }];
  const half = (type: string, fields: object): object => ({
    role: type.endsWith("response") || type.endsWith("result") ? "user" : "assistant",
    content: [{ type, ...fields }],
  });
  const query = { query: words(30) };
  const pairs: [string, object[]][] = [
    [
      "a turn that the provider paused",
      [
        half("server_tool_use", { id: "pair_1", name: "web_search", input: query }),
        {
          role: "assistant",
          content: [
            { type: "web_search_tool_result", tool_use_id: "pair_1", content: [] },
            { type: "text", text: words(60) },
          ],
        },
      ],
    ],
    [
      "a question in between",
      [
        half("mcp_approval_request", { id: "pair_1", name: "n", input: query }),
        user,
        half("mcp_approval_response", { approval_request_id: "pair_1", approve: true }),
      ],
    ],
  ];

  it.each(pairs)("keeps both halves of a provider's pair or neither: %s", (_name, halves) => {
    const wire = { messages: [...talk, ...halves, ...talk, ...talk, user] };
    const messages = fromAnthropicMessages(wire);
    const found = new Set<number>();
    for (let budget = 150; budget < 1_500; budget += 10) {
      const result = fitMessages(messages, { budget });
      const sent = JSON.stringify(toAnthropicMessages(result.messages));
      found.add(sent.split("pair_1").length - 1);
    }
    expect([...found].sort()).toEqual([0, 2]);
  });

  it("treats pairs the same when a history grows message by message", () => {
    for (const [, halves] of pairs) {
      const messages = fromAnthropicMessages({ messages: [...talk, ...halves, ...talk, user] });
      let state: ReturnType<typeof fitMessages>["state"] | undefined;
      for (let length = 1; length <= messages.length; length++) {
        const given = messages.slice(0, length);
        const options = { budget: 400 };
        const grown = fitMessages(given, { ...options, state });
        state = grown.state;
        const sent = JSON.stringify(toAnthropicMessages(grown.messages));
        const isWhole = length >= messages.length - talk.length - 1;
        expect([0, isWhole ? 2 : 1, 2]).toContain(sent.split("pair_1").length - 1);
      }
    }
  });
});
