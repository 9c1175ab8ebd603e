import { fromAiSdkMessages, toAiSdkMessages } from "@ccl/providers/wire/ai-sdk";
import {
  type ConversationOptions,
  fittingConversations,
} from "../conversations/fit-conversation.ts";

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
  options: ConversationOptions,
  specificationVersion?: Version,
): ContextMiddleware<Version | "v3"> {
  const fit = fittingConversations(options);
  return {
    specificationVersion: specificationVersion ?? "v3",
    async transformParams({ params, model }) {
      const version = model.specificationVersion;
      const prompt = await fit(fromAiSdkMessages(params.prompt), {
        tools: params.tools,
        write: (fitted) => toAiSdkMessages(fitted.messages, { version }),
        sent: (sent) => sent,
      });
      return { ...params, prompt };
    },
  };
}
