import type { ModelDelta, ModelUsage, ToolCall } from "@ccl/core";
import {
  arrayAt,
  type JsonRecord,
  numberAt,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import type { StreamReader } from "../http/create-wire-model.ts";
import { metadataOf, without } from "../json/json-record.ts";
import {
  firstChoice,
  fromOpenAiFinishReason,
  fromOpenAiUsage,
  reasoningOf,
  textOf,
  unknownFields,
} from "../wire/openai-chat/open-ai-answer.ts";

interface GrowingCall {
  id: string;
  name: string;
  pieces: string[];
}

/** Puts the chunks of one streamed completion together. Tool calls are given at its end, in the order of their index. */
export function createOpenAiReader(provider: string): StreamReader {
  const texts: string[] = [];
  const reasoning: string[] = [];
  const refusals: string[] = [];
  const calls = new Map<number, GrowingCall>();
  const extra: { root: JsonRecord; choice: JsonRecord; message: JsonRecord } = {
    root: {},
    choice: {},
    message: {},
  };
  let finishReason: string | undefined;
  let usage: ModelUsage | undefined;
  let requestId: string | undefined;

  const collect = (chunk: JsonRecord, choice: JsonRecord, delta: JsonRecord): void => {
    requestId ??= stringAt(chunk, "id");
    usage = fromOpenAiUsage(chunk["usage"]) ?? usage;
    finishReason = stringAt(choice, "finish_reason") ?? finishReason;
    const { usage: counted, ...root } = unknownFields(chunk);
    Object.assign(
      extra.root,
      root,
      fromOpenAiUsage(chunk["usage"]) === undefined ? {} : { usage: counted },
    );
    Object.assign(extra.choice, without(choice, "index", "delta", "finish_reason"));
    const known = ["role", "content", "reasoning", "reasoning_content", "tool_calls", "refusal"];
    Object.assign(extra.message, without(delta, ...known));
    refusals.push(stringAt(delta, "refusal") ?? "");
    for (const call of arrayAt(delta, "tool_calls")) grow(calls, call);
  };

  return {
    push(chunk) {
      const choice = firstChoice(chunk);
      const delta = recordAt(choice, "delta");
      collect(chunk, choice, delta);
      const deltas: ModelDelta[] = [];
      const thought = reasoningOf(delta);
      if (thought !== undefined) deltas.push({ type: "reasoning", text: thought });
      reasoning.push(thought ?? "");
      const text = textOf(delta);
      if (text !== "") deltas.push({ type: "text", text });
      texts.push(text);
      return deltas;
    },
    finish() {
      if (finishReason === undefined) return undefined;
      const refusal = refusals.join("") || undefined;
      const toolCalls = [...calls]
        .sort(([left], [right]) => left - right)
        .map(([, call]) => finished(call));
      const response = withoutUndefined({
        text: texts.join(""),
        reasoning: reasoning.join("") || undefined,
        toolCalls,
        finishReason: fromOpenAiFinishReason(finishReason, { refusal, calls: toolCalls.length }),
        usage,
        requestId,
        providerMetadata: metadataOf(provider, {
          ...extra.root,
          choice: extra.choice,
          message: withoutUndefined({ ...extra.message, refusal }),
        }),
      });
      return {
        deltas: toolCalls.map((toolCall): ModelDelta => ({ type: "tool_call", toolCall })),
        response,
      };
    },
  };
}

function grow(calls: Map<number, GrowingCall>, piece: unknown): void {
  const id = stringAt(piece, "id") ?? "";
  const last = calls.size - 1;
  // A server without indexes gives a new id with each call.
  const index = numberAt(piece, "index") ?? (id === "" ? Math.max(0, last) : last + 1);
  const call = calls.get(index) ?? { id: "", name: "", pieces: [] };
  calls.set(index, call);
  if (call.id === "") call.id = id;
  if (call.name === "") call.name = stringAt(recordAt(piece, "function"), "name") ?? "";
  call.pieces.push(stringAt(recordAt(piece, "function"), "arguments") ?? "");
}

function finished({ id, name, pieces }: GrowingCall): ToolCall {
  return { id, name, arguments: pieces.join("") };
}
