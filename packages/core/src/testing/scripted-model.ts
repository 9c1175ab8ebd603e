import { CclError } from "../ccl-error.ts";
import { LanguageModelError } from "../models/language-model-error.ts";
import type {
  LanguageModel,
  ModelDelta,
  ModelRequest,
  ModelResponse,
} from "../models/language-model.ts";

/** One answer of a scripted model: its text, parts of a response, an error to throw, or a function that decides. */
export type ScriptedResponse =
  | string
  | Partial<ModelResponse>
  | Error
  | ((request: ModelRequest) => ScriptedResponse | Promise<ScriptedResponse>);

/** A model that answers from a script. */
export interface ScriptedModel extends LanguageModel {
  /** Every request so far, in order. */
  readonly requests: ModelRequest[];
  generate(request: ModelRequest): Promise<ModelResponse>;
  /**
   * Yields reasoning, the answer's text in pieces of three characters, its tool calls, and
   * `finish`.
   */
  stream(request: ModelRequest): AsyncIterable<ModelDelta>;
}

/**
 * Creates a model that returns the responses one by one, from `generate` and `stream` alike. Throws
 * `script_exhausted` after the last one.
 */
export function createScriptedModel(responses: readonly ScriptedResponse[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  const generate = async (request: ModelRequest): Promise<ModelResponse> => {
    if (request.signal?.aborted === true) {
      throw new LanguageModelError("aborted", "The call was aborted.", {
        cause: request.signal.reason,
      });
    }
    requests.push(request);
    const scripted = responses[requests.length - 1];
    if (scripted === undefined) {
      const message = `The script has ${responses.length} responses, and this is request ${requests.length}; add one.`;
      throw new CclError("script_exhausted", message);
    }
    return completed(scripted, request);
  };
  return {
    provider: "scripted",
    modelId: "scripted",
    requests,
    generate,
    async *stream(request) {
      const response = await generate(request);
      if (response.reasoning !== undefined) yield { type: "reasoning", text: response.reasoning };
      for (const text of response.text.match(/.{1,3}/gsu) ?? []) yield { type: "text", text };
      for (const toolCall of response.toolCalls) yield { type: "tool_call", toolCall };
      yield { type: "finish", response };
    },
  };
}

async function completed(
  scripted: ScriptedResponse,
  request: ModelRequest,
): Promise<ModelResponse> {
  if (typeof scripted === "function") return completed(await scripted(request), request);
  if (scripted instanceof Error) throw scripted;
  const given = typeof scripted === "string" ? { text: scripted } : scripted;
  const toolCalls = given.toolCalls ?? [];
  return {
    text: "",
    finishReason: toolCalls.length > 0 ? "tool_calls" : "stop",
    ...given,
    toolCalls,
  };
}
