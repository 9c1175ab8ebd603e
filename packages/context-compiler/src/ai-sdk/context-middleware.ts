import type { ToolDescription } from "@ccl/core";
import { fromAiSdkMessages, toAiSdkMessages } from "@ccl/providers/wire/ai-sdk";
import { fitMessages } from "../fit/fit-messages.ts";
import type { FitOptions } from "../fit/fit-options.ts";
import { conversationOf, type ConversationStates, recentStates } from "./conversation-states.ts";

/** What each prompt is fitted into, and where the states of conversations are kept. */
export interface ContextMiddlewareOptions extends Omit<FitOptions, "state" | "tools"> {
  /** In memory for the last 1,000 conversations where absent. */
  states?: ConversationStates | undefined;
  /** Names the conversation; by how it begins where absent. */
  conversation?: string | undefined;
}

/** What the middleware reads of a call of the AI SDK. */
export interface AiSdkPrompt {
  prompt: object[];
  tools?: readonly object[] | undefined;
}

/** The interface of models that the AI SDK has: v2 in version 5, v3 in 6, v4 in 7. */
export type AiSdkInterface = "v2" | "v3" | "v4";

/** A `LanguageModelMiddleware` of the AI SDK. */
export interface ContextMiddleware<Version extends AiSdkInterface> {
  specificationVersion: Version;
  transformParams<Params extends AiSdkPrompt>(call: {
    params: Params;
    model: { specificationVersion: string };
  }): Promise<Params>;
}

/**
 * Keeps each prompt that a model of the AI SDK gets within a budget; the application's messages stay as they are. What was
 * cut stays cut, for each conversation by itself, so that the provider's cache keeps hitting.
 * @throws ContextCompilerError as `fitMessages` does
 */
export function contextMiddleware<Version extends AiSdkInterface = "v3">(
  options: ContextMiddlewareOptions,
  specificationVersion?: Version,
): ContextMiddleware<Version | "v3"> {
  const { states = recentStates(), conversation, policy = "balanced", ...fit } = options;
  return {
    specificationVersion: specificationVersion ?? "v3",
    async transformParams({ params, model }) {
      const messages = fromAiSdkMessages(params.prompt);
      const key = conversation ?? conversationOf(messages);
      const state = await states.get(key);
      const fitted = fitMessages(messages, {
        ...fit,
        policy,
        state,
        tools: describeTools(params.tools),
      });
      await states.set(key, fitted.state);
      const version = model.specificationVersion;
      return { ...params, prompt: toAiSdkMessages(fitted.messages, { version }) };
    },
  };
}

/** Tools that run at the provider take no room that could be counted. */
function describeTools(tools: readonly object[] = []): ToolDescription[] {
  return tools.filter(isFunctionTool).map(({ name, description = "", inputSchema }) => {
    return { name, description, inputSchema };
  });
}

interface FunctionTool {
  name: string;
  description?: string | undefined;
  inputSchema: object;
}

function isFunctionTool(tool: object): tool is FunctionTool {
  return "type" in tool && tool.type === "function" && "inputSchema" in tool;
}
