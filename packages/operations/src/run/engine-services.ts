import type { Complete, IdGenerator, LanguageModel, ToolDefinition } from "@ccl/core";
import type { ToolBridge } from "@ccl/context-compiler/tool-interrupt";
import type { ListenerErrorHandler } from "@ccl/core/events";
import type { ContextRecorder } from "@ccl/core/tracing";

import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { ModelResolver } from "../kinds/kind-options.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { OperationHandler, OperationPolicy } from "../operation/operation-context.ts";
import type { ChatStore } from "../ports/chat-store.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";
import type { RunClock } from "../ports/run-clock.ts";
import type { RunStore } from "../ports/run-store.ts";
import type { AssembledPrompt, PromptTrim } from "../prompt/assembled-prompt.ts";
import type { OperationRegistry, RegisteredOperation } from "../profile/registered-operation.ts";
import type { StoreCall } from "../ports/store-call.ts";
import type { ConcurrencyLimiter, ConcurrencyLimits } from "./concurrency-limiter.ts";
import type { OperationStatus } from "../operation/operation-failure.ts";

/** Limits of an engine. Every field has a default. */
export interface EngineLimits {
  /** Over all runs of the engine. Unlimited by default. */
  concurrency?: ConcurrencyLimits | undefined;
  /** How long an aborted run waits for work that ignores its signal. 2,000 ms by default. */
  graceMs?: number | undefined;
  /** How long a worker counts as alive after its last renewal. 30,000 ms by default. */
  leaseMs?: number | undefined;
  /** How often a worker renews leases and checks for others' aborts. 1,000 ms by default, up to `leaseMs` / 3. */
  renewMs?: number | undefined;
  /** The shortest time between two `main_llm.delta` events. 50 ms by default. */
  deltaIntervalMs?: number | undefined;
  /** Limit of one `main_llm.delta` in UTF-16 code units. 2 or more, 4,096 by default. */
  maxDeltaChars?: number | undefined;
  /** Limit of an operation's summary, in characters of JSON. 4,096 by default. */
  maxSummaryChars?: number | undefined;
  /** How long a client's request id is remembered. 24 hours by default. */
  requestKeptMs?: number | undefined;
  /** How often the store is polled for a run that another worker executes. 500 ms by default. */
  pollMs?: number | undefined;
  /** Limit of the effects of one operation, including its artifact, in characters of JSON. 250,000 by default. */
  maxEffectChars?: number | undefined;
  /** How long a call of a store may take, 60,000 ms by default. After that the run ends as if the store had failed. */
  storeTimeoutMs?: number | undefined;
  /**
   * The window of the main model. Without it no prompt is cut. With it the engine's `promptFitter` decides what stays.
   */
  prompt?: PromptTrim | undefined;
}

/** A result that was dropped, since it arrived after its run had ended or its attempt had timed out. */
export interface LateResult {
  runId: string;
  operationId: string;
  hook: Hook;
  attempt: number;
  status: OperationStatus;
}

/** The prompt of a main call as it is sent, and its report. */
export interface MainPrompt extends AssembledPrompt {
  runId: string;
  /** Counts from 1. Higher after a crash during the call. */
  attempt: number;
}

/** Functions, and bridges to tools that run elsewhere, such as `mcpToolBridge(client)`. */
export type TurnTool = ToolDefinition<never> | ToolBridge;

/** Services that all runs of an engine share. */
export interface EngineServices {
  registry: OperationRegistry;
  /** The first is called. If it fails, the next one is. */
  mainModels: readonly LanguageModel[];
  models: ModelResolver;
  tools: readonly TurnTool[];
  /** Callbacks that wake operations of this process that wait for answers. */
  waiting: Set<() => void>;
  turn: TurnSettings;
  runs: RunStore;
  chat: ChatStore;
  /** True if `runs` stores changes of the chat too. */
  keepsChat: boolean;
  /** Deletes long values that are no longer in use. Absent without an artifact store. */
  sweepValues?: ((call: StoreCall) => Promise<number>) | undefined;
  limiter: ConcurrencyLimiter;
  clock: RunClock;
  ids: IdGenerator;
  random: () => number;
  renderer?: TemplateRenderer | undefined;
  fitter: PromptFitter;
  limits: Complete<Omit<EngineLimits, "concurrency" | "prompt">> & Pick<EngineLimits, "prompt">;
  /** Policies for operations. Frozen. */
  policies: Readonly<Record<Hook, OperationPolicy>>;
  handlerOf(operation: RegisteredOperation): OperationHandler | undefined;
  isOwnerDead(owner: string): Promise<boolean>;
  onLateResult?: ((late: LateResult) => void) | undefined;
  onPrompt?: ((prompt: MainPrompt) => void) | undefined;
  record?: ContextRecorder | undefined;
  onListenerError?: ListenerErrorHandler | undefined;
}
