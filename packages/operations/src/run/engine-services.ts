import type { Complete, IdGenerator, LanguageModel, ToolDefinition } from "@ccl/core";
import type { ToolBridge } from "@ccl/context-compiler/tool-interrupt";
import type { ListenerErrorHandler } from "@ccl/core/events";

import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import type { OperationPolicy } from "../operation/operation-context.ts";
import type { ModelResolver } from "../kinds/kind-options.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { ChatStore } from "../ports/chat-store.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";
import type { RunClock } from "../ports/run-clock.ts";
import type { RunExecutor } from "../ports/run-executor.ts";
import type { RunStore } from "../ports/run-store.ts";
import type { AssembledPrompt, PromptTrim } from "../prompt/assembled-prompt.ts";
import type { OperationRegistry } from "../registry/create-operation-registry.ts";
import type { RegisteredOperation } from "../registry/registered-operation.ts";
import type { OffloadedStores } from "./artifact-values.ts";
import type { ConcurrencyLimiter, ConcurrencyLimits } from "./concurrency-limiter.ts";
import type { OperationStatus } from "./run-result.ts";
import type { RunJournal } from "./run-journal.ts";

/** What an engine keeps within; every field has a default. */
export interface EngineLimits {
  /** Over all runs of the engine; default none. */
  concurrency?: ConcurrencyLimits | undefined;
  /** How long an aborted run waits for what does not heed its signal; default 2,000. */
  graceMs?: number | undefined;
  /** How long a worker is trusted to live after its last sign; default 30,000. */
  leaseMs?: number | undefined;
  /** How often a worker renews its leases and checks for aborts from other processes; default 1,000, limited to a third of `leaseMs`. */
  renewMs?: number | undefined;
  /** The shortest time between two `main_llm.delta` events; default 50. */
  deltaIntervalMs?: number | undefined;
  /** UTF-16 code units of one `main_llm.delta` at most; from 2, default 4,096. */
  maxDeltaChars?: number | undefined;
  /** Of an operation's summary, as JSON; default 4,096. */
  maxSummaryChars?: number | undefined;
  /** How long a client's request id is remembered; default 24 hours. */
  requestKeptMs?: number | undefined;
  /** How often a run that another worker carries out is looked at; default 500. */
  pollMs?: number | undefined;
  /** Characters of JSON that the effects of one operation may have, its artifact among them; default 250,000. */
  maxEffectChars?: number | undefined;
  /** How long a call of a store may take; default 60,000. Then the run ends as if the store had failed. */
  storeTimeoutMs?: number | undefined;
  /** The window of the main model; without it no prompt is cut. With it the engine's `promptFitter` decides what stays. */
  prompt?: PromptTrim | undefined;
}

/** A result that came after its run had ended, or after its attempt had timed out: dropped. */
export interface LateResult {
  runId: string;
  operationId: string;
  hook: Hook;
  attempt: number;
  status: OperationStatus;
}

/** The prompt of a main call as it is sent, and why it looks so. */
export interface MainPrompt extends AssembledPrompt {
  runId: string;
  /** From 1; more after a crash during the call. */
  attempt: number;
}

/** Functions, and bridges to tools that run elsewhere, such as `mcpToolBridge(client)`. */
export type TurnTool = ToolDefinition<never> | ToolBridge;

/** What all runs of an engine share. */
export interface EngineServices {
  registry: OperationRegistry;
  /** The first is asked, the next where it fails. */
  mainModels: readonly LanguageModel[];
  models: ModelResolver;
  tools: readonly TurnTool[];
  /** Wakes operations of this process that wait for answers. */
  waiting: Set<() => void>;
  turn: TurnSettings;
  runs: RunStore;
  chat: ChatStore;
  /** Deletes long values that nothing shows any more; absent without an artifact store. */
  sweepValues?: OffloadedStores["sweep"] | undefined;
  journal: RunJournal;
  limiter: ConcurrencyLimiter;
  clock: RunClock;
  ids: IdGenerator;
  random: () => number;
  renderer?: TemplateRenderer | undefined;
  fitter: PromptFitter;
  limits: Complete<Omit<EngineLimits, "concurrency" | "prompt">> & Pick<EngineLimits, "prompt">;
  /** As operations see them; frozen. */
  policies: Readonly<Record<Hook, OperationPolicy>>;
  /** Absent where the executor leaves attempts to the engine. */
  executeAttempt?: NonNullable<RunExecutor["executeAttempt"]> | undefined;
  handlerOf(operation: RegisteredOperation): OperationHandler | undefined;
  isOwnerDead(owner: string): Promise<boolean>;
  onLateResult?: ((late: LateResult) => void) | undefined;
  onPrompt?: ((prompt: MainPrompt) => void) | undefined;
  onListenerError?: ListenerErrorHandler | undefined;
}
