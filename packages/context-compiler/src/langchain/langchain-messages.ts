import type { ChatMessage, Part, ToolCall } from "@ccl/core";
import { isRecord, parseJson, stringAt } from "@ccl/core/json";
import type * as messages from "@langchain/core/messages";

type BaseMessage = messages.BaseMessage;

/** The message classes, provided by the application. */
type MessageClasses = Pick<
  typeof messages,
  "AIMessage" | "HumanMessage" | "SystemMessage" | "ToolMessage"
>;

const provider = "langchain";

/** Converts a LangChain message to a chat message. Non-text content becomes opaque parts. */
export function fromLangChain(message: BaseMessage): ChatMessage {
  const content = contentOf(message.content);
  if (isToolMessage(message)) {
    const { tool_call_id: toolCallId, status } = message;
    return { role: "tool", toolCallId, content, isError: status === "error" ? true : undefined };
  }
  if (isAiMessage(message)) {
    const toolCalls = (message.tool_calls ?? []).map(({ id = "", name, args }): ToolCall => {
      return { id, name, arguments: JSON.stringify(args) };
    });
    return { role: "assistant", content, toolCalls: toolCalls.length > 0 ? toolCalls : undefined };
  }
  return { role: message.type === "system" ? "system" : "user", content };
}

function isToolMessage(message: BaseMessage): message is messages.ToolMessage {
  return message.type === "tool" && "tool_call_id" in message;
}

function isAiMessage(message: BaseMessage): message is messages.AIMessage {
  return message.type === "ai" && "tool_calls" in message;
}

function contentOf(content: BaseMessage["content"]): string | Part[] {
  if (typeof content === "string") return content;
  return content.map((block): Part => {
    const text = stringAt(block, "text");
    return block.type === "text" && text !== undefined
      ? { type: "text", text }
      : { type: "provider", provider, raw: block };
  });
}

/**
 * Converts back a shortened message, keeping all other fields of `original`, or an added message.
 */
export function toLangChain(
  message: ChatMessage,
  { AIMessage, HumanMessage, SystemMessage, ToolMessage }: MessageClasses,
  original?: BaseMessage,
): BaseMessage {
  const { role, toolCalls = [], toolCallId = "", isError } = message;
  const fields = { ...original, content: blocksOf(message) };
  if (role === "tool") {
    const status = isError === true ? "error" : "success";
    return new ToolMessage({ ...fields, tool_call_id: toolCallId, status });
  }
  if (role === "assistant") {
    const calls = toolCalls.map(({ id, name, arguments: input }) => {
      const args = parseJson(input);
      return { type: "tool_call" as const, id, name, args: isRecord(args) ? args : {} };
    });
    return new AIMessage({ ...fields, tool_calls: calls });
  }
  return role === "user" ? new HumanMessage(fields) : new SystemMessage(fields);
}

/**
 * Returns a string if the content is only text. Leaves out blocks of removed calls, which some
 * providers keep in the content.
 */
function blocksOf({ content, toolCalls = [] }: ChatMessage): BaseMessage["content"] {
  if (typeof content === "string") return content;
  const callIds = new Set(toolCalls.map(({ id }) => id));
  const blocks = content.flatMap((part) => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    const raw = part.type === "provider" && part.provider === provider ? part.raw : undefined;
    if (!isBlock(raw)) return [];
    const id = stringAt(raw, "id");
    const isGone = callTypes.has(raw.type) && id !== undefined && !callIds.has(id);
    return isGone ? [] : [raw];
  });
  return blocks;
}

const callTypes = new Set(["tool_use", "tool_call"]);

function isBlock(raw: unknown): raw is { type: string } {
  return isRecord(raw) && typeof raw["type"] === "string";
}
