import type { ChatMessage } from "@ccl/core";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";

/** A message of LangChain as a chat message; of content in parts, the text. */
export function fromLangChain(message: BaseMessage): ChatMessage {
  const content = message.text;
  if (message instanceof ToolMessage) {
    const failed = message.status === "error" ? { isError: true } : {};
    return { role: "tool", toolCallId: message.tool_call_id, content, ...failed };
  }
  if (message instanceof AIMessage) {
    const toolCalls = (message.tool_calls ?? []).map(({ id = "", name, args }) => {
      return { id, name, arguments: JSON.stringify(args) };
    });
    return {
      role: "assistant",
      content,
      toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
    };
  }
  return { role: message.getType() === "system" ? "system" : "user", content };
}

/** The other way, for messages that were shortened or made up. */
export function toLangChain({
  role,
  content,
  toolCalls = [],
  toolCallId = "",
  isError,
}: ChatMessage): BaseMessage {
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => ("text" in part ? part.text : "")).join("\n");
  if (role === "tool") {
    return new ToolMessage({
      content: text,
      tool_call_id: toolCallId,
      status: isError === true ? "error" : "success",
    });
  }
  if (role === "assistant") {
    const calls = toolCalls.map(({ id, name, arguments: input }) => ({
      id,
      name,
      args: JSON.parse(input),
    }));
    return new AIMessage({ content: text, tool_calls: calls });
  }
  return role === "user" ? new HumanMessage(text) : new SystemMessage(text);
}
