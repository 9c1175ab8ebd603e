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

/** What a step's messages are fitted into. */
export interface ContextStepOptions extends ConversationOptions {
  /** Tokens of the budget for what a step does not show: the system prompt and the tools. 0 unless given. */
  reserve?: number | undefined;
}

/** What a step of the AI SDK hands to `prepareStep`; version 7 also says what came before the messages were prepared. */
export interface AiSdkStep {
  messages: readonly object[];
  /** The steps before this one, which say what the provider counted. */
  steps?: readonly object[] | undefined;
  initialMessages?: readonly object[] | undefined;
  responseMessages?: readonly object[] | undefined;
  experimental_steeringMessages?: readonly object[] | undefined;
}

/**
 * A `prepareStep` for `generateText`, `streamText` and agents of the AI SDK, where a model can't be wrapped. Prefer
 * `contextMiddleware`, which counts the system prompt and the tools too.
 * @throws ContextCompilerError as `fitMessages` does
 */
export function contextStep(
  options: ContextStepOptions,
): (step: AiSdkStep) => Promise<{ messages: AiSdkMessage[] }> {
  const { reserve = 0, ...conversations } = options;
  const fit = fittingConversations(conversations);
  return async ({ messages, initialMessages, responseMessages, steps, ...step }) => {
    // Version 7 continues with what the last step was given, where its history has been cut already.
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
