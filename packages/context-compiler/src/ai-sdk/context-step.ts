import { recordAt } from "@ccl/core/json";
import {
  type AiSdkMessage,
  fromAiSdkMessages,
  fromAiSdkUsage,
  toAiSdkMessages,
} from "@ccl/providers/wire/ai-sdk";
import type { FittedMessages } from "../fit/fit-options.ts";
import {
  type ConversationOptions,
  fittingConversations,
} from "../conversations/fit-conversation.ts";

/** The budget for a step's messages, and how to fit them. */
interface ContextStepOptions extends ConversationOptions {
  /**
   * Tokens to reserve for content that a step does not see: the system prompt and the tools. 0 by
   * default.
   */
  reserve?: number | undefined;
}

/**
 * The argument that the AI SDK passes to `prepareStep`. Version 7 also passes the unprepared
 * messages.
 */
interface AiSdkStep {
  messages: readonly object[];
  /** The earlier steps, with the provider's token counts. */
  steps?: readonly object[] | undefined;
  initialMessages?: readonly object[] | undefined;
  responseMessages?: readonly object[] | undefined;
  experimental_steeringMessages?: readonly object[] | undefined;
}

/**
 * Creates a `prepareStep` for `generateText`, `streamText` and AI SDK agents, for models that can't
 * be wrapped. Prefer `contextMiddleware`, which also counts the system prompt and the tools.
 * @throws ContextCompilerError as `fitMessages` does
 */
export function contextStep(
  options: ContextStepOptions,
): (step: AiSdkStep) => Promise<{ messages: AiSdkMessage[] }> {
  const { reserve = 0, ...conversations } = options;
  const fit = fittingConversations(conversations);
  return async ({ messages, initialMessages, responseMessages, steps, ...step }) => {
    // Version 7 passes the last step's input as `messages`, and that input has already been cut.
    const history =
      initialMessages === undefined || responseMessages === undefined
        ? messages
        : [...initialMessages, ...responseMessages, ...(step.experimental_steeringMessages ?? [])];
    const write = (fitted: FittedMessages): AiSdkMessage[] => toAiSdkMessages(fitted.messages);
    const lastUsage = fromAiSdkUsage(recordAt(steps?.at(-1), "usage"));
    const call = { write, reserve, lastUsage };
    return { messages: (await fit(fromAiSdkMessages(history), call)).prompt };
  };
}
