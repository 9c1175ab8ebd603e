import type { Complete, IdGenerator, LanguageModel } from "@ccl/core";

import type { ModelResolver } from "../kinds/kind-options.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { TurnSettings } from "../operation/turn-settings.ts";
import type { ChatStore } from "../ports/chat-store.ts";
import type { PromptFitter } from "../ports/prompt-fitter.ts";
import type { RunClock } from "../ports/run-clock.ts";
import type { RunStore } from "../ports/run-store.ts";
import type { OperationRegistry, RegisteredOperation } from "../profile/registered-operation.ts";
import type { StoreCall } from "../ports/store-call.ts";
import type { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { EngineLimits, RunEngineOptions, TurnTool } from "./engine-options.ts";

/** Services shared by all runs of an engine. */
export interface EngineServices extends Pick<
  RunEngineOptions,
  "onPrompt" | "record" | "onListenerError"
> {
  registry: OperationRegistry;
  /** Models in order of preference. If one fails, the next is called. */
  mainModels: readonly LanguageModel[];
  models: ModelResolver;
  tools: readonly TurnTool[];
  /** Callbacks that wake operations in this process that wait for answers. */
  waiting: Set<() => void>;
  turn: TurnSettings;
  runs: RunStore;
  chat: ChatStore;
  /** Deletes long values that are no longer in use. Absent without an artifact store. */
  sweepValues?: ((call: StoreCall) => Promise<number>) | undefined;
  limiter: ConcurrencyLimiter;
  clock: RunClock;
  ids: IdGenerator;
  random: () => number;
  fitter: PromptFitter;
  limits: Complete<Omit<EngineLimits, "concurrency" | "prompt">> & Pick<EngineLimits, "prompt">;
  /** How often a worker renews its leases and checks for aborts from other processes. */
  renewMs: number;
  handlerOf(operation: RegisteredOperation): OperationHandler | undefined;
  isOwnerDead(owner: string): Promise<boolean>;
}
