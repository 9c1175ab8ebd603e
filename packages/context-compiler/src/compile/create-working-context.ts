import type { ChatMessage, TokenCounter } from "@ccl/core";
import type { BudgetBreakdown } from "../fit/cut-history.ts";
import type { FitTraceEntry } from "../fit/fit-trace.ts";
import { createMessageMeter } from "../fit/message-meter.ts";
import { sumEntries, type EntrySums } from "./entry-sums.ts";
import type { LogIndex } from "./log-index.ts";
import { messagesAround, type MemoryPlace } from "./prompt-parts.ts";
import type { ArtifactRef, CacheLayout, CompileTraceEntry, ContextParts, WorkingContext } from "./working-context.ts";

/** What does not change while a context is made. */
export interface ContextFrame {
  budget: number;
  counter: TokenCounter;
  memoryPlace: MemoryPlace;
  index: LogIndex;
  /** One a step, kept for the session's next compile. */
  sums: (EntrySums | undefined)[];
}

/** What a processor says of its own step, to be taken up by the compiler. */
interface StepReport {
  changes: readonly FitTraceEntry[];
  notes: readonly string[];
}

interface Contents {
  parts: ContextParts;
  layout: CacheLayout;
  trace: readonly CompileTraceEntry[];
  report: StepReport;
  tokenCount?: number;
}

const noReport: StepReport = { changes: [], notes: [] };
const known = new WeakMap<WorkingContext, { frame: ContextFrame; contents: Contents }>();

/** The context before the first step. */
export function beginContext(frame: ContextFrame, parts: ContextParts): WorkingContext {
  const layout: CacheLayout = { prefixStableTokens: 0, firstChangedMessage: 0, breakpoints: [] };
  return createContext(frame, { parts, layout, trace: [], report: noReport });
}

/** The context with the line of its step in the trace; undefined for a context that was not made from this frame. */
export function traceStep(
  context: WorkingContext,
  frame: ContextFrame,
  { processor, tokensBefore }: { processor: string; tokensBefore: number },
): WorkingContext | undefined {
  const made = known.get(context);
  if (made?.frame !== frame) return undefined;
  const { contents } = made;
  const { tokenCount: tokensAfter } = context;
  const entry = { processor, tokensBefore, tokensAfter, isWithinBudget: context.isWithinBudget(), ...contents.report };
  return createContext(frame, {
    ...contents,
    trace: [...contents.trace, entry],
    report: noReport,
    tokenCount: tokensAfter,
  });
}

/** What follows from the parts is worked out when it is asked for. */
function createContext(frame: ContextFrame, contents: Contents): WorkingContext {
  const { parts, layout, trace, report } = contents;
  const { budget, memoryPlace } = frame;
  let history: readonly ChatMessage[] | undefined;
  let { tokenCount } = contents;
  const context: WorkingContext = {
    ...parts,
    ...layout,
    trace,
    budget,
    get history() {
      history ??= parts.entries.map(({ message }) => message);
      return history;
    },
    get toolResults() {
      return context.history.filter(({ role }) => role === "tool");
    },
    get artifactRefs() {
      return artifactsIn(parts, frame.index);
    },
    get tokenCount() {
      tokenCount ??= countPrompt(frame, parts, trace.length);
      return tokenCount;
    },
    isWithinBudget: () => context.tokenCount <= budget,
    overflow: () => Math.max(0, context.tokenCount - budget),
    toMessages() {
      const { head, tail } = messagesAround(parts, memoryPlace);
      return [...head, ...context.history, ...tail];
    },
    with(changed, { changes = [], notes = [], layout: found = layout } = {}) {
      return createContext(frame, {
        parts: { ...parts, ...changed },
        layout: found,
        trace,
        report: { changes: [...report.changes, ...changes], notes: [...report.notes, ...notes] },
      });
    },
  };
  known.set(context, { frame, contents });
  return context;
}

function countPrompt(frame: ContextFrame, parts: ContextParts, slot: number): number {
  const meter = createMessageMeter(frame.counter, parts.tools);
  const { head, tail } = messagesAround(parts, frame.memoryPlace);
  const { tokens, messages } = sumEntries(parts.entries, { meter, sums: frame.sums, slot });
  let sum = meter.fixed + tokens;
  for (const message of head) sum += meter.of(message);
  for (const message of tail) sum += meter.of(message);
  return meter.total([...head, ...messages, ...tail], sum);
}

function artifactsIn({ entries }: ContextParts, index: LogIndex): ArtifactRef[] {
  return entries.flatMap(({ eventIds }) =>
    eventIds.flatMap((id) => {
      const event = index.artifactOf(id);
      return event === undefined ? [] : [{ ...event.data }];
    }),
  );
}

/** Where the tokens of a prompt go, in the terms of `fitMessages`; `history` is what the last user turn leaves. */
export function breakDown(context: WorkingContext, counter: TokenCounter): BudgetBreakdown & { history: number } {
  const meter = createMessageMeter(counter, context.tools);
  const { head } = messagesAround({ ...context, memoryHits: [], volatile: "" }, "end");
  const systemPrompt = head.reduce((sum, message) => sum + meter.of(message), 0);
  const lastUser = context.history.findLast(({ role }) => role === "user");
  const lastUserTurn = lastUser === undefined ? 0 : meter.of(lastUser);
  const history = context.tokenCount - meter.fixed - systemPrompt - lastUserTurn;
  const { budget } = context;
  return {
    budget,
    usable: budget,
    systemPrompt,
    tools: meter.fixed,
    lastUserTurn,
    pinned: 0,
    markers: 0,
    history,
  };
}
