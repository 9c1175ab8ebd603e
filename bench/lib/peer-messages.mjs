// Converts chat messages to the forms of LangChain and the AI SDK, and back.
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";

export function toLangChain({ role, content, toolCalls = [], toolCallId }) {
  if (role === "system") return new SystemMessage(content);
  if (role === "user") return new HumanMessage(content);
  if (role === "tool") return new ToolMessage({ content, tool_call_id: toolCallId });
  const calls = toolCalls.map(({ id, name, arguments: input }) => ({
    id,
    name,
    args: parsed(input),
  }));
  return new AIMessage({ content, tool_calls: calls });
}

const langChainRoles = { system: "system", human: "user", ai: "assistant", tool: "tool" };

export function fromLangChain(message) {
  const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({
    id,
    name,
    arguments: JSON.stringify(args),
  }));
  return {
    role: langChainRoles[message.getType()],
    content: message.content,
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
    ...(message.tool_call_id === undefined ? {} : { toolCallId: message.tool_call_id }),
  };
}

export function toAiSdk({ role, content, toolCalls = [], toolCallId }) {
  if (role === "tool") {
    const output = { type: "text", value: content };
    return { role, content: [{ type: "tool-result", toolCallId, toolName: "look_up", output }] };
  }
  if (toolCalls.length === 0) return { role, content };
  const calls = toolCalls.map(({ id, name, arguments: input }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: parsed(input),
  }));
  const text = content === "" ? [] : [{ type: "text", text: content }];
  return { role, content: [...text, ...calls] };
}

export function fromAiSdk({ role, content }) {
  if (typeof content === "string") return { role, content };
  if (role === "tool")
    return { role, content: content[0]?.output.value ?? "", toolCallId: content[0]?.toolCallId };
  const toolCalls = content
    .filter(({ type }) => type === "tool-call")
    .map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      arguments: JSON.stringify(input),
    }));
  const text = content.find(({ type }) => type === "text")?.text ?? "";
  return { role, content: text, ...(toolCalls.length > 0 ? { toolCalls } : {}) };
}

/** Both libraries take arguments as objects. */
function parsed(input) {
  try {
    const value = JSON.parse(input);
    return typeof value === "object" && value !== null ? value : { value };
  } catch {
    return { text: input };
  }
}
