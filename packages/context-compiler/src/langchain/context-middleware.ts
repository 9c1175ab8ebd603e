import { numberAt, recordAt } from "@ccl/core/json";
import type { BaseMessage } from "@langchain/core/messages";
import type { ClientTool, ServerTool } from "@langchain/core/tools";
import type { AgentMiddleware, WrapModelCallHook } from "langchain";
import {
  type ConversationOptions,
  fittingConversations,
} from "../conversations/fit-conversation.ts";
import { isSameMessage } from "../fit/same-message.ts";
import { fromLangChain, toLangChain } from "./langchain-messages.ts";

/**
 * Creates middleware for `createAgent` that keeps each prompt within a budget, including the system prompt and the
 * tools. Does not change the messages in the agent's state. Stores the state of a conversation under its `thread_id`,
 * if it has one.
 * @throws ContextCompilerError as `fitMessages` does
 */
export function contextMiddleware(options: ConversationOptions): AgentMiddleware {
  const fit = fittingConversations(options);
  const wrapModelCall: WrapModelCallHook = async (request, handler) => {
    const classes = await import("@langchain/core/messages");
    const { convertToOpenAITool } = await import("@langchain/core/utils/function_calling");
    const { systemMessage, tools, runtime } = request;
    const head = systemMessage.text === "" ? [] : [systemMessage];
    const originals = [...head, ...request.messages];
    const converted = originals.map((message) => fromLangChain(message));
    const { prompt: messages, report } = await fit(converted, {
      tools: tools.map((tool) => (isClientTool(tool) ? convertToOpenAITool(tool) : tool)),
      conversation: runtime.configurable?.thread_id,
      write: (fitted): BaseMessage[] =>
        fitted.messages.map((message, at) => {
          const source = fitted.sources[at] ?? -1;
          const [original, unfitted] = [originals[source], converted[source]];
          const isKept =
            original !== undefined && unfitted !== undefined && isSameMessage(unfitted, message);
          return isKept ? original : toLangChain(message, classes, original);
        }),
      sent: (_prompt, fitted) => fitted.messages,
    });
    const answer = await handler({ ...request, messages: messages.slice(head.length) });
    const usage = recordAt(answer, "usage_metadata");
    const cachedInputTokens = numberAt(recordAt(usage, "input_token_details"), "cache_read");
    await report({ inputTokens: numberAt(usage, "input_tokens"), cachedInputTokens });
    return answer;
  };
  const middleware = { [brand]: true, name: "ContextMiddleware", wrapModelCall };
  if (isMiddleware(middleware)) return middleware;
  throw new TypeError("The middleware has no brand.");
}

/**
 * The brand symbol that LangChain's `createMiddleware` sets. LangChain is the application's dependency, so it is not
 * loaded here.
 */
const brand = Symbol.for("AgentMiddleware");

/** True if the object has the brand, which only LangChain's types declare. */
function isMiddleware(middleware: object): middleware is AgentMiddleware {
  return Object.hasOwn(middleware, brand);
}

/** True for a client's tool. Provider tools are plain objects. */
function isClientTool(tool: ClientTool | ServerTool): tool is ClientTool {
  return "invoke" in tool && "schema" in tool;
}
