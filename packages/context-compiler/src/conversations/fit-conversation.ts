import {
  type ChatMessage,
  estimatedCounter,
  type ModelUsage,
  type ToolDescription,
} from "@ccl/core";
import { isRecord, stringAt } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { contextRecordOf } from "../fit/context-record-of.ts";
import { conversationOf } from "../fit/conversation-of.ts";
import { fitMessages } from "../fit/fit-messages.ts";
import type { FitOptions, FittedMessages } from "../fit/fit-options.ts";
import { usableOf } from "../fit/fit-policy.ts";
import { keptUsages } from "../fit/safety-margin.ts";
import { type ConversationStore, recentConversations } from "./conversation-store.ts";

/** What each prompt is fitted into, and where the states of conversations are kept. */
export interface ConversationOptions extends Omit<FitOptions, "state" | "tools"> {
  /** In memory for the last 1,000 conversations where absent. */
  store?: ConversationStore | undefined;
  /** Names the conversation, or finds its name; by how it begins where absent. */
  conversation?: string | ((messages: readonly ChatMessage[]) => string) | undefined;
}

/** One call of a model; `tools` are in any of the wire formats. */
interface ConversationCall<Prompt> {
  tools?: unknown;
  model?: string | undefined;
  /** A name that the framework has for the conversation. */
  conversation?: string | undefined;
  /** Tokens that the caller keeps for what is not handed in here. */
  reserve?: number | undefined;
  /** What the provider reported of the last prompt, where that is known only now. */
  lastUsage?: ReportedUsage | undefined;
  write(fitted: FittedMessages): Prompt;
  /** What is sent as JSON, or something alike: with its quotes and escapes it is kept within the budget. The prompt where absent. */
  sent?(prompt: Prompt, fitted: FittedMessages): unknown;
}

/** Input tokens by the provider. */
type ReportedUsage = {
  [Name in "inputTokens" | "cachedInputTokens"]?: ModelUsage[Name] | undefined;
};

/** Takes what the provider reported of a prompt, so that the next ones keep back as much as the counter was wrong. */
export type ReportUsage = (usage: ReportedUsage | undefined) => Promise<void>;

/** Fits the prompts of any number of conversations, each with its own state. */
export type FitConversation = <Prompt>(
  messages: readonly ChatMessage[],
  call: ConversationCall<Prompt>,
) => Promise<{ prompt: Prompt; report: ReportUsage }>;

const maxAttempts = 5;

/** Throws `ContextCompilerError` as `fitMessages` does. */
export function fittingConversations(options: ConversationOptions): FitConversation {
  const {
    store = recentConversations(),
    conversation,
    policy = "balanced",
    record,
    ...rest
  } = options;
  const { budget, counter = estimatedCounter } = options;
  return async (
    messages,
    { write, sent = (prompt) => prompt, reserve = 0, lastUsage, model, ...call },
  ) => {
    const named = typeof conversation === "function" ? conversation(messages) : conversation;
    const key = named ?? call.conversation ?? conversationOf(messages);
    await keepReport({ store, key }, lastUsage);
    const state = await store.get(key);
    let room = budget - reserve;
    const settings = { ...rest, policy, state, tools: describeTools(call.tools) };
    let fitted = fitMessages(messages, { ...settings, budget: room });
    let prompt = write(fitted);
    const sizeOf = (): number =>
      reserve + counter.count(JSON.stringify([sent(prompt, fitted), call.tools], withoutMedia));
    const usable = usableOf({ ...options, state });
    let countedTokens = sizeOf();
    for (let attempt = 0; countedTokens > usable && attempt < maxAttempts; attempt += 1) {
      room = Math.floor((room * usable * 0.99) / countedTokens);
      const smaller = fitWithin(messages, { ...settings, budget: room });
      if (smaller === undefined) break;
      fitted = smaller;
      prompt = write(fitted);
      countedTokens = sizeOf();
    }
    const usage = { counter: counter.name, countedTokens, inputTokens: 0 };
    fitted.state.usages = [...(state?.usages ?? []), usage].slice(-keptUsages);
    await store.set(key, fitted.state);
    const facts = { source: "withContext", session: key, model };
    const recorded = record && contextRecordOf(messages, fitted, { ...settings, ...facts });
    if (recorded !== undefined) record?.add(recorded);
    return {
      prompt,
      report: async (reported) => {
        const { inputTokens: total = 0, cachedInputTokens: cached = 0 } = reported ?? {};
        if (recorded !== undefined && total > 0)
          record?.add({ ...recorded, reported: { total, cached } });
        await keepReport({ store, key, countedTokens }, reported);
      },
    };
  };
}

/** Keeps what was reported of the last prompt, or of the one that counted so, with its conversation. */
async function keepReport(
  { store, key, countedTokens }: { store: ConversationStore; key: string; countedTokens?: number },
  { inputTokens = 0 }: ReportedUsage = {},
): Promise<void> {
  if (!Number.isSafeInteger(inputTokens) || inputTokens <= 0) return;
  try {
    const state = await store.get(key);
    const usage = state?.usages?.findLast(
      (one) => one.countedTokens === (countedTokens ?? one.countedTokens),
    );
    if (state === undefined || usage === undefined) return;
    usage.inputTokens = Math.max(usage.inputTokens, inputTokens);
    await store.set(key, state);
  } catch {
    // The answer was paid for: a store that fails must not lose it, and will fail the next call.
  }
}

/** Undefined where what must stay has too many escapes for it: it fits as text. */
function fitWithin(
  messages: readonly ChatMessage[],
  options: FitOptions,
): FittedMessages | undefined {
  try {
    return fitMessages(messages, options);
  } catch (error) {
    if (ContextCompilerError.isInstance(error) && error.code === "budget_exceeded")
      return undefined;
    throw error;
  }
}

/** Pictures and files do not cost what their JSON is long. */
function withoutMedia(key: string, value: unknown): unknown {
  return key === "data" || (typeof value === "string" && value.startsWith("data:")) ? "" : value;
}

/** Function tools as they are; those that run at the provider by their JSON. */
function describeTools(tools: unknown): ToolDescription[] {
  const list: unknown[] = Array.isArray(tools) ? tools : [];
  return list.filter(isRecord).map((tool) => {
    const own = isRecord(tool["function"]) ? tool["function"] : tool;
    const name = stringAt(own, "name") ?? stringAt(own, "type") ?? "tool";
    const schema = own["inputSchema"] ?? own["input_schema"] ?? own["parameters"];
    return isRecord(schema)
      ? { name, description: stringAt(own, "description") ?? "", inputSchema: schema }
      : { name, description: JSON.stringify(own), inputSchema: {} };
  });
}
