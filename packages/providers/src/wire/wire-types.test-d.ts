import type { MessageParam, TextBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { ModelMessage } from "ai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { expectTypeOf, it } from "vitest";
import type { AiSdkMessage } from "./ai-sdk/index.ts";
import type { AnthropicConversation } from "./anthropic/index.ts";
import type { OpenAiMessage } from "./openai-chat/index.ts";

it("are what the official clients take", () => {
  expectTypeOf<OpenAiMessage>().toExtend<ChatCompletionMessageParam>();
  expectTypeOf<AnthropicConversation["messages"]>().toExtend<MessageParam[]>();
  expectTypeOf<AnthropicConversation["system"]>().toExtend<string | TextBlockParam[] | undefined>();
  expectTypeOf<AiSdkMessage>().toExtend<ModelMessage>();
});
