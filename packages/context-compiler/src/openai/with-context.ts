import { arrayAt, isRecord } from "@ccl/core/json";
import {
  fromOpenAiMessages,
  fromOpenAiUsage,
  toOpenAiMessages,
} from "@ccl/providers/wire/openai-chat";
import {
  fromResponsesItems,
  fromResponsesUsage,
  toResponsesInput,
} from "@ccl/providers/wire/openai-responses";
import {
  type ConversationOptions,
  fittingConversations,
} from "../conversations/fit-conversation.ts";
import {
  type ApiClient,
  isObjects,
  withFittedBodies,
} from "../conversations/with-fitted-bodies.ts";

/**
 * Copies an `openai` client. The copy keeps the prompts of `chat.completions` and `responses`
 * within a budget, with or without streaming. Does not change the application's messages. A request
 * that continues a conversation stored at OpenAI (`previous_response_id`, `conversation`) is sent
 * unchanged, since its history is not available here.
 * @throws ContextCompilerError as `fitMessages` does, from the call
 */
export function withContext<Client extends ApiClient<Client>>(
  client: Client,
  options: ConversationOptions,
): Client {
  return withFittedBodies(client, fittingConversations(options), {
    "/chat/completions": {
      read: ({ messages }) => (isObjects(messages) ? fromOpenAiMessages(messages) : undefined),
      tools: (body) => [...arrayAt(body, "tools"), ...formats(body["response_format"])],
      write: ({ messages }) => ({ messages: toOpenAiMessages(messages) }),
      usageOf: fromOpenAiUsage,
    },
    "/responses": {
      read: ({ input, instructions, previous_response_id: previous, conversation }) => {
        const isKept = (previous ?? conversation ?? undefined) !== undefined;
        if (isKept || !(typeof input === "string" || isObjects(input))) return undefined;
        return fromResponsesItems({ instructions, input });
      },
      tools: (body) => [...arrayAt(body, "tools"), ...formats(body["text"])],
      write: ({ messages }) => ({ ...toResponsesInput(messages) }),
      usageOf: fromResponsesUsage,
    },
  });
}

/** Returns the schema of an answer, which takes up room like a tool. */
function formats(format: unknown): unknown[] {
  return isRecord(format) ? [format] : [];
}
