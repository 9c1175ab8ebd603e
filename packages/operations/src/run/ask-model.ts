import {
  type LanguageModel,
  LanguageModelError,
  type ModelRequest,
  type ModelResponse,
  type ToolCall,
} from "@ccl/core";

import { wellFormed } from "../artifact/copy-json.ts";
import { modelErrorCode } from "../kinds/operation-error.ts";
import { messageOf } from "../operation/message-of.ts";
import type { RunContext } from "./run-context.ts";
import type { MainLlmStep } from "../events/run-event.ts";
import { isHighSurrogate, safeText } from "./safe-text.ts";

/** Converts pieces of an answer to events. Limits the number and length of events, each of which is well-formed. */
interface DeltaWriter {
  add(text: string): void;
  /** Returns the whole text so far, well-formed. */
  text(): string;
  /** Writes the remaining text, plus a last piece if given. Later additions are dropped. */
  close(last?: string): void;
}

// In UTF-16 code units.
const maxDeltaChars = 4_096;

/** Writes the first piece immediately, and batches later ones once per interval. */
function createDeltaWriter(
  run: RunContext,
  type: "main_llm.delta" | "main_llm.reasoning",
): DeltaWriter {
  const { clock, limits } = run.services;
  const { assistantVariantId } = run.input;
  const pieces: string[] = [];
  let waiting = "";
  let offset = 0;
  let isClosed = false;
  let cancel: (() => void) | undefined;
  const write = (): void => {
    for (;;) {
      const end = endOfPiece(waiting);
      // The other half of the surrogate pair may follow.
      if (end === 0 || (end === 1 && !isClosed && isHighSurrogate(waiting.charCodeAt(0)))) break;
      const text = wellFormed(waiting.slice(0, end));
      run.emit({ type, assistantVariantId, text, offset });
      offset += text.length;
      waiting = waiting.slice(text.length);
    }
  };
  const onTime = (): void => {
    cancel = undefined;
    const before = offset;
    write();
    if (offset > before) cancel = clock.schedule(limits.deltaIntervalMs, onTime);
  };
  return {
    add(text) {
      if (isClosed || text.length === 0) return;
      pieces.push(text);
      waiting += text;
      if (cancel === undefined) onTime();
    },
    text: () => wellFormed(pieces.join("")),
    close(last = "") {
      cancel?.();
      cancel = undefined;
      if (isClosed) return;
      isClosed = true;
      pieces.push(last);
      waiting += last;
      write();
    },
  };
}

/**
 * Returns where to end a piece without splitting a surrogate pair. An incomplete pair waits, unless nothing else is
 * left.
 */
function endOfPiece(text: string): number {
  const end = Math.min(text.length, maxDeltaChars);
  return end > 1 && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

/** A main model call in progress, including fallback models if it fails. */
export interface Question {
  /** Resolves with the answer. If it rejects, `seen` returns what was streamed before that. */
  ask(request: ModelRequest, models: readonly LanguageModel[]): Promise<ModelResponse>;
  /** The text so far. */
  text(): string;
  /** Returns the failed models, and what the current one has streamed. */
  seen(): MainLlmStep[];
  /** Returns the steps of a finished call: the failed models, and the one that returned the response. */
  ended(response: ModelResponse): MainLlmStep[];
  /** Stops streaming. Later pieces are dropped. */
  close(): void;
}

interface Asked {
  model: string;
  toolCalls: ToolCall[];
  reasoning: string;
}

/** Creates a question that streams its answer as events of the run. */
export function createQuestion(run: RunContext): Question {
  const failed: MainLlmStep[] = [];
  const text = createDeltaWriter(run, "main_llm.delta");
  let thoughts = createDeltaWriter(run, "main_llm.reasoning");
  let asked: Asked | undefined;
  let isClosed = false;
  const isOver = (): boolean => isClosed || run.isStopping;
  const close = (): void => {
    isClosed = true;
    text.close();
    thoughts.close();
  };
  return {
    async ask(request, models) {
      for (const [index, model] of models.entries()) {
        asked = { model: `${model.provider}/${model.modelId}`, toolCalls: [], reasoning: "" };
        try {
          return await stream(model, request, { text, thoughts, asked, isOver });
        } catch (error) {
          const isLast = index === models.length - 1 || text.text() !== "";
          failed.push({ ...stepOf(asked, text), error: errorOf(error) });
          asked = undefined;
          if (isLast || isOver() || !mayFallBack(error)) throw error;
          thoughts.close();
          thoughts = createDeltaWriter(run, "main_llm.reasoning");
        }
      }
      throw new LanguageModelError("provider_error", "There is no main model.");
    },
    text: () => text.text(),
    seen: () => (asked === undefined ? [...failed] : [...failed, stepOf(asked, text)]),
    ended(response) {
      if (text.text() === "") text.close(response.text);
      if (asked !== undefined && asked.reasoning === "") thoughts.close(response.reasoning);
      return [...failed, stepOf(asked, text, response)];
    },
    close,
  };
}

interface Streaming {
  text: DeltaWriter;
  thoughts: DeltaWriter;
  asked: Asked;
  isOver(): boolean;
}

async function stream(
  model: LanguageModel,
  request: ModelRequest,
  { text, thoughts, asked, isOver }: Streaming,
): Promise<ModelResponse> {
  if (model.stream === undefined) return model.generate(request);
  for await (const delta of model.stream(request)) {
    if (isOver()) break;
    if (delta.type === "text") text.add(delta.text);
    else if (delta.type === "reasoning") {
      asked.reasoning += delta.text;
      thoughts.add(delta.text);
    } else if (delta.type === "tool_call") asked.toolCalls.push(delta.toolCall);
    else return delta.response;
  }
  throw new LanguageModelError("provider_error", "The main model's stream ended without a finish.");
}

function stepOf(
  asked: Asked | undefined,
  text: DeltaWriter,
  response?: ModelResponse,
): MainLlmStep {
  const toolCalls = response?.toolCalls ?? asked?.toolCalls ?? [];
  const reasoning = response?.reasoning || asked?.reasoning || "";
  return {
    model: asked?.model,
    text: text.text() || undefined,
    finishReason: response?.finishReason,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    reasoning: reasoning === "" ? undefined : wellFormed(reasoning),
    usage: response?.usage,
    requestId: response?.requestId,
    warnings: response?.warnings,
  };
}

function errorOf(error: unknown): NonNullable<MainLlmStep["error"]> {
  const code = LanguageModelError.isInstance(error) ? modelErrorCode(error.code) : "provider_error";
  return { code, message: safeText(messageOf(error), 512) };
}

/** False after an abort, since an answer is no longer needed. */
function mayFallBack(error: unknown): boolean {
  return !LanguageModelError.isInstance(error) || error.code !== "aborted";
}
