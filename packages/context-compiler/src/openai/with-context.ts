import { arrayAt, isRecord, type JsonRecord } from "@ccl/core/json";
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
  type FitConversation,
  fittingConversations,
} from "../conversations/fit-conversation.ts";
import {
  type ApiClient,
  type FitBody,
  isObjects,
  withFittedBodies,
} from "../conversations/with-fitted-bodies.ts";

/**
 * A copy of a client of the `openai` package whose prompts stay within a budget: those of `chat.completions` and of
 * `responses`, streamed or not. The application's messages stay as they are. A request that continues what OpenAI keeps
 * (`previous_response_id`, `conversation`) is sent as it came, since its history is not here.
 * @throws ContextCompilerError as `fitMessages` does, out of the call
 */
export function withContext<Client extends ApiClient<Client>>(
  client: Client,
  options: ConversationOptions,
): Client {
  const fit = fittingConversations(options);
  return withFittedBodies(client, {
    "/chat/completions": (body) => fitChat(body, fit),
    "/responses": (body) => fitResponse(body, fit),
  });
}

async function fitChat(body: JsonRecord, fit: FitConversation): ReturnType<FitBody> {
  const { messages } = body;
  if (!isObjects(messages)) return undefined;
  const tools = [...arrayAt(body, "tools"), ...formats(body["response_format"])];
  const { prompt, report } = await fit(fromOpenAiMessages(messages), {
    tools,
    write: (fitted) => toOpenAiMessages(fitted.messages),
    sent: (sent) => sent,
  });
  const fitted = { ...body, messages: prompt };
  return { body: fitted, report: (usage) => report(fromOpenAiUsage(usage)?.inputTokens) };
}

async function fitResponse(body: JsonRecord, fit: FitConversation): ReturnType<FitBody> {
  const { input, instructions, previous_response_id: previous, conversation } = body;
  const isKept = (previous ?? conversation ?? undefined) !== undefined;
  if (isKept || !(typeof input === "string" || isObjects(input))) return undefined;
  const tools = [...arrayAt(body, "tools"), ...formats(body["text"])];
  const { prompt, report } = await fit(fromResponsesItems({ instructions, input }), {
    tools,
    write: (fitted) => toResponsesInput(fitted.messages),
    sent: (sent) => sent,
  });
  const fitted = { ...body, ...prompt };
  return { body: fitted, report: (usage) => report(fromResponsesUsage(usage)?.inputTokens) };
}

/** The schema of an answer takes room as a tool does. */
function formats(format: unknown): unknown[] {
  return isRecord(format) ? [format] : [];
}
