import { retry } from "@ccl/core/async";
import {
  type LanguageModel,
  LanguageModelError,
  type ModelRequest,
  type ModelResponse,
} from "@ccl/core";

import { CliError } from "../cli-error.ts";

/** Limits on what a command may spend on a model. Undefined means unlimited. */
export interface SpendingLimits {
  maxCalls?: number | undefined;
  /** Maximum tokens of input and output together. */
  maxTokens?: number | undefined;
  maxUsd?: number | undefined;
  /** Dollars per million tokens of input and output, for servers that report no cost. */
  price?: { input: number; output: number } | undefined;
}

/** Tokens and dollars that a command spent. */
export interface Spending {
  calls: number;
  tokens: number;
  /** Undefined if the server reports no cost and no price is set. */
  usd: number | undefined;
}

/** A model that counts usage, enforces limits, and streams to show progress. */
interface MeteredModel extends LanguageModel {
  readonly spending: Spending;
}

/** An estimate for servers that report no token counts. */
const CHARS_PER_TOKEN = 4;

/** Adds limits to a model. @throws CliError `spending_limit` before a call that the limits do not allow */
export function createMeteredModel(
  model: LanguageModel,
  limits: SpendingLimits,
  onText: (chars: number) => void,
): MeteredModel {
  const spending: Spending = { calls: 0, tokens: 0, usd: 0 };
  return {
    provider: model.provider,
    modelId: model.modelId,
    capabilities: model.capabilities,
    spending,
    async generate(request) {
      requireRoom(spending, limits, request);
      spending.calls += 1;
      const response = await answerOf(model, request, onText);
      count(spending, limits, { request, response });
      return response;
    },
  };
}

/** Gets an answer, by streaming if the model can. Retries a stream that breaks after it started. */
function answerOf(
  model: LanguageModel,
  request: ModelRequest,
  onText: (chars: number) => void,
): Promise<ModelResponse> {
  if (model.stream === undefined) return model.generate(request);
  let chars = 0;
  const attempt = async (): Promise<ModelResponse> => {
    chars = 0;
    for await (const delta of model.stream?.(request) ?? []) {
      if (delta.type === "finish") return delta.response;
      if ("text" in delta) chars += delta.text.length;
      onText(chars);
    }
    throw new LanguageModelError("provider_error", "The stream ended without an answer.");
  };
  return retry(attempt, {
    // Before the first piece the adapter has already retried.
    waitFor: (error) => (chars > 0 && isBroken(error) ? "backoff" : undefined),
    signal: request.signal,
  });
}

function isBroken(error: unknown): boolean {
  return LanguageModelError.isInstance(error) && error.code === "network_error";
}

function requireRoom(
  { calls, tokens, usd }: Spending,
  { maxCalls = Infinity, maxTokens = Infinity, maxUsd = Infinity, price }: SpendingLimits,
  request: ModelRequest,
): void {
  const next = charsOf(request) / CHARS_PER_TOKEN;
  const nextUsd = price === undefined ? 0 : (next * price.input) / 1e6;
  const stop = (what: string): never => {
    throw new CliError("spending_limit", `${what} Nothing was changed.`);
  };
  if (calls >= maxCalls) stop(`--max-calls ${maxCalls} is reached.`);
  if (tokens + next > maxTokens)
    stop(
      `${tokens} tokens are used and the next call needs about ${Math.ceil(next)} of input: --max-tokens is ${maxTokens}.`,
    );
  if (maxUsd < Infinity && usd === undefined)
    stop(
      "The server reports no cost, so --max-usd can't be enforced: pass --price INPUT/OUTPUT in dollars per million tokens.",
    );
  if ((usd ?? 0) + nextUsd > maxUsd)
    stop(
      `$${(usd ?? 0).toFixed(4)} is spent: --max-usd ${maxUsd} leaves no room for the next call.`,
    );
}

function count(
  spending: Spending,
  { price }: SpendingLimits,
  { request, response }: { request: ModelRequest; response: ModelResponse },
): void {
  const { usage } = response;
  const input = usage?.inputTokens ?? charsOf(request) / CHARS_PER_TOKEN;
  const output = usage?.outputTokens ?? response.text.length / CHARS_PER_TOKEN;
  spending.tokens += Math.ceil(input + output);
  const byPrice =
    price === undefined ? undefined : (input * price.input + output * price.output) / 1e6;
  const usd = usage?.costUsd ?? byPrice;
  spending.usd = usd === undefined || spending.usd === undefined ? undefined : spending.usd + usd;
}

function charsOf({ messages }: ModelRequest): number {
  return JSON.stringify(messages).length;
}
