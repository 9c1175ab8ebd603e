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
import type { FitState } from "../fit/fit-state.ts";

/** How to fit prompts, and where to store the state of conversations. */
export interface ConversationOptions extends Omit<FitOptions, "state" | "tools"> {
  /** Keeps the last 1,000 conversations in memory by default. */
  store?: ConversationStore | undefined;
  /** The conversation's name, or a function that returns it. Derived from the start of the conversation by default. */
  conversation?: string | ((messages: readonly ChatMessage[]) => string) | undefined;
}

/** One model call. `tools` may be in any of the wire formats. */
interface ConversationCall<Prompt> {
  tools?: unknown;
  model?: string | undefined;
  /** The framework's id for the conversation. */
  conversation?: string | undefined;
  /** Tokens to reserve for content that is not passed in here. */
  reserve?: number | undefined;
  /** The provider's usage report for the last prompt, if not passed earlier. */
  lastUsage?: ReportedUsage | undefined;
  write(fitted: FittedMessages): Prompt;
  /**
   * Returns the value that is sent as JSON. The JSON must fit into the budget, including its quotes and escapes. The
   * prompt by default.
   */
  sent?(prompt: Prompt, fitted: FittedMessages): unknown;
}

/** Input tokens, as counted by the provider. */
type ReportedUsage = {
  [Name in "inputTokens" | "cachedInputTokens"]?: ModelUsage[Name] | undefined;
};

/** Receives the provider's usage for a prompt, so that the margin of later prompts can correct the counter's error. */
type ReportUsage = (usage: ReportedUsage | undefined) => Promise<void>;

/** Fits the prompts of any number of conversations, each with its own state. */
export type FitConversation = <Prompt>(
  messages: readonly ChatMessage[],
  call: ConversationCall<Prompt>,
) => Promise<{ prompt: Prompt; report: ReportUsage }>;

const maxAttempts = 5;

/**
 * Creates a function that fits the prompts of all conversations. It throws `ContextCompilerError` as `fitMessages`
 * does.
 */
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
    const chosenKey = typeof conversation === "function" ? conversation(messages) : conversation;
    const key = chosenKey ?? call.conversation ?? conversationOf(messages);
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

/** Stores the reported usage with the prompt of the conversation that has this count, or else with its last prompt. */
async function keepReport(
  { store, key, countedTokens }: { store: ConversationStore; key: string; countedTokens?: number },
  { inputTokens = 0 }: ReportedUsage = {},
): Promise<void> {
  if (!Number.isSafeInteger(inputTokens) || inputTokens <= 0) return;
  try {
    const state = await store.get(key);
    const usage = state?.usages?.findLast(
      (candidate) => candidate.countedTokens === (countedTokens ?? candidate.countedTokens),
    );
    if (state === undefined || usage === undefined) return;
    usage.inputTokens = Math.max(usage.inputTokens, inputTokens);
    await store.set(key, state);
  } catch {
    // The answer was paid for and must not be lost because the store failed. The next call reports
    // the failure.
  }
}

/** Fits the messages. Returns undefined if the required ones fit as text but not with their JSON escapes. */
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

/** Images and files cost fewer tokens than their JSON would. */
function withoutMedia(key: string, value: unknown): unknown {
  return key === "data" || (typeof value === "string" && value.startsWith("data:")) ? "" : value;
}

/** Keeps function tools as they are, and describes provider tools by their JSON. */
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

/** Stores the state of each conversation. A `Map` or a database table can implement it. */
interface ConversationStore {
  get(conversation: string): FitState | undefined | Promise<FitState | undefined>;
  set(conversation: string, state: FitState): unknown;
}

const maxConversations = 1_000;

/** Creates an in-memory store for the last 1,000 conversations. */
function recentConversations(): ConversationStore {
  const states = new Map<string, FitState>();
  return {
    get: (conversation) => states.get(conversation),
    set(conversation, state) {
      states.delete(conversation);
      states.set(conversation, state);
      const [oldest] = states.keys();
      if (states.size > maxConversations && oldest !== undefined) states.delete(oldest);
    },
  };
}
