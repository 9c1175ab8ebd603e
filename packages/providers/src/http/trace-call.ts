import type { ModelDelta, ModelResponse } from "@ccl/core";
import { traced, type TraceAttributes } from "@ccl/core/tracing";

/** What a span says of a call before it is answered. */
export function chatAttributes(provider: string, model: string | undefined): TraceAttributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
  };
}

/** What it says of the answer. */
export function responseAttributes({ usage, finishReason }: ModelResponse): TraceAttributes {
  return {
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    "gen_ai.usage.output_tokens": usage?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.cachedInputTokens,
    "gen_ai.response.finish_reason": finishReason,
  };
}

/** A stream in a span that ends with it, or when its reader stops. */
export async function* tracedStream(
  deltas: AsyncIterable<ModelDelta>,
  { provider, modelId }: { provider: string; modelId: string | undefined },
): AsyncGenerator<ModelDelta> {
  let [end, fail]: [() => void, (error: unknown) => void] = [() => {}, () => {}];
  const ended = new Promise<void>((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  // Without a tracer no one else listens.
  ended.catch(() => undefined);
  const span = traced(
    `chat ${modelId}`,
    chatAttributes(provider, modelId),
    (own) => own,
    () => ended,
  );
  try {
    for await (const delta of deltas) {
      if (delta.type === "finish") span.set(responseAttributes(delta.response));
      yield delta;
    }
  } catch (error) {
    fail(error);
    throw error;
  } finally {
    end();
  }
}
