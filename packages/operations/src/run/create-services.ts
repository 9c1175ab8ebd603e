import { createUuidV7Generator } from "@ccl/core";
import { callListener, type ListenerErrorHandler } from "@ccl/core/events";

import { allowedEffects } from "../operation/allowed-effects.ts";
import { createBuiltinOperations } from "../kinds/create-builtin-operations.ts";
import { maxValueChars } from "../artifact/max-value-chars.ts";
import type { BuiltinOperationsOptions, ModelResolver } from "../kinds/kind-options.ts";
import { OperationError } from "../kinds/operation-error.ts";
import type { Hook } from "../operation/operation-definition.ts";
import { mainModelReference } from "../operation/turn-settings.ts";
import type { OperationPolicy } from "../operation/operation-context.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";
import { toRunClock } from "../ports/run-clock.ts";
import { createCompilerFitter } from "../prompt/create-compiler-fitter.ts";
import { createOperationRegistry } from "../profile/create-operation-registry.ts";
import { offloadValues } from "./artifact-values.ts";
import { boundStore } from "./bound-store.ts";
import { checkLimits } from "./check-limits.ts";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { RunEngineOptions } from "./engine-options.ts";
import type { EngineServices } from "./engine-services.ts";

/** Builds the services from the options and their defaults. */
export function createServices(options: RunEngineOptions): EngineServices {
  const { registry = createOperationRegistry(), mainModel, limits = {}, renderer } = options;
  checkLimits(limits);
  const clock = toRunClock(options.clock);
  const storeTimeoutMs = limits.storeTimeoutMs ?? 60_000;
  // In-memory stores return immediately, so they need no time limit.
  const bound = <Store extends object>(given: Store | undefined, store: Store): Store =>
    given === undefined && options.artifacts === undefined
      ? store
      : boundStore(store, { clock, timeoutMs: storeTimeoutMs });
  const own = createOperationStores();
  const stores = { runs: options.runs ?? own.runs, chat: options.chat ?? own.chat };
  const offloaded = options.artifacts && offloadValues(stores, options.artifacts);
  const runs = bound(options.runs, offloaded?.runs ?? stores.runs);
  const { concurrency, maxSummaryChars = 4_096, leaseMs = 30_000 } = limits;
  const forKinds = builtinOptions(options);
  const builtin = createBuiltinOperations(forKinds);
  const byKind = new Map(Object.entries(builtin.handlers));
  return {
    registry,
    mainModels: isList(mainModel) ? mainModel : [mainModel],
    models: forKinds.models,
    tools: options.tools ?? [],
    waiting: new Set(),
    turn: options.turn ?? {},
    runs,
    chat: bound(options.chat, offloaded?.chat ?? stores.chat),
    keepsChat: stores.runs.chat === stores.chat,
    sweepValues: offloaded?.sweep,
    limiter: createConcurrencyLimiter(concurrency),
    clock,
    ids: options.ids ?? createUuidV7Generator({ clock }),
    random: options.random ?? Math.random,
    renderer,
    fitter: options.promptFitter ?? createCompilerFitter(),
    limits: {
      graceMs: limits.graceMs ?? 2_000,
      leaseMs,
      renewMs: Math.min(limits.renewMs ?? 1_000, leaseMs / 3),
      deltaIntervalMs: limits.deltaIntervalMs ?? 50,
      maxDeltaChars: limits.maxDeltaChars ?? 4_096,
      requestKeptMs: limits.requestKeptMs ?? 24 * 60 * 60 * 1_000,
      pollMs: limits.pollMs ?? 500,
      maxEffectChars: limits.maxEffectChars ?? maxValueChars,
      storeTimeoutMs,
      prompt: limits.prompt,
      maxSummaryChars,
    },
    policies: {
      before_main_llm: policyOf("before_main_llm", { maxSummaryChars }),
      after_main_llm: policyOf("after_main_llm", { maxSummaryChars }),
    },
    handlerOf: ({ handler, createHandler, definition }) =>
      handler ?? createHandler?.(forKinds) ?? byKind.get(definition.kind),
    isOwnerDead: async (owner) => (await options.isOwnerDead?.(owner)) ?? false,
    onLateResult: options.onLateResult,
    onListenerError: options.onListenerError && neverThrowing(options.onListenerError),
    onPrompt: options.onPrompt,
    record: options.record,
  };
}

function policyOf(hook: Hook, limits: Omit<OperationPolicy, "allowedEffects">): OperationPolicy {
  return Object.freeze({ allowedEffects: allowedEffects[hook], ...limits });
}

/** Wraps the error handler, so that a run cannot hang if it throws. */
function neverThrowing(onListenerError: ListenerErrorHandler): ListenerErrorHandler {
  return (error) => callListener(onListenerError, error);
}

const isList = <Item>(value: Item | readonly Item[]): value is readonly Item[] =>
  Array.isArray(value);

function builtinOptions(
  options: RunEngineOptions,
): BuiltinOperationsOptions & { models: ModelResolver } {
  const { models, retriever, renderer, counter, clock, random, promptHashKey } = options;
  const [mainModel] = isList(options.mainModel) ? options.mainModel : [options.mainModel];
  return {
    models(reference) {
      if (reference.providerRef === mainModelReference.providerRef && mainModel !== undefined)
        return mainModel;
      if (models !== undefined) return models(reference);
      const message = `The engine has no models for ${JSON.stringify(reference.providerRef)}; give it some as models.`;
      throw new OperationError("validation_error", message);
    },
    retriever,
    liquid: renderer,
    counter,
    clock,
    random,
    promptHashKey,
  };
}
