import { createOperationStores, type RunResult, type RunStore } from "@ccl/operations";

/** A call that a worker makes. */
export interface StoreRequest {
  type: "call";
  id: number;
  store: string;
  method: string;
  args: unknown[];
}

/** What comes of it. */
export type StoreReply = { type: "reply"; id: number } & (
  | { value: unknown }
  | { error: { code: string | undefined; message: string } }
);

/** The stores of an engine in this process, for workers in others: they outlive every one of them. */
export interface SharedStores {
  runs: RunStore;
  /** How many calls workers have made so far. */
  readonly calls: number;
  answer(request: StoreRequest): Promise<StoreReply>;
  /** Resolves when the run has ended. */
  ended(runId: string): Promise<RunResult>;
}

/** Stores that all workers of a test share. With `forgetsSteps` a worker that takes a run over is told of no step. */
export function createSharedStores(options: { forgetsSteps?: boolean } = {}): SharedStores {
  const { runs, chat } = createOperationStores();
  const stores: Record<string, object> = { runs, chat };
  const waiting = new Map<string, (result: RunResult) => void>();
  let calls = 0;
  const call = async ({ store, method, args }: StoreRequest): Promise<unknown> => {
    const target = stores[store] ?? {};
    const own: unknown = Reflect.get(target, method);
    if (typeof own !== "function") throw new TypeError(`There is no ${store}.${method}.`);
    const value: unknown = await Reflect.apply(own, target, args);
    if (method === "loadRun" && options.forgetsSteps === true && value !== undefined)
      return Object.assign({}, value, { steps: [] });
    return value;
  };
  return {
    runs,
    get calls() {
      return calls;
    },
    async answer(request) {
      const { id } = request;
      calls += 1;
      try {
        const value = await call(request);
        if (request.method === "append") await settleEnded(runs, waiting);
        return { type: "reply", id, value };
      } catch (error) {
        const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
        const message = error instanceof Error ? error.message : String(error);
        return {
          type: "reply",
          id,
          error: { code: typeof code === "string" ? code : undefined, message },
        };
      }
    },
    async ended(runId) {
      const stored = await runs.loadRun(runId);
      if (stored?.result !== undefined) return stored.result;
      return new Promise((resolve) => waiting.set(runId, resolve));
    },
  };
}

async function settleEnded(
  runs: RunStore,
  waiting: Map<string, (result: RunResult) => void>,
): Promise<void> {
  for (const [runId, resolve] of waiting) {
    const stored = await runs.loadRun(runId);
    if (stored?.result === undefined) continue;
    waiting.delete(runId);
    resolve(stored.result);
  }
}
