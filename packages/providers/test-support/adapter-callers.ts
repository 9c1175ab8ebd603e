import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ModelRequest, ModelResponse, StreamingModel } from "@ccl/core";

import { createAiSdkModel } from "../src/ai-sdk/index.ts";
import { createAnthropicModel } from "../src/anthropic/index.ts";
import { createGeminiModel } from "../src/gemini/index.ts";
import { createOpenAiCompatibleModel } from "../src/openai-compatible/index.ts";
import { createOpenAiResponsesModel } from "../src/openai-responses/index.ts";
import { anthropicFormat } from "../src/testing/anthropic-format.ts";
import type { DialectFormat } from "../src/testing/dialect-format.ts";
import { geminiFormat } from "../src/testing/gemini-format.ts";
import { openAiFormat } from "../src/testing/openai-format.ts";
import { responsesFormat } from "../src/testing/responses-format.ts";

const retries = 1;
const request: ModelRequest = { messages: [{ role: "user", content: "Hi" }] };

/** What calls a server, and in which format. */
export interface Caller {
  name: string;
  format: DialectFormat;
  run(baseUrl: string, timeoutMs: number): Promise<Partial<ModelResponse>>;
}

/** The answer of a stream whose deltas are its text. */
export const drained = async (
  model: StreamingModel,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ModelResponse> => {
  const texts: string[] = [];
  for await (const delta of model.stream({ ...request, timeoutMs, signal })) {
    if (delta.type === "text") texts.push(delta.text);
    if (delta.type !== "finish") continue;
    if (texts.join("") === delta.response.text) return delta.response;
    throw new Error("The deltas are not the answer's text.");
  }
  throw new Error("The stream gave no `finish`.");
};

/** All adapters. */
export const models: [string, DialectFormat, (baseUrl: string) => StreamingModel][] = [
  [
    "openai-compatible",
    openAiFormat("openai"),
    (baseUrl) => createOpenAiCompatibleModel({ model: "m", baseUrl: `${baseUrl}/v1`, retries }),
  ],
  [
    "openai-responses",
    responsesFormat,
    (baseUrl) => createOpenAiResponsesModel({ model: "m", baseUrl: `${baseUrl}/v1`, retries }),
  ],
  ["gemini", geminiFormat, (baseUrl) => createGeminiModel({ model: "m", baseUrl, retries })],
  [
    "anthropic",
    anthropicFormat,
    (baseUrl) => createAnthropicModel({ model: "m", baseUrl, retries }),
  ],
  [
    "ai-sdk",
    openAiFormat("openai"),
    (baseUrl) => {
      const provider = createOpenAICompatible({ name: "test", baseURL: `${baseUrl}/v1` });
      return createAiSdkModel({ model: provider("m"), retries });
    },
  ],
];

/** The adapters' whole calls and streams. */
export const adapters: readonly Caller[] = models.flatMap(([name, format, open]): Caller[] => [
  {
    name,
    format,
    run: (baseUrl, timeoutMs) => open(baseUrl).generate({ ...request, timeoutMs }),
  },
  {
    name: `${name}, streamed`,
    format,
    run: (baseUrl, timeoutMs) => drained(open(baseUrl), timeoutMs),
  },
]);
