import { isRecord } from "@ccl/core/json";
import {
  type AnthropicMessagesOptions,
  fromAnthropicMessages,
  fromAnthropicUsage,
  toAnthropicMessages,
} from "@ccl/providers/wire/anthropic";
import {
  type ConversationOptions,
  fittingConversations,
} from "../conversations/fit-conversation.ts";
import {
  type ApiClient,
  isObjects,
  withFittedBodies,
} from "../conversations/with-fitted-bodies.ts";

/** How to fit prompts to the budget and cache them. */
interface AnthropicContextOptions extends ConversationOptions {
  /**
   * The `cache_control` for breakpoints after a prompt's stable prefix. `false` for no breakpoints.
   * A request that sets its own `cache_control` keeps only its own.
   */
  cacheControl?: AnthropicMessagesOptions["cacheControl"] | false;
}

/**
 * Copies an `@anthropic-ai/sdk` client. The copy keeps the prompts of `messages` and
 * `beta.messages` within a budget, including `system`, with or without streaming. Does not change
 * the application's messages.
 * @throws ContextCompilerError as `fitMessages` does, from the call
 */
export function withContext<Client extends ApiClient<Client>>(
  client: Client,
  options: AnthropicContextOptions,
): Client {
  const { cacheControl, ...conversations } = options;
  return withFittedBodies(client, fittingConversations(conversations), {
    "/v1/messages": {
      read: ({ messages, system }) => {
        if (!isObjects(messages)) return undefined;
        const isSystem = typeof system === "string" || isObjects(system);
        return fromAnthropicMessages(isSystem ? { messages, system } : { messages });
      },
      tools: ({ tools }) => tools,
      write: ({ messages: shown, breakpoints }, { messages, system, tools, ...body }) => {
        const isMarked = body["cache_control"] !== undefined || hasMark([system, messages, tools]);
        const isPlain = isMarked || cacheControl === false;
        return { ...toAnthropicMessages(shown, isPlain ? {} : { breakpoints, cacheControl }) };
      },
      usageOf: fromAnthropicUsage,
    },
  });
}

/**
 * True if a block in a message, the system prompt or a tool result has a `cache_control`. Tools
 * have it as their own field.
 */
function hasMark(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasMark);
  if (!isRecord(value)) return false;
  return (value["cache_control"] ?? undefined) !== undefined || hasMark(value["content"]);
}
