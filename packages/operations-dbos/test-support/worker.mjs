// A worker: an engine on DBOS whose stores are with the process that started it, or in PostgreSQL.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createOperationRegistry, createRunEngine, OperationsError } from "@ccl/operations";
import { openPostgresOperationStores } from "@ccl/operations/postgres";
import pg from "pg";

const { openDbosWorker } = await import(process.env.CCL_BUILT);
const workerName = process.env.CCL_WORKER;
const pool = new pg.Pool({ connectionString: process.env.CCL_POSTGRES_URL, max: 6 });
pool.on("error", () => undefined);

const calls = new Map();
let lastCall = 0;
/** A store as seen from here: each call is a message, without its signal. */
const remote = (store, own = {}) =>
  new Proxy(own, {
    get: (_, method) =>
      method === "then" || method in own
        ? own[method]
        : (...args) =>
            new Promise((resolve, reject) => {
              const id = (lastCall += 1);
              calls.set(id, { resolve, reject });
              const plain = args.map((value) =>
                value?.signal ? { ...value, signal: undefined } : value,
              );
              process.send({ type: "call", id, store, method, args: plain });
            }),
  });
const stores =
  process.env.CCL_STORES === "postgres"
    ? await openPostgresOperationStores({ client: pool })
    : { runs: remote("runs", { chat: remote("chat") }) };
const { runs } = stores;

const registry = createOperationRegistry();
const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
/** Counts itself in the table, takes a time that differs each time, and gives what it sees of its dependencies. */
const count = async ({ runId, hook, attempt, definition, artifacts, chatHistory, main }) => {
  const { operationId } = definition;
  await pool.query("INSERT INTO executions VALUES ($1, $2, $3, $4, $5)", [
    runId,
    hook,
    operationId,
    attempt,
    workerName,
  ]);
  await pause();
  const seen = Object.values(artifacts)
    .filter(({ tag }) => tag !== definition.writesTag)
    .map(({ tag, value }) => `${tag}=${value}`)
    .sort();
  const value = `${operationId}(${[...seen, chatHistory.length, main?.text ?? "no answer yet"].join(", ")})`;
  const persisted = hook === "after_main_llm";
  const effects = [
    {
      type: "artifact.upsert",
      tag: definition.writesTag,
      persisted,
      usage: "internal",
      semantics: "state",
      value,
    },
  ];
  if (hook === "before_main_llm")
    effects.push({ type: "prompt.append_after_last_user", role: "developer", content: value });
  return { status: "done", effects };
};

// Two diamonds, so that ends come in another order each time.
const operations = [
  ["a", "before_main_llm", 5, []],
  ["b", "before_main_llm", 4, ["a"]],
  ["c", "before_main_llm", 3, ["a"]],
  ["d", "before_main_llm", 2, ["b", "c"]],
  ["e", "before_main_llm", 1, []],
  ["p", "after_main_llm", 3, []],
  ["q", "after_main_llm", 2, ["p"]],
  ["r", "after_main_llm", 1, ["p"]],
  ["s", "after_main_llm", 1, ["q", "r"]],
];
for (const [operationId] of operations) {
  registry.register(
    { operationId, kind: "counted", name: operationId, writesTag: operationId },
    count,
  );
}
const profile = {
  profileId: "counted",
  name: "Counted",
  enabled: true,
  operationProfileSessionId: "1",
  operations: operations.map(([operationId, hook, order, dependsOn]) => ({
    operationId,
    config: { enabled: true, required: true, hooks: [hook], order, dependsOn, params: {} },
  })),
};

const mainModel = {
  provider: "test",
  modelId: "echo",
  async generate({ messages }) {
    await pause();
    return {
      text: messages.map(({ role, content }) => `${role}: ${content}`).join("\n"),
      toolCalls: [],
      finishReason: "stop",
    };
  },
};

process.on("message", async (message) => {
  if (message.type === "reply") {
    const { resolve, reject } = calls.get(message.id);
    calls.delete(message.id);
    const { error } = message;
    if (error === undefined) resolve(message.value);
    else
      reject(
        error.code === undefined
          ? new Error(error.message)
          : new OperationsError(error.code, error.message),
      );
  }
  if (message.type === "start") {
    const run = await engine.start({
      trigger: "generate",
      chatId: message.chatId,
      branchId: "main",
      message: "Go.",
      profile,
    });
    process.send({ type: "started", value: run.runId });
    run.onEvent(({ type }) => process.send({ type: "event", value: type }));
  }
  if (message.type === "close") {
    await worker.close();
    await stores.close?.();
    await pool.end();
    process.disconnect();
  }
});

const worker = await openDbosWorker({
  dbos: DBOS,
  pool,
  runs,
});
const limits = { leaseMs: 900, pollMs: 50 };
const engine = createRunEngine({
  registry,
  mainModel,
  runs,
  executor: worker.executor,
  owner: workerName,
  limits,
});
process.send({ type: "open", value: workerName });
