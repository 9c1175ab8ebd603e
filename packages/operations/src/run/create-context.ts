import type { ChatMessage } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationConfig } from "../operation/operation-config.ts";
import type {
  MainResult,
  OperationContext,
  OperationPolicy,
} from "../operation/operation-context.ts";
import type { Hook, OperationDefinition, Trigger } from "../operation/operation-definition.ts";
import { createOperationView, type OperationView } from "./operation-view.ts";
import type { Attempt, RunDesk } from "./run-desk.ts";

/** What a handler sees: frozen, and without a trace of operations that it does not depend on. */
export function createContext(attempt: Attempt): OperationContext {
  const Context = attempt.operation.hook === "before_main_llm" ? ContextBefore : ContextAfter;
  return Object.freeze(new Context(attempt));
}

/**
 * A class, since objects with getters of their own took forty times as long to make. Its fields are declared only: each
 * would be written twice otherwise.
 */
class ContextAtWork {
  declare readonly runId: string;
  declare readonly attempt: number;
  declare readonly trigger: Trigger;
  declare readonly hook: Hook;
  declare readonly chatId: string;
  declare readonly branchId: string;
  declare readonly userMessageId: string;
  declare readonly definition: OperationDefinition;
  declare readonly config: OperationConfig;
  declare readonly chatHistory: readonly ChatMessage[];
  declare readonly artifacts: Readonly<Record<string, OperationArtifact>>;
  declare readonly policy: OperationPolicy;
  declare readonly signal: AbortSignal;
  declare readonly deadlineMs?: number | undefined;

  constructor({ desk, operation, record, number, timer }: Attempt) {
    const { input } = desk;
    const { index, hook, definition, config } = operation;
    this.runId = input.runId;
    this.attempt = number;
    this.trigger = input.trigger;
    this.hook = hook;
    this.chatId = input.chatId;
    this.branchId = input.branchId;
    this.userMessageId = input.userMessageId;
    this.definition = definition;
    this.config = config;
    this.chatHistory = desk.history;
    this.artifacts = record.hasNews ? createOperationView(desk, index).artifacts() : desk.artifacts;
    this.policy = desk.services.policies[hook];
    this.signal = timer === undefined ? desk.signal : timer.signal;
    if (input.deadlineMs !== undefined) this.deadlineMs = input.deadlineMs;
  }
}

class ContextBefore extends ContextAtWork implements OperationContext {
  readonly #desk: RunDesk;
  readonly #index: number;

  constructor(attempt: Attempt) {
    super(attempt);
    this.#desk = attempt.desk;
    this.#index = attempt.operation.index;
  }

  /** Put together when it is first asked for: most operations never do. */
  get draftPrompt(): readonly ChatMessage[] {
    const view = views.get(this) ?? createOperationView(this.#desk, this.#index);
    views.set(this, view);
    return view.draftPrompt();
  }
}

class ContextAfter extends ContextAtWork implements OperationContext {
  declare readonly assistantVariantId: string;
  declare readonly main: MainResult;

  constructor(attempt: Attempt) {
    super(attempt);
    this.assistantVariantId = attempt.desk.input.assistantVariantId;
    this.main = mainResult(attempt.desk);
  }
}

const views = new WeakMap<object, OperationView>();
const mainResults = new WeakMap<object, MainResult>();

function mainResult({ main, input }: RunDesk): MainResult {
  const known = mainResults.get(main);
  if (known !== undefined) return known;
  const { text = "", finishReason = "unknown", partial } = main;
  const { assistantVariantId } = input;
  const made = Object.freeze({
    assistantVariantId,
    text,
    finishReason,
    partial,
  });
  mainResults.set(main, made);
  return made;
}
