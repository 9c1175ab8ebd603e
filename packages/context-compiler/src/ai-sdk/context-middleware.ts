import { recordAt } from "@ccl/core/json";
import { fromAiSdkMessages, fromAiSdkUsage, toAiSdkMessages } from "@ccl/providers/wire/ai-sdk";
import {
  type ConversationOptions,
  fittingConversations,
  type ReportUsage,
} from "../conversations/fit-conversation.ts";

/** The part of an AI SDK call that the middleware reads. */
interface AiSdkPrompt {
  prompt: object[];
  tools?: readonly object[] | undefined;
}

/** The AI SDK's model interface: v2 in version 5, v3 in 6, v4 in 7. */
export type AiSdkInterface = "v2" | "v3" | "v4";

/** A `LanguageModelMiddleware` of the AI SDK. */
export interface ContextMiddleware<Version extends AiSdkInterface> {
  specificationVersion: Version;
  transformParams<Params extends AiSdkPrompt>(call: {
    params: Params;
    model: { specificationVersion: string; modelId?: string | undefined };
  }): Promise<Params>;
  wrapGenerate<Answer extends object>(call: {
    doGenerate: () => PromiseLike<Answer>;
    params: AiSdkPrompt;
  }): Promise<Answer>;
  wrapStream<Part, Answer extends { stream: ReadableStream<Part> }>(call: {
    doStream: () => PromiseLike<Answer>;
    params: AiSdkPrompt;
  }): Promise<Answer>;
}

/**
 * Keeps each prompt of an AI SDK model within a budget. The application's messages stay unchanged. What was cut stays
 * cut, separately for each conversation, so that the provider's cache keeps hitting.
 * @throws ContextCompilerError as `fitMessages` does
 */
export function contextMiddleware<Version extends AiSdkInterface = "v3">(
  options: ConversationOptions,
  specificationVersion?: Version,
): ContextMiddleware<Version | "v3"> {
  const fit = fittingConversations(options);
  const reports = new WeakMap<object[], ReportUsage>();
  const report = async ({ prompt }: AiSdkPrompt, answer: unknown): Promise<void> =>
    reports.get(prompt)?.(fromAiSdkUsage(recordAt(answer, "usage")));
  return {
    specificationVersion: specificationVersion ?? "v3",
    async transformParams({ params, model }) {
      const version = model.specificationVersion;
      const fitted = await fit(fromAiSdkMessages(params.prompt), {
        tools: params.tools,
        model: model.modelId,
        write: ({ messages }) => toAiSdkMessages(messages, { version }),
      });
      reports.set(fitted.prompt, fitted.report);
      return { ...params, prompt: fitted.prompt };
    },
    async wrapGenerate({ doGenerate, params }) {
      const answer = await doGenerate();
      await report(params, answer);
      return answer;
    },
    async wrapStream<Part, Answer extends { stream: ReadableStream<Part> }>({
      doStream,
      params,
    }: {
      doStream: () => PromiseLike<Answer>;
      params: AiSdkPrompt;
    }) {
      const answer = await doStream();
      const reporting = new TransformStream<Part, Part>({
        async transform(part, controller) {
          await report(params, part);
          controller.enqueue(part);
        },
      });
      return { ...answer, stream: answer.stream.pipeThrough(reporting) };
    },
  };
}
