import { recordAt } from "@ccl/core/json";
import { fromAiSdkMessages, fromAiSdkUsage, toAiSdkMessages } from "@ccl/providers/wire/ai-sdk";
import {
  type ConversationOptions,
  fittingConversations,
} from "../conversations/fit-conversation.ts";

/** The fields of an AI SDK call that the middleware reads. */
interface AiSdkPrompt {
  prompt: object[];
  tools?: readonly object[] | undefined;
}

/** Version of the AI SDK's model interface: v2 in AI SDK 5, v3 in 6, v4 in 7. */
type AiSdkInterface = "v2" | "v3" | "v4";

interface AiSdkModel {
  specificationVersion: string;
  modelId?: string | undefined;
}

/** A `LanguageModelMiddleware` of the AI SDK. */
export interface ContextMiddleware<Version extends AiSdkInterface> {
  specificationVersion: Version;
  wrapGenerate<Params extends AiSdkPrompt, Answer extends object>(call: {
    params: Params;
    model: AiSdkModel & { doGenerate(params: Params): PromiseLike<Answer> };
  }): Promise<Answer>;
  wrapStream<
    Params extends AiSdkPrompt,
    Part,
    Answer extends { stream: ReadableStream<Part> },
  >(call: {
    params: Params;
    model: AiSdkModel & { doStream(params: Params): PromiseLike<Answer> };
  }): Promise<Answer>;
}

/**
 * Creates middleware that keeps each prompt of an AI SDK model within a budget. Does not change the
 * application's messages. Each conversation keeps its last cut, so that the provider's cache keeps
 * hitting.
 * @throws ContextCompilerError as `fitMessages` does
 */
export function contextMiddleware<Version extends AiSdkInterface = "v3">(
  options: ConversationOptions,
  specificationVersion?: Version,
): ContextMiddleware<Version | "v3"> {
  const fit = fittingConversations(options);
  const fitted = async <Params extends AiSdkPrompt>(params: Params, model: AiSdkModel) => {
    const version = model.specificationVersion;
    const { prompt, report } = await fit(fromAiSdkMessages(params.prompt), {
      tools: params.tools,
      model: model.modelId,
      write: ({ messages }) => toAiSdkMessages(messages, { version }),
    });
    const reportOf = async (answer: unknown): Promise<void> =>
      report(fromAiSdkUsage(recordAt(answer, "usage")));
    return { sent: { ...params, prompt }, reportOf };
  };
  return {
    specificationVersion: specificationVersion ?? "v3",
    async wrapGenerate({ params, model }) {
      const { sent, reportOf } = await fitted(params, model);
      const answer = await model.doGenerate(sent);
      await reportOf(answer);
      return answer;
    },
    async wrapStream<
      Params extends AiSdkPrompt,
      Part,
      Answer extends { stream: ReadableStream<Part> },
    >({
      params,
      model,
    }: {
      params: Params;
      model: AiSdkModel & { doStream(params: Params): PromiseLike<Answer> };
    }) {
      const { sent, reportOf } = await fitted(params, model);
      const answer = await model.doStream(sent);
      const reporting = new TransformStream<Part, Part>({
        async transform(part, controller) {
          await reportOf(part);
          controller.enqueue(part);
        },
      });
      return { ...answer, stream: answer.stream.pipeThrough(reporting) };
    },
  };
}
