import type { ChatMessage, TokenCounter } from "@ccl/core";
import type { BudgetBreakdown } from "../fit/find-required.ts";
import type { FitTraceEntry } from "../fit/fit-trace.ts";
import { createMessageMeter } from "../fit/message-meter.ts";
import type { Session } from "../session/session.ts";
import { eventsIn, isStored } from "./events-in.ts";
import { messagesAround } from "./prompt-parts.ts";
import type {
  ArtifactRef,
  CacheLayout,
  CompileTraceEntry,
  ContextParts,
  WorkingContext,
} from "./working-context.ts";

/** Values that stay constant throughout a compile. */
export interface ContextFrame {
  budget: number;
  counter: TokenCounter;
  session: Session;
}

/** A processor's report on its own step. The compiler adds it to the trace. */
interface StepReport {
  changes: readonly FitTraceEntry[];
  remarks: readonly string[];
}

interface Contents {
  parts: ContextParts;
  layout: CacheLayout;
  trace: readonly CompileTraceEntry[];
  report: StepReport;
  tokenCount?: number | undefined;
}

const noReport: StepReport = { changes: [], remarks: [] };

/** Creates the context before the first step. */
export function beginContext(frame: ContextFrame, parts: ContextParts): WorkingContext {
  const layout: CacheLayout = { prefixStableTokens: 0, firstChangedMessage: 0, breakpoints: [] };
  return new FramedContext(frame, { parts, layout, trace: [], report: noReport });
}

/** Adds the step's entry to the trace. Returns undefined for a context from another compile. */
export function traceStep(
  context: WorkingContext,
  frame: ContextFrame,
  { processor, tokensBefore }: { processor: string; tokensBefore: number },
): WorkingContext | undefined {
  const contents = FramedContext.contentsOf(context, frame);
  if (contents === undefined) return undefined;
  const { tokenCount: tokensAfter } = context;
  const entry = {
    processor,
    tokensBefore,
    tokensAfter,
    isWithinBudget: context.isWithinBudget(),
    ...contents.report,
  };
  return new FramedContext(frame, {
    ...contents,
    trace: [...contents.trace, entry],
    report: noReport,
    tokenCount: tokensAfter,
  });
}

// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- The constructor assigns the members of both.
interface FramedContext extends ContextParts, CacheLayout {}

/**
 * Computes derived values on demand. This is a class because accessors on each object would keep the history alive
 * until the next major garbage collection.
 */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- The constructor assigns the members of both.
class FramedContext implements WorkingContext {
  readonly trace: readonly CompileTraceEntry[];
  readonly budget: number;
  readonly #frame: ContextFrame;
  readonly #contents: Contents;
  #history: readonly ChatMessage[] | undefined;
  #tokenCount: number | undefined;

  constructor(frame: ContextFrame, contents: Contents) {
    Object.assign(this, contents.parts, contents.layout);
    this.trace = contents.trace;
    this.budget = frame.budget;
    this.#frame = frame;
    this.#contents = contents;
    this.#tokenCount = contents.tokenCount;
  }

  static contentsOf(context: WorkingContext, frame: ContextFrame): Contents | undefined {
    const isSynthetic = context instanceof FramedContext && #frame in context;
    return isSynthetic && context.#frame === frame ? context.#contents : undefined;
  }

  get history(): readonly ChatMessage[] {
    this.#history ??= this.entries.map(({ message }) => message);
    return this.#history;
  }

  get toolResults(): readonly ChatMessage[] {
    return this.history.filter(({ role }) => role === "tool");
  }

  get artifactRefs(): readonly ArtifactRef[] {
    const ids = this.entries.flatMap(({ eventIds }) => eventIds);
    const stored = eventsIn(this.#frame.session)(ids).filter(isStored);
    return stored.map(({ data }) => ({ ...data }));
  }

  get tokenCount(): number {
    this.#tokenCount ??= this.#count();
    return this.#tokenCount;
  }

  #count(): number {
    const { counter, budget } = this.#frame;
    const meter = createMessageMeter(counter, this.tools);
    const messages = this.toMessages();
    const sum = messages.reduce((tokens, message) => tokens + meter.of(message), meter.fixed);
    return meter.total(messages, sum, budget);
  }

  isWithinBudget(): boolean {
    return this.tokenCount <= this.budget;
  }

  overflow(): number {
    return Math.max(0, this.tokenCount - this.budget);
  }

  toMessages(): ChatMessage[] {
    const { head, tail } = messagesAround(this);
    return head.concat(this.history, tail);
  }

  with(...[changed, report = {}]: Parameters<WorkingContext["with"]>): WorkingContext {
    const { parts, layout, trace, report: before } = this.#contents;
    const { changes = [], remarks = [], layout: found = layout } = report;
    return new FramedContext(this.#frame, {
      parts: { ...parts, ...changed },
      layout: found,
      trace,
      report: {
        changes: [...before.changes, ...changes],
        remarks: [...before.remarks, ...remarks],
      },
    });
  }
}

/**
 * Counts a prompt's tokens by part, using the names of `fitMessages`. `history` is everything that the other parts do
 * not count.
 */
export function breakDown(
  context: WorkingContext,
  counter: TokenCounter,
): BudgetBreakdown & { history: number } {
  const meter = createMessageMeter(counter, context.tools);
  const { head } = messagesAround(context);
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
