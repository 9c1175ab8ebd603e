import type { ChatMessage } from "@ccl/core";
import type { ContextRecord } from "@ccl/core/tracing";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { shownIdDigits } from "../externalize/render-artifact.ts";
import { contextRecordOf } from "../fit/context-record-of.ts";
import { fitMessages } from "../fit/fit-messages.ts";
import type { ElidedRange, FitOptions, FittedMessages, PinRule } from "../fit/fit-options.ts";
import { pinTest } from "../fit/fit-policy.ts";
import type { FitState } from "../fit/fit-state.ts";
import { safetyMarginOf } from "../fit/safety-margin.ts";
import { usagesIn } from "./reported-usage.ts";
import { isSameMessage } from "../fit/same-message.ts";
import { createMessageMeter } from "../fit/message-meter.ts";
import type { ProcessorInput } from "./context-processor.ts";
import { eventsIn, isStored } from "./events-in.ts";
import { messagesAround } from "./prompt-parts.ts";
import { findSummary, recordSummary } from "./range-summaries.ts";
import type { ContextEntry } from "./working-context.ts";

/** Options of the cut, and the state that it continues from. */
export interface FitHistoryOptions {
  fit: Omit<FitOptions, "budget" | "counter" | "tools" | "state" | "pin" | "summaryOf" | "record">;
  pin: PinRule | undefined;
  state: FitState | undefined;
}

/** A history that fits into the room left by the other parts of the prompt. */
export interface FittedHistory {
  fitted: FittedMessages;
  /** The history's messages without the head of the prompt, each with its source events. */
  entries: readonly ContextEntry[];
  remarks: readonly string[];
}

/** A cut may request summaries. Once they are written, the cut is repeated with them. */
const maxRounds = 2;

/**
 * Cuts the history. If the context has `summarize`, also summarizes the dropped messages. Throws as `fitMessages` does.
 */
export async function fitHistory(
  input: ProcessorInput,
  options: FitHistoryOptions,
): Promise<FittedHistory> {
  const { context, session, signal } = input;
  const { entries } = context;
  const around = messagesAround(context);
  const offset = around.head.length;
  for (let round = 0; ; round += 1) {
    const missing: ElidedRange[] = [];
    const summaryOf = (range: ElidedRange): string | undefined => {
      const found = findSummary(session, entries, inEntries(range, offset));
      if (found === undefined) missing.push(range);
      return found?.text;
    };
    const fitted = fitWithin(input, options, { ...around, summaryOf });
    const shown = fitted.messages
      .slice(offset)
      .map((message, at) =>
        entryOf(message, entries[(fitted.sources[at + offset] ?? -1) - offset]),
      );
    const { summarize } = context;
    if (summarize === undefined || missing.length === 0 || round === maxRounds)
      return { fitted, entries: shown, remarks: [] };
    for (const range of missing) {
      const failure = await recordSummary(session, summarize, {
        entries,
        range: inEntries(range, offset),
        signal,
      });
      if (failure !== undefined) return { fitted, entries: shown, remarks: [failure] };
    }
  }
}

/** Returns the record of the whole prompt, including the content before and after the history. */
export function recordOfCompiled(
  { context, session, budget, counter }: ProcessorInput,
  fitted: FittedMessages,
): ContextRecord {
  const { head, tail } = messagesAround(context);
  const messages = head.concat(context.history);
  const sources = [...fitted.sources, ...tail.map((_message, at) => messages.length + at)];
  const prompt = { ...fitted, messages: fitted.messages.concat(tail), sources };
  const hintOf = readHints(session);
  return contextRecordOf(messages.concat(tail), prompt, {
    source: "compile",
    session: session.sessionId,
    budget,
    counter,
    tools: context.tools,
    restHint: (_message, at) => hintOf(context.entries[at - head.length]),
  });
}

function entryOf(message: ChatMessage, entry: ContextEntry | undefined): ContextEntry {
  if (entry !== undefined && isSameMessage(message, entry.message)) return entry;
  return { message, eventIds: entry?.eventIds ?? [] };
}

/** Converts the range to indexes into the entries, which exclude the messages at the head of the prompt. */
function inEntries({ from, to }: ElidedRange, offset: number): { from: number; to: number } {
  return { from: from - offset, to: to - offset };
}

interface Surroundings {
  head: ChatMessage[];
  tail: readonly ChatMessage[];
  summaryOf(range: ElidedRange): string | undefined;
}

function fitWithin(
  { context, session, budget, counter, isCacheCold }: ProcessorInput,
  { fit, pin, state }: FitHistoryOptions,
  { head, tail, summaryOf }: Surroundings,
): FittedMessages {
  const meter = createMessageMeter(counter, context.tools);
  const tailTokens = tail.reduce((sum, message) => sum + meter.of(message), 0);
  const { safetyMargin = safetyMarginOf(counter, usagesIn(session)) } = fit;
  const hintOf = readHints(session);
  const index = head.length;
  try {
    return fitMessages(head.concat(context.history), {
      ...fit,
      safetyMargin,
      isCacheCold,
      // The tail of the prompt is not fitted, but needs the same margin.
      budget: tailTokens === 0 ? budget : Math.max(1, budget - tailTokens / (1 - safetyMargin)),
      counter,
      tools: context.tools,
      state,
      summaryOf,
      pin: pin === undefined ? undefined : pinEntries({ context, session }, pin, index),
      restHint: (message, at) => fit.restHint?.(message, at) ?? hintOf(context.entries[at - index]),
    });
  } catch (error) {
    throw tailTokens === 0 ? error : withTail(error, { budget, tailTokens });
  }
}

/** Identifies pinned messages by their events, since processors may change or join messages. */
function pinEntries(
  { context, session }: Pick<ProcessorInput, "context" | "session">,
  pin: PinRule,
  offset: number,
): (message: ChatMessage, index: number) => boolean {
  const isPinned = pinTest(pin);
  const events = new Set(
    session
      .messages()
      .flatMap(({ message, eventIds }, at) => (isPinned(message, at) ? eventIds : [])),
  );
  return (_message, index) =>
    context.entries[index - offset]?.eventIds.some((id) => events.has(id)) === true;
}

/** Returns hints on how a model gets the rest of a result in the artifact store. */
function readHints(
  session: ProcessorInput["session"],
): (entry: ContextEntry | undefined) => string | undefined {
  const eventsOf = eventsIn(session);
  return (entry) => {
    const stored = eventsOf(entry?.eventIds ?? []).find(isStored);
    return stored && `artifact ${stored.data.artifactId.slice(0, shownIdDigits)} has all of it`;
  };
}

function withTail(
  error: unknown,
  { budget, tailTokens }: { budget: number; tailTokens: number },
): unknown {
  if (!ContextCompilerError.isInstance(error) || error.code !== "budget_exceeded") return error;
  const message = `${error.message} Of ${budget} tokens, ${tailTokens} go to what stands last, such as memory hits.`;
  const known = typeof error.details === "object" ? error.details : {};
  return new ContextCompilerError("budget_exceeded", message, {
    cause: error,
    details: { ...known, budget, last: tailTokens },
  });
}
