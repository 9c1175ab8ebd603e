import { type Complete, createUuidV7Generator, withDefaults } from "@ccl/core";
import { callListener } from "@ccl/core/events";

import { createBuiltinOperations } from "../kinds/create-builtin-operations.ts";
import { maxValueChars } from "../artifact/is-larger-than.ts";
import type { BuiltinOperationsOptions, ModelResolver } from "../kinds/kind-options.ts";
import { OperationError } from "../kinds/operation-error.ts";
import { mainModelReference } from "../operation/turn-settings.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";
import { toRunClock } from "../ports/run-clock.ts";
import { refuse } from "../operations-error.ts";
import { createCompilerFitter } from "../prompt/create-compiler-fitter.ts";
import { createOperationRegistry } from "../profile/create-operation-registry.ts";
import { offloadValues } from "./artifact-values.ts";
import { boundStore } from "./bound-store.ts";
import { checkLimits } from "./check-limits.ts";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { EngineLimits, EngineServices, RunEngineOptions } from "./engine-options.ts";

const defaultLimits: Complete<Omit<EngineLimits, "concurrency" | "prompt">> = {
  graceMs: 2_000,
  leaseMs: 30_000,
  deltaIntervalMs: 50,
  pollMs: 500,
  maxEffectChars: maxValueChars,
  storeTimeoutMs: 60_000,
};
const maxRenewMs = 1_000;

/** Builds the services from the options and defaults. */
export function createServices(options: RunEngineOptions): EngineServices {
  const { registry = createOperationRegistry(), mainModel, onListenerError } = options;
  const { onPrompt, record, limits: given = {} } = options;
  checkLimits(given);
  const { concurrency, prompt, ...rest } = given;
  const limits = withDefaults(defaultLimits, rest);
  const clock = toRunClock(options.clock);
  // In-memory stores return immediately, so they need no time limit.
  const bound = <Store extends object>(store: Store): Store =>
    options.runs === undefined && options.artifacts === undefined
      ? store
      : boundStore(store, { clock, timeoutMs: limits.storeTimeoutMs });
  const stored = options.runs ?? createOperationStores().runs;
  if ("chat" in options && options.chat !== undefined && options.chat !== stored.chat)
    refuse("The engine uses the chat of its runs; pass the runs of the same stores.");
  const offloaded = options.artifacts && offloadValues(stored, options.artifacts);
  const runs = offloaded?.runs ?? stored;
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
    runs: bound(runs),
    chat: bound(runs.chat),
    sweepValues: offloaded?.sweep,
    limiter: createConcurrencyLimiter(concurrency),
    clock,
    ids: options.ids ?? createUuidV7Generator({ clock }),
    random: options.random ?? Math.random,
    fitter: options.promptFitter ?? createCompilerFitter(),
    limits: { ...limits, prompt },
    renewMs: Math.min(maxRenewMs, limits.leaseMs / 3),
    handlerOf: ({ handler, createHandler, definition }) =>
      handler ?? createHandler?.(forKinds) ?? byKind.get(definition.kind),
    isOwnerDead: async (owner) => (await options.isOwnerDead?.(owner)) ?? false,
    // A run must not hang if the error handler itself throws.
    onListenerError: onListenerError && ((error) => callListener(onListenerError, error)),
    onPrompt,
    record,
  };
}

const isList = <Item>(value: Item | readonly Item[]): value is readonly Item[] =>
  Array.isArray(value);

function builtinOptions(
  options: RunEngineOptions,
): BuiltinOperationsOptions & { models: ModelResolver } {
  const { models, retriever, counter, clock, random, promptHashKey } = options;
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
    counter,
    clock,
    random,
    promptHashKey,
  };
}
