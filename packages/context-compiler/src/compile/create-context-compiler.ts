import { traced } from "@ccl/core/tracing";
import {
  compareCodeUnits,
  estimatedCounter,
  type TokenCounter,
  type ToolDescription,
} from "@ccl/core";
import { throwIfAborted, untilAborted } from "@ccl/core/async";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { analyzeHistory } from "../fit/analyze-history.ts";
import { createMessageMeter } from "../fit/message-meter.ts";
import type { Session } from "../session/session.ts";
import { artifactAttacher } from "./artifact-attacher.ts";
import { compactor } from "./compactor.ts";
import type { ContextProcessor, ProcessorInput } from "./context-processor.ts";
import { beginContext, breakDown, traceStep, type ContextFrame } from "./create-working-context.ts";
import { failureReason } from "../fit/failure-reason.ts";
import { historySelector, isSelected } from "./history-selector.ts";
import { memoryPreloader } from "./memory-preloader.ts";
import { requireRequest, requireSettings } from "./require-request.ts";
import type { WorkingContext } from "./working-context.ts";
import type { CompileOptions, ContextCompilerOptions } from "./compile-options.ts";

/** Compiles sessions into prompts. */
export interface ContextCompiler {
  /** Counts the prompts. */
  readonly counter: TokenCounter;
  /**
   * Compiles a session's current state into a prompt within the budget. The result depends only on the log, the options
   * and the budget. Waits for stores and processors without a time limit, but stops immediately on an abort. If the
   * session's store can't load or save a cut, adds a remark to the trace and does not fail.
   * @throws ContextCompilerError `budget_missing`, `budget_exceeded` with a breakdown, `invalid_options`, `aborted`,
   * and `invalid_messages` if custom processors leave a history that no provider accepts
   */
  compile(session: Session, options: CompileOptions): Promise<WorkingContext>;
}

/**
 * Creates a compiler.
 * @throws ContextCompilerError `invalid_options`
 */
export function createContextCompiler(settings: ContextCompilerOptions = {}): ContextCompiler {
  requireSettings(settings);
  const { counter = estimatedCounter } = settings;
  const processors = settings.processors ?? defaultProcessors(settings);
  return {
    counter,
    compile: (session, options) =>
      traced("compile", {}, async (span) => {
        const { systemPrompt, tools, volatile, budget, isCacheCold, signal } = requireRequest(
          session,
          options,
        );
        const frame = { budget, counter, session };
        let context = beginContext(frame, {
          systemPrompt: withToolsHint(systemPrompt, tools),
          tools: tools.toSorted((a, b) => compareCodeUnits(a.name, b.name)),
          entries: session.messages(),
          memoryHits: [],
          volatile,
        });
        for (const processor of processors) {
          throwIfAborted(signal, ContextCompilerError);
          const input = { session, context, budget, counter, isCacheCold, signal };
          context = await runProcessor(processor, frame, input);
        }
        throwIfAborted(signal, ContextCompilerError);
        if (!context.isWithinBudget()) throw overBudget(context, counter);
        if (!isSelected(context)) requireLegal(context, counter);
        span.set({
          "gen_ai.conversation.id": session.sessionId,
          "ccl.tokens.before": context.trace[0]?.tokensBefore,
          "ccl.tokens.after": context.tokenCount,
          "ccl.tokens.budget": budget,
        });
        return context;
      }),
  };
}

async function runProcessor(
  processor: ContextProcessor,
  frame: ContextFrame,
  input: ProcessorInput,
): Promise<WorkingContext> {
  const { name } = processor;
  const { tokenCount: tokensBefore } = input.context;
  try {
    const context = await untilAborted(
      Promise.resolve(processor.process(input)),
      input.signal,
      ContextCompilerError,
    );
    const traced = countStep(context, frame, { processor: name, tokensBefore });
    if (traced === undefined) throw foreignContext(name);
    return traced;
  } catch (error) {
    // Report the abort itself and not the errors it caused.
    throwIfAborted(input.signal, ContextCompilerError);
    throw error;
  }
}

/** Like `traceStep`, but also counts content that a custom processor adds to the prompt. */
function countStep(
  ...[context, frame, step]: Parameters<typeof traceStep>
): WorkingContext | undefined {
  try {
    return traceStep(context, frame, step);
  } catch (error) {
    if (ContextCompilerError.isInstance(error)) throw error;
    const name = JSON.stringify(step.processor);
    const message = `What the processor ${name} returned can't be counted (${failureReason(error)}); the parts that it gave \`context.with\` have to be of their types.`;
    throw new ContextCompilerError("invalid_options", message, { cause: error });
  }
}

function defaultProcessors(settings: ContextCompilerOptions): ContextProcessor[] {
  const { artifactStore, memory, summarize, cutTo, policy, pin, record } = settings;
  return [
    artifactAttacher({ artifactStore }),
    compactor({ summarize }),
    memoryPreloader({ memory }),
    historySelector({ cutTo, policy, pin, record }),
  ];
}

function foreignContext(name: string): ContextCompilerError {
  const message = `The processor ${JSON.stringify(name)} returned a context that it created itself; return \`context.with(...)\`, or the same.`;
  return new ContextCompilerError("invalid_options", message);
}

/** Throws if the last processor was not a `historySelector` and any provider would reject the history. */
function requireLegal(context: WorkingContext, counter: TokenCounter): void {
  const [problem] = analyzeHistory(
    context.history,
    createMessageMeter(counter, context.tools),
  ).repairs;
  if (problem === undefined) return;
  const message = `The prompt is not legal after the last processor: ${problem.reason} at message ${problem.from} of the history; put a \`historySelector\` last.`;
  throw new ContextCompilerError("invalid_messages", message, { details: { index: problem.from } });
}

function overBudget(context: WorkingContext, counter: TokenCounter): ContextCompilerError {
  const { budget, tokenCount, trace } = context;
  const steps = trace.map(({ processor, tokensAfter }) => `${processor} ${tokensAfter}`).join(", ");
  const message = `The prompt takes ${tokenCount} tokens of ${budget} after the last processor (${steps}); put a \`historySelector\` last.`;
  return new ContextCompilerError("budget_exceeded", message, {
    details: breakDown(context, counter),
  });
}

const uses: Readonly<Record<string, string>> = {
  search_artifact: "search_artifact finds lines and rows of them by words",
  read_artifact: "read_artifact reads lines and rows by their numbers",
};

/**
 * Adds a sentence to the system prompt on how to get the rest of a result, if the model has the
 * tools for it. The first prompt already contains it, since adding it at the first cut would change
 * the prefix that the provider caches.
 */
function withToolsHint(systemPrompt: string, tools: readonly ToolDescription[]): string {
  const known = Object.entries(uses).filter(([name]) => tools.some((tool) => tool.name === name));
  if (known.length === 0) return systemPrompt;
  const how = known.map(([, use]) => use).join(", ");
  const hint = `Results marked as shortened or stored are not whole: ${how}. Name them by the artifact id in the mark.`;
  return systemPrompt.trim() === "" ? hint : `${systemPrompt}\n\n${hint}`;
}
