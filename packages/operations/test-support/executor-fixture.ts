import type { LanguageModel, ModelResponse } from "@ccl/core";
import { withTimeout } from "@ccl/core/async";

import { type OperationSettings, defineProfile } from "../src/define/define-profile.ts";
import { custom } from "../src/define/operations.ts";
import type { OperationHandler } from "../src/operation/operation-definition.ts";
import type { RunExecutor } from "../src/ports/run-executor.ts";
import type { RunStore } from "../src/ports/run-store.ts";
import type { OperationProfile } from "../src/profile/operation-profile.ts";
import { createOperationRegistry } from "../src/profile/create-operation-registry.ts";
import type { RunEngine } from "../src/run/run-engine.ts";
import type { RunEngineOptions, StartOptions } from "../src/run/engine-options.ts";
import { deferred, type RunHandle } from "../src/run/live-run.ts";
import type { RunResult } from "../src/events/run-event.ts";

/** An executor and its engine. */
interface OpenedExecutor {
  engine: RunEngine;
  /** The executor of the engine. */
  executor: RunExecutor;
  /** The run store of the engine. */
  runs: RunStore;
}

/** How the kit opens and closes an executor. */
export interface RunExecutorConformanceOptions {
  /**
   * Opens an engine with these options, an executor that has no run yet, and empty stores. Called once for each rule.
   */
  open(options: Pick<RunEngineOptions, "registry" | "mainModel">): Promise<OpenedExecutor>;
  /** Called at the end of each rule with the result of `open`. */
  close?(opened: OpenedExecutor): Promise<void>;
  /** How long a rule waits for what must happen. 30,000 ms by default. */
  timeoutMs?: number | undefined;
}

/** Operations of a rule by id: what each does, and how it is configured. */
type FixtureOperations = Readonly<Record<string, OperationSettings & { does: OperationHandler }>>;

/** What a rule observes an executor with. */
export interface ExecutorFixture extends OpenedExecutor {
  /** Each call of a handler, as `operationId/attempt`, in the order in which the calls began. */
  readonly begun: readonly string[];
  /** Resolves when the first call begins. */
  readonly firstBegun: Promise<void>;
  profileOf(operations: FixtureOperations): OperationProfile;
  start(operations: FixtureOperations, options?: Partial<StartOptions>): Promise<RunHandle>;
  /** Starts a run and waits for its end. */
  run(operations: FixtureOperations, options?: Partial<StartOptions>): Promise<RunResult>;
  /** Rejects if the promise takes too long. */
  within<T>(promise: Promise<T>): Promise<T>;
  /** Ends runs that a broken executor has left unfinished. */
  close(): Promise<void>;
}

/** Opens an executor for one rule. */
export async function openFixture({
  open,
  close,
  timeoutMs = 30_000,
}: RunExecutorConformanceOptions): Promise<ExecutorFixture> {
  const registry = createOperationRegistry();
  const begun: string[] = [];
  const firstBegun = deferred<void>();
  const started: RunHandle[] = [];
  const opened = await open({ registry, mainModel: answering });
  const onTimeout = (): Error => new Error(`Nothing has come of it in ${timeoutMs} ms.`);
  const within = <T>(promise: Promise<T>): Promise<T> =>
    withTimeout(() => promise, { timeoutMs, onTimeout });
  const fixture: ExecutorFixture = {
    ...opened,
    begun,
    firstBegun: firstBegun.promise,
    within,
    profileOf(operations) {
      const specs = Object.entries(operations).map(([id, { does, ...settings }]) => {
        const handler: OperationHandler = (context) => {
          begun.push(`${id}/${context.attempt}`);
          firstBegun.resolve();
          return does(context);
        };
        return [id, custom(handler, { required: false, ...settings })] as const;
      });
      const profile = defineProfile({ id: "rules", operations: Object.fromEntries(specs) });
      registry.define(profile);
      return profile;
    },
    async start(operations, options) {
      const turn = { chatId: "chat", message: "Hello.", profile: fixture.profileOf(operations) };
      const run = await within(opened.engine.start({ ...turn, ...options }));
      started.push(run);
      return run;
    },
    async run(operations, options) {
      return within((await fixture.start(operations, options)).result);
    },
    async close() {
      for (const run of started) run.abort();
      await close?.(opened);
    },
  };
  return fixture;
}

const answer: ModelResponse = { text: "Answer.", toolCalls: [], finishReason: "stop" };
const answering: LanguageModel = {
  provider: "rules",
  modelId: "answer",
  generate: async () => answer,
};
