import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

import {
  LanguageModelError,
  type LanguageModel,
  type ModelRequest,
  type ModelResponse,
} from "@ccl/core";

/** The purpose of a call. */
export type Purpose = "main" | "notes" | "world";

interface RecordedAnswer {
  purpose: Purpose;
  /** A text in the last message of the call. */
  about: string;
  text: string;
}

const millisecondsAWord = 8;

/**
 * Models that return the recorded answers, word by word. Equal calls get the next matching answer, or with `repeats`
 * the first one again.
 */
export async function createReplayedModels({
  repeats = false,
}: { repeats?: boolean } = {}): Promise<(purpose: Purpose) => LanguageModel> {
  const recorded: unknown = JSON.parse(
    await readFile(new URL("../recorded/answers.json", import.meta.url), "utf8"),
  );
  if (!Array.isArray(recorded) || !recorded.every(isRecorded))
    throw new Error("recorded/answers.json has another shape.");
  const left = [...recorded];
  const answerOf = (purpose: Purpose, { messages }: ModelRequest): string => {
    const asked =
      messages
        .flatMap(({ role, content }) => (role === "user" ? [JSON.stringify(content)] : []))
        .at(-1) ?? "";
    const index = left.findIndex(
      (answer) => answer.purpose === purpose && asked.includes(answer.about),
    );
    const answer = left[index];
    if (!repeats) left.splice(index, index < 0 ? 0 : 1);
    if (answer === undefined)
      throw new LanguageModelError(
        "provider_error",
        `No answer of ${purpose} was recorded for ${asked}`,
      );
    return answer.text;
  };
  return (purpose) => ({
    provider: "recorded",
    modelId: purpose,
    async generate(request) {
      const text = answerOf(purpose, request);
      await speak(40 * millisecondsAWord, request.signal);
      return responseOf(text);
    },
    async *stream(request) {
      const text = answerOf(purpose, request);
      for (const word of text.split(/(?<= )/)) {
        await speak(millisecondsAWord, request.signal);
        yield { type: "text", text: word };
      }
      yield { type: "finish", response: responseOf(text) };
    },
  });
}

function isRecorded(value: unknown): value is RecordedAnswer {
  if (typeof value !== "object" || value === null) return false;
  return ["purpose", "about", "text"].every((key) => typeof Reflect.get(value, key) === "string");
}

function responseOf(text: string): ModelResponse {
  return { text, toolCalls: [], finishReason: "stop" };
}

async function speak(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(durationMs, undefined, { signal });
  } catch (error) {
    throw new LanguageModelError("aborted", "The call was aborted.", { cause: error });
  }
}
