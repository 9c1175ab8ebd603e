import { type Complete } from "@ccl/core";
import {
  isFrom,
  requireBudget,
  requireIfGiven,
  requireObject,
  requireThat,
  requireTools,
  shown,
} from "../fit/require-that.ts";
import type { Session } from "../session/session.ts";
import type { CompileOptions, ContextCompilerOptions } from "./compile-options.ts";

/**
 * Checks a compiler's options.
 * @throws ContextCompilerError `invalid_options`
 */
export function requireSettings(settings: ContextCompilerOptions): void {
  requireObject("The options of a compiler", settings);
  const { counter, artifactStore, memory, processors = [] } = settings;
  if (counter !== undefined) requireObject("counter", counter, "count");
  requireIfGiven("artifactStore", artifactStore, "store", "retrieve");
  requireIfGiven("memory", memory, "search");
  requireThat(
    settings.summarize === undefined || typeof settings.summarize === "function",
    `summarize is a function, not ${shown(settings.summarize)}.`,
  );
  requireThat(
    Array.isArray(processors),
    `processors is a list of processors, not ${shown(processors)}.`,
  );
  for (const [index, processor] of processors.entries()) {
    requireObject(`processors[${index}]`, processor, "process");
    requireThat(
      typeof processor.name === "string",
      `processors[${index}] needs a name, for the trace.`,
    );
  }
}

/** Options of one compile, with defaults applied. The budget excludes the reserve. */
type CompileRequest = Complete<
  Pick<CompileOptions, "budget" | "systemPrompt" | "tools" | "volatile">
> &
  Pick<CompileOptions, "isCacheCold" | "signal">;

/**
 * Checks the options of one compile.
 * @throws ContextCompilerError `budget_missing`, `invalid_options`
 */
export function requireRequest(
  session: Session,
  options: Partial<CompileOptions> = {},
): CompileRequest {
  requireObject("The session", session, "messages", "record", "loadState", "saveState");
  requireObject("The options of compile", options);
  const {
    budget: total,
    systemPrompt = "",
    tools = [],
    reserve = 0,
    volatile = "",
    isCacheCold,
    signal,
  } = options;
  const budget = budgetWithin(total, reserve);
  for (const [name, text] of Object.entries({ systemPrompt, volatile })) {
    requireThat(typeof text === "string", `${name} is a text, not ${shown(text)}.`);
  }
  requireTools(tools);
  if (signal !== undefined)
    requireObject("signal", signal, "addEventListener", "removeEventListener");
  return { budget, systemPrompt, tools, volatile, isCacheCold, signal };
}

function budgetWithin(total: unknown, reserve: unknown): number {
  requireBudget(total);
  requireThat(isFrom(0, reserve), `A reserve is a number of tokens from 0, not ${shown(reserve)}.`);
  const isBudget = isFrom(reserve, total) && total > reserve && total < Infinity;
  const description = `${shown(total)} with a reserve of ${reserve}`;
  requireThat(
    isBudget,
    `A budget is a positive number of tokens, larger than the reserve, not ${description}.`,
  );
  return total - reserve;
}
