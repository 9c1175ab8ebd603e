import { createScriptedModel, createSequentialIds, type ScriptedResponse } from "@ccl/core/testing";
import type { LanguageModel } from "@ccl/core";

import type { OperationEffect } from "../src/effects/operation-effect.ts";
import type {
  OperationConfig,
  OperationHandler,
  OperationOutcome,
} from "../src/operation/operation-definition.ts";
import type { ConversationStore } from "../src/ports/conversation-store.ts";
import { createOperationStores } from "../src/stores/create-operation-stores.ts";
import type { RunStore } from "../src/ports/run-store.ts";
import type { OperationProfile } from "../src/profile/operation-profile.ts";
import { createOperationRegistry } from "../src/profile/create-operation-registry.ts";
import type { OperationRegistry } from "../src/profile/registered-operation.ts";
import { createVirtualClock, type VirtualClock } from "../src/testing/create-virtual-clock.ts";
import { createRunEngine } from "../src/run/create-run-engine.ts";
import type { RunEngine } from "../src/run/run-engine.ts";
import type { RunEngineOptions, StartOptions } from "../src/run/engine-options.ts";

/** One operation of a scenario, with what matters to it alone. */
export interface ScenarioOperation extends Partial<OperationConfig> {
  id: string;
  kind?: string | undefined;
  /** What it gives, or its handler; default `done` without effects, for `llm` and `template` the kind's own handler. */
  does?: OperationOutcome | OperationHandler | undefined;
  writesTag?: string | undefined;
}

/** What tests vary. */
export interface ScenarioOptions extends Partial<Omit<RunEngineOptions, "registry" | "clock">> {
  operations?: readonly ScenarioOperation[] | undefined;
  answers?: readonly ScriptedResponse[] | undefined;
  clock?: VirtualClock | undefined;
}

/** An engine with everything that a test looks at. */
export interface Scenario {
  engine: RunEngine;
  registry: OperationRegistry;
  profile: OperationProfile;
  clock: VirtualClock;
  chat: ConversationStore;
  runs: RunStore;
  model: LanguageModel | readonly LanguageModel[];
  /** Options of a plain start. */
  start: StartOptions;
}

/** Done, with these effects. */
export function done(...effects: OperationEffect[]): OperationOutcome {
  return { status: "done", effects };
}

/** A write of an artifact with the usual fields. */
export function write(
  tag: string,
  value: unknown,
  rest: Record<string, unknown> = {},
): OperationEffect {
  return {
    type: "artifact.upsert",
    tag,
    value,
    persisted: true,
    usage: "internal",
    semantics: "state",
    ...rest,
  };
}

/** A registry with these operations. */
export function registryOf(operations: readonly ScenarioOperation[]): OperationRegistry {
  const registry = createOperationRegistry();
  for (const {
    id,
    kind = "compute",
    does = kind === "compute" ? done() : undefined,
    writesTag,
  } of operations) {
    const handler = typeof does === "object" ? async (): Promise<OperationOutcome> => does : does;
    registry.register(
      { operationId: id, kind, name: `Name of ${id}`, writesTag: writesTag || undefined },
      handler,
    );
  }
  return registry;
}

/** A profile of these operations. */
export function profileOf(operations: readonly ScenarioOperation[]): OperationProfile {
  return {
    profileId: "profile",
    name: "Profile",
    enabled: true,
    operationProfileSessionId: "session",
    operations: operations.map(({ id, kind: _kind, does: _does, writesTag: _tag, ...config }) => ({
      operationId: id,
      config: {
        enabled: true,
        required: false,
        hooks: ["before_main_llm"],
        order: 0,
        params: {},
        ...config,
      },
    })),
  };
}

/** An engine in virtual time, with its stores at hand. */
export function scenario(options: ScenarioOptions = {}): Scenario {
  const {
    operations = [],
    answers = ["The answer."],
    clock = createVirtualClock(1_000),
    ...rest
  } = options;
  const registry = registryOf(operations);
  const stores = createOperationStores(undefined, {
    preamble: [{ id: "sys", role: "system", content: "Be brief." }],
  });
  const runs = rest.runs ?? stores.runs;
  // Stores of tests keep conversations too.
  const chat = runs.chat as ConversationStore;
  const model = rest.mainModel ?? createScriptedModel(answers);
  const ids = rest.ids ?? createSequentialIds();
  const engine = createRunEngine({
    recover: false,
    ...rest,
    runs,
    ids,
    registry,
    mainModel: model,
    clock,
    random: () => 0.5,
  });
  const profile = profileOf(operations);
  const start: StartOptions = {
    trigger: "generate",
    chatId: "chat",
    branchId: "main",
    message: "Hello",
    profile,
  };
  return { engine, registry, profile, clock, chat, runs, model, start };
}
