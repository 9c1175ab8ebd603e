import { fromAnthropicMessages, toAnthropicMessages } from "@ccl/providers/wire/anthropic";
import { fromOpenAiMessages, toOpenAiMessages } from "@ccl/providers/wire/openai-chat";
import { describe, expect, it } from "vitest";

import { fitMessages } from "./fit-messages.ts";

describe("fitting messages of a provider's format", () => {
  it("keeps a refusal and an answer by voice", () => {
    const wire = [
      { role: "user", content: "Go" },
      { role: "assistant", content: null, refusal: "I can't." },
      { role: "assistant", content: null, audio: { id: "a1" } },
    ];
    const messages = fitMessages(fromOpenAiMessages(wire), { budget: 1_000 }).messages;
    expect(messages.map(({ content }) => content)).toEqual(["Go", "I can't.", "[audio]"]);
    expect(toOpenAiMessages(messages)).toEqual(wire);
  });

  it("keeps hidden thinking", () => {
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
});
