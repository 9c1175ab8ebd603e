// The same layered graph under each scheduler. `prepare` is not measured. `run` is, and resolves when everything has
// ended.
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { Effect } from "effect";
import { PGraph } from "p-graph";

import { createOperationRegistry, createRunEngine } from "../../packages/operations/dist/index.js";
import { fromSource } from "./from-source.mjs";

const { validateProfile } = await fromSource("packages/operations/src/profile/validate-profile.ts");

export const ours = "@ccl/operations";

/** Nodes in layers. Each waits for three of the layer before. */
export function layeredGraph(count, layers = 10) {
  const width = count / layers;
  return Array.from({ length: count }, (_, index) => {
    const [layer, at] = [Math.floor(index / width), index % width];
    const named = (offset) => `op${(layer - 1) * width + ((at + offset) % width)}`;
    return { id: `op${index}`, layer, dependsOn: layer === 0 ? [] : [0, 1, 2].map(named) };
  });
}

const model = {
  provider: "none",
  modelId: "none",
  generate: async () => ({ text: "ok", toolCalls: [], finishReason: "stop" }),
};

/** An engine with the graph as a profile, with options of `createRunEngine` and listeners of events. */
export function engineOf(graph, work, { listener, ...options } = {}) {
  const registry = createOperationRegistry();
  for (const { id } of graph) {
    registry.register({ operationId: id, kind: "compute", name: id }, async () => {
      work();
      return { status: "done" };
    });
  }
  const hooks = ["before_main_llm"];
  const checked = validateProfile(
    {
      profileId: "graph",
      name: "Graph",
      enabled: true,
      operationProfileSessionId: "1",
      operations: graph.map(({ id, dependsOn }, order) => ({
        operationId: id,
        config: { enabled: true, required: true, hooks, order, dependsOn, params: {} },
      })),
    },
    registry,
  );
  if (!checked.ok) throw new Error(checked.issues[0].message);
  const engine = createRunEngine({ registry, mainModel: model, ...options });
  return async (chatId) => {
    const start = {
      trigger: "generate",
      chatId,
      branchId: "main",
      message: "Hello",
      profile: checked.value,
    };
    const run = await engine.start(start);
    if (listener !== undefined) run.onEvent(listener);
    const { status } = await run.result;
    if (status !== "done") throw new Error(`The run was ${status}.`);
  };
}

function prepareOurs(graph, work, { concurrency, runs, listener } = {}) {
  const limits = { concurrency };
  let count = 0;
  let run;
  return () => {
    // The memory chat keeps every turn, so the engine is replaced from time to time.
    if (count % 500 === 0)
      run = engineOf(graph, work, {
        runs: runs?.(),
        limits,
        listener,
      });
    count += 1;
    return run(`chat ${count}`);
  };
}

/** A store that keeps nothing, so that only the engine is measured. */
function createForgetfulRunStore() {
  return {
    createRun: async ({ input, lease }) => ({
      status: "created",
      lease: {
        runId: input.runId,
        owner: lease.owner,
        fencingToken: 1,
        expiresAtMs: lease.nowMs + lease.ttlMs,
      },
    }),
    append: async () => ({ status: "appended" }),
    renewLease: async (lease) => ({ status: "renewed", lease }),
    chat: {
      loadTurn: async ({ userMessageId }) => ({
        userMessageId,
        position: 1,
        history: [{ id: userMessageId, role: "user", content: "Hello" }],
      }),
      keptState: async () => ({ heads: {}, shown: [], hidden: [] }),
    },
  };
}

/** Kahn's algorithm with a promise for each node and a map of results, and nothing else. */
function prepareKahn(graph, work) {
  const handler = async () => {
    work();
    return { status: "done" };
  };
  return async () => {
    const [left, dependents, results] = [new Map(), new Map(), new Map()];
    for (const { id, dependsOn } of graph) {
      left.set(id, dependsOn.length);
      for (const dependency of dependsOn) {
        const known = dependents.get(dependency);
        if (known) known.push(id);
        else dependents.set(dependency, [id]);
      }
    }
    let open = graph.length;
    await new Promise((resolve) => {
      const begin = (id) =>
        void handler(id).then(({ status }) => {
          results.set(id, status);
          for (const dependent of dependents.get(id) ?? []) {
            const waiting = left.get(dependent) - 1;
            left.set(dependent, waiting);
            if (waiting === 0) begin(dependent);
          }
          open -= 1;
          if (open === 0) resolve();
        });
      for (const { id, dependsOn } of graph) if (dependsOn.length === 0) begin(id);
    });
    return results;
  };
}

function prepareLayers(graph, work) {
  const layers = grouped(graph);
  const handler = async () => work();
  return async () => {
    for (const nodes of layers.values()) await Promise.all(nodes.map(handler));
  };
}

function grouped(graph) {
  const layers = new Map();
  for (const node of graph) layers.set(node.layer, [...(layers.get(node.layer) ?? []), node]);
  return layers;
}

function preparePGraph(graph, work, { concurrency } = {}) {
  const nodes = new Map(graph.map(({ id }) => [id, { run: async () => work() }]));
  const edges = graph.flatMap(({ id, dependsOn }) =>
    dependsOn.map((dependency) => [dependency, id]),
  );
  return () => new PGraph(nodes, edges).run(concurrency === undefined ? {} : { concurrency });
}

function prepareLangGraph(graph, work, { concurrency } = {}) {
  const builder = new StateGraph(
    Annotation.Root({ seen: Annotation({ reducer: (all, more) => all + more, default: () => 0 }) }),
  );
  for (const { id } of graph) {
    builder.addNode(id, async () => {
      work();
      return { seen: 1 };
    });
  }
  for (const { id, dependsOn } of graph)
    builder.addEdge(dependsOn.length === 0 ? START : dependsOn, id);
  const app = builder.compile();
  return () =>
    app.invoke({ seen: 0 }, { ...(concurrency !== undefined && { maxConcurrency: concurrency }) });
}

function prepareEffect(graph, work, { concurrency = "unbounded" } = {}) {
  const handler = Effect.promise(async () => work());
  const all = Effect.gen(function* () {
    const ended = new Map();
    for (const { id, dependsOn } of graph) {
      const before = Effect.all(
        dependsOn.map((dependency) => ended.get(dependency)),
        { concurrency, discard: true },
      );
      ended.set(id, yield* Effect.cached(Effect.andThen(before, handler)));
    }
    yield* Effect.all([...ended.values()], { concurrency, discard: true });
  });
  return () => Effect.runPromise(all);
}

/**
 * By name. `hasLimit` means that an option limits concurrency. `slowsPromises` means that the first run makes Node
 * track asynchronous contexts, which makes every later promise of the process slower.
 */
export const schedulers = {
  [ours]: { prepare: prepareOurs, hasLimit: true },
  "bare Kahn": { prepare: prepareKahn, hasLimit: false },
  "Promise.all by layers": { prepare: prepareLayers, hasLimit: false },
  "p-graph": { prepare: preparePGraph, hasLimit: true },
  Effect: { prepare: prepareEffect, hasLimit: true },
  "LangGraph JS": { prepare: prepareLangGraph, hasLimit: true, slowsPromises: true },
};

/** The engine with more and with less to store, to see what that costs. */
export const keepings = {
  "no store at all": (graph, work) => prepareOurs(graph, work, { runs: createForgetfulRunStore }),
  memory: (graph, work) => prepareOurs(graph, work),
  "memory, events heard": (graph, work) => prepareOurs(graph, work, { listener: () => {} }),
};
