import { type JsonRecord, recordAt, stringAt } from "@ccl/core/json";

import type { StreamReader } from "../http/create-wire-model.ts";
import type { TextDelta } from "../http/whole-deltas.ts";
import { without } from "../json/json-record.ts";
import { callsOf, firstChoice, reasoningOf, textOf } from "../wire/openai-chat/open-ai-answer.ts";
import { GrowingCalls } from "./growing-calls.ts";

/** Puts the chunks of one streamed completion together: its first choice, as a body of `/chat/completions`. */
export function createOpenAiReader(): StreamReader {
  const said: Record<TextDelta["type"] | "refusal", string> = {
    text: "",
    reasoning: "",
    refusal: "",
  };
  const calls = new GrowingCalls();
  const root: JsonRecord = {};
  const message: JsonRecord = {};
  let choice: JsonRecord | undefined;

  /** What is new in a text; a whole message in a stream repeats what the deltas before it said. */
  const add = (type: keyof typeof said, text: string, isWhole: boolean): string => {
    const fresh = isWhole && text.startsWith(said[type]) ? text.slice(said[type].length) : text;
    said[type] += fresh;
    return fresh;
  };
  return {
    push(chunk) {
      Object.assign(root, without(chunk, "choices", ...(root["id"] === undefined ? [] : ["id"])));
      const given = firstChoice(chunk);
      if (given === undefined) return [];
      choice = { ...choice, ...without(given, "delta", "message", "text") };
      const delta = recordAt(given, "delta");
      const isWhole = Object.keys(delta).length === 0;
      const piece = isWhole ? recordAt(given, "message") : delta;
      Object.assign(message, without(piece));
      for (const call of callsOf(piece)) calls.push(call);
      add("refusal", stringAt(piece, "refusal") ?? "", isWhole);
      return [
        { type: "reasoning", text: add("reasoning", reasoningOf(piece) ?? "", isWhole) },
        { type: "text", text: add("text", textOf(piece), isWhole) },
      ];
    },
    toBody(isDone) {
      if (choice?.["finish_reason"] === undefined && !isDone) return undefined;
      const { text: content, reasoning, refusal } = said;
      const whole = {
        ...without(message, "function_call", "reasoning"),
        content,
        reasoning_content: reasoning,
        refusal: refusal === "" ? undefined : refusal,
        tool_calls: calls.finish(),
      };
      return { ...root, choices: choice === undefined ? [] : [{ ...choice, message: whole }] };
    },
  };
}
