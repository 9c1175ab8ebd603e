import { throwIfAborted } from "@ccl/core/async";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { FitOptions, PinRule } from "../fit/fit-options.ts";
import { pinTest, requirePolicy } from "../fit/fit-policy.ts";
import { requireState, type FitState } from "../fit/fit-state.ts";
import { requireNumbers } from "../fit/require-that.ts";
import { sessionMemory } from "../session/session-memory.ts";
import type { ContextProcessor, ProcessorInput } from "./context-processor.ts";
import {
  fitHistory,
  type FitHistoryOptions,
  type FittedHistory,
  recordOfCompiled,
} from "./fit-history.ts";
import type { WorkingContext } from "./working-context.ts";

/** How to cut the history. */
interface HistorySelectorOptions extends Pick<
  FitOptions,
  "safetyMargin" | "cutTo" | "policy" | "firstSight" | "keptFactsTokens" | "restHint" | "record"
> {
  /**
   * Content that must never be dropped: messages of `session.messages()`, ranges of indexes into
   * it, or a function that decides.
   */
  pin?: PinRule | undefined;
}

/**
 * Shows the whole history while it fits. Otherwise cuts it to `cutTo`. The session keeps that cut
 * until the budget is exceeded again, so that the provider's cached prefix stays valid.
 */
export function historySelector(options: HistorySelectorOptions = {}): ContextProcessor {
  requireNumbers("historySelector", options, "keptFactsTokens", "cutTo", "firstSight");
  requirePolicy(options);
  const { pin, record, ...given } = options;
  pinTest(pin);
  // After its first cut, a session has a cached prefix to preserve.
  const fit = { ...given, policy: given.policy ?? "balanced" };
  const memoriesOf = sessionMemory(() => new Map<number, SelectorMemory>());
  return {
    name: "historySelector",
    async process(input) {
      const memory = memoryIn(memoriesOf(input.session), input.budget);
      const loading = memory.isLoaded ? [] : await loadState(memory, input);
      const { state } = memory;
      const { context, ...found } = await withRoomForMemory(input, {
        fit,
        pin,
        state,
      });
      record?.add(recordOfCompiled({ ...input, context }, found.fitted));
      memory.state = found.fitted.state;
      const saving =
        found.fitted.state.cut === state?.cut ? [] : await saveState(memory.state, input);
      return select(context, { ...found, remarks: [...loading, ...found.remarks, ...saving] });
    },
  };
}

interface SelectorMemory {
  state: FitState | undefined;
  /** True once the state has been read from the session's store. */
  isLoaded: boolean;
}

/** More than the number of budgets that a session is normally compiled for. */
const keptBudgets = 8;

function memoryIn(memories: Map<number, SelectorMemory>, budget: number): SelectorMemory {
  const memory = memories.get(budget) ?? { state: undefined, isLoaded: false };
  // Reinsert the entry, so that the map starts with the budget that has been unused the longest.
  memories.delete(budget);
  memories.set(budget, memory);
  const [oldest] = memories.keys();
  if (memories.size > keptBudgets && oldest !== undefined) memories.delete(oldest);
  return memory;
}

async function loadState(
  memory: SelectorMemory,
  { session, budget, signal }: ProcessorInput,
): Promise<string[]> {
  try {
    const json = await session.loadState(keyOf(budget), { signal });
    if (!memory.isLoaded && json !== undefined) memory.state = requireState(JSON.parse(json));
    return [];
  } catch {
    throwIfAborted(signal, ContextCompilerError);
    return ["the cut that was saved with the session can't be read: a new cut was created"];
  } finally {
    memory.isLoaded ||= signal?.aborted !== true;
  }
}

async function saveState(
  state: FitState,
  { session, budget, signal }: ProcessorInput,
): Promise<string[]> {
  try {
    const json = state.cut === undefined ? undefined : JSON.stringify(state);
    await session.saveState(keyOf(budget), json, { signal });
    return [];
  } catch (error) {
    const reason = ContextCompilerError.isInstance(error) ? error.code : "unknown";
    return [`the cut was not saved with the session (${reason}): a restart creates a new one`];
  }
}

function keyOf(budget: number): string {
  return `compile:${budget}`;
}

/** Drops memory hits first if the required messages need their room. */
async function withRoomForMemory(
  input: ProcessorInput,
  options: FitHistoryOptions,
): Promise<FittedHistory & { context: WorkingContext }> {
  const { context } = input;
  try {
    return { ...(await fitHistory(input, options)), context };
  } catch (error) {
    const isTooMuch = ContextCompilerError.isInstance(error) && error.code === "budget_exceeded";
    if (!isTooMuch || context.memoryHits.length === 0) throw error;
    const bare = context.with({ memoryHits: [] });
    const found = await fitHistory({ ...input, context: bare }, options);
    const remark = "the memory hits were left out: what must stay takes their room";
    return { ...found, remarks: [remark, ...found.remarks], context: bare };
  }
}

const selections = new WeakSet<WorkingContext["entries"]>();

/** True if a selector returned this history, which means that every provider accepts it. */
export function isSelected({ entries }: WorkingContext): boolean {
  return selections.has(entries);
}

function select(
  context: WorkingContext,
  { fitted, entries: shown, remarks }: FittedHistory,
): WorkingContext {
  const { entries: given } = context;
  const isSame = shown.length === given.length && shown.every((one, at) => one === given[at]);
  const entries = isSame ? given : shown;
  selections.add(entries);
  const { prefixStableTokens, firstChangedMessage, breakpoints, trace: changes } = fitted;
  return context.with(
    { entries },
    { changes, remarks, layout: { prefixStableTokens, firstChangedMessage, breakpoints } },
  );
}
