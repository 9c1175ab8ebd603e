import type { ChatMessage } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationConfig } from "../operation/operation-config.ts";
import type { MainResult, OperationContext, OperationPolicy } from "../operation/operation-context.ts";
import type { Hook, OperationDefinition, Trigger } from "../operation/operation-definition.ts";
import { createOperationView, type OperationView } from "./operation-view.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { RunDesk } from "./run-desk.ts";

/** Which attempt a context is for. */
export interface AttemptOf {
  attempt: number;
  signal: AbortSignal;
}

/** What a handler sees: frozen, and without a trace of operations that it does not depend on. */
export function createContext(desk: RunDesk, operation: PlannedOperation, of: AttemptOf): OperationContext {
  const Context = operation.hook === "before_main_llm" ? ContextBefore : ContextAfter;
  return Object.freeze(new Context(desk, operation, of));
}

/** A class, since objects with getters of their own took forty times as long to make. */
class ContextAtWork {
  readonly runId: string;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly hook: Hook;
  readonly chatId: string;
  readonly branchId: string;
  readonly userMessageId: string;
  readonly definition: OperationDefinition;
  readonly config: OperationConfig;
  readonly chatHistory: readonly ChatMessage[];
  readonly artifacts: Readonly<Record<string, OperationArtifact>>;
  readonly policy: OperationPolicy;
  readonly signal: AbortSignal;
  readonly deadlineMs?: number;

  constructor(desk: RunDesk, { index, hook, definition, config }: PlannedOperation, { attempt, signal }: AttemptOf) {
    const { input } = desk;
    this.runId = input.runId;
    this.attempt = attempt;
    this.trigger = input.trigger;
    this.hook = hook;
    this.chatId = input.chatId;
    this.branchId = input.branchId;
    this.userMessageId = input.userMessageId;
    this.definition = definition;
    this.config = config;
    this.chatHistory = desk.history;
    this.artifacts =
      desk.records[index]?.hasNews === true ? createOperationView(desk, index).artifacts() : desk.artifacts;
    this.policy = desk.services.policies[hook];
    this.signal = signal;
    if (input.deadlineMs !== undefined) this.deadlineMs = input.deadlineMs;
  }
}

class ContextBefore extends ContextAtWork implements OperationContext {
  readonly #desk: RunDesk;
  readonly #index: number;

  constructor(desk: RunDesk, operation: PlannedOperation, of: AttemptOf) {
    super(desk, operation, of);
    this.#desk = desk;
    this.#index = operation.index;
  }

  /** Put together when it is first asked for: most operations never do. */
  get draftPrompt(): readonly ChatMessage[] {
    const view = views.get(this) ?? createOperationView(this.#desk, this.#index);
    views.set(this, view);
    return view.draftPrompt();
  }
}

class ContextAfter extends ContextAtWork implements OperationContext {
  readonly assistantVariantId: string;
  readonly main: MainResult;

  constructor(desk: RunDesk, operation: PlannedOperation, of: AttemptOf) {
    super(desk, operation, of);
    this.assistantVariantId = desk.input.assistantVariantId;
    this.main = mainResult(desk);
  }
}

const views = new WeakMap<object, OperationView>();
const mainResults = new WeakMap<object, MainResult>();

function mainResult({ main, input }: RunDesk): MainResult {
  const known = mainResults.get(main);
  if (known !== undefined) return known;
  const { text = "", finishReason = "unknown", partial } = main;
  const { assistantVariantId } = input;
  const made = Object.freeze({ assistantVariantId, text, finishReason, ...(partial !== undefined && { partial }) });
  mainResults.set(main, made);
  return made;
}
