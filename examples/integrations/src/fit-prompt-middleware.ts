import { fitMessages, type FitState } from "@ccl/context-compiler";
import {
  type AiSdkMessage,
  type AiSdkTextPart,
  type AiSdkToolResultPart,
  fromAiSdkMessages,
  toAiSdkMessages,
} from "@ccl/providers/wire/ai-sdk";
import type { TokenCounter, ToolDefinition } from "@ccl/core";
import type { LanguageModelMiddleware } from "ai";

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type PromptMessage = Params["prompt"][number];
type ResultPart = Extract<
  Extract<PromptMessage, { role: "tool" }>["content"][number],
  { type: "tool-result" }
>;

/** What the prompt is fitted into. */
export interface FitPromptOptions {
  budget: number;
  counter?: TokenCounter;
}

/** A middleware for one conversation that keeps each prompt of a model within a budget. The conversation stays as it is. */
export function fitPromptMiddleware(options: FitPromptOptions): LanguageModelMiddleware {
  let state: FitState | undefined;
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const messages = fromAiSdkMessages(params.prompt);
      const fitted = fitMessages(messages, { ...options, tools: countedTools(params), state });
      state = fitted.state;
      return { ...params, prompt: toAiSdkMessages(fitted.messages).map(toPromptMessage) };
    },
  };
}

/** The tools as they take room in a prompt; the AI SDK calls them. */
export function countedTools({ tools = [] }: Params): ToolDefinition[] {
  return tools.flatMap((tool) => {
    if (tool.type !== "function") return [];
    const { name, description = "", inputSchema } = tool;
    return [
      { name, description, inputSchema, execute: () => Promise.reject(new Error("never called")) },
    ];
  });
}

/** Models get texts as parts, where applications may write them plain, and media of results under another name. */
function toPromptMessage(message: AiSdkMessage): PromptMessage {
  switch (message.role) {
    case "system":
      return message;
    case "user":
      return { ...message, content: partsOf(message.content) };
    case "assistant": {
      const parts = partsOf(message.content);
      return {
        ...message,
        content: parts.map((part) => (part.type === "tool-result" ? toPromptResult(part) : part)),
      };
    }
    default:
      return { ...message, content: message.content.map(toPromptResult) };
  }
}

function partsOf<Part>(content: string | Part[]): (Part | AiSdkTextPart)[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function toPromptResult({ output, ...part }: AiSdkToolResultPart): ResultPart {
  if (output.type !== "content") return { ...part, output };
  const value = output.value.map((item) =>
    item.type === "text" ? item : { ...item, type: "file-data" as const },
  );
  return { ...part, output: { type: "content", value } };
}
