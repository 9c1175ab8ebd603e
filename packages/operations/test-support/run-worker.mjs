// A worker of its own process: carries out the run that CCL_WORK names, on the built package. It says each result as a
// line of JSON, and kills itself at the point with the number `killAt`: points are the begin and the end of every call
// of a store and of every operation. With `isStanding` it lives on: each line of its input names a chat to answer in, and
// how many points later it kills itself.
import { createInterface } from "node:readline";
import { transaction } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import pg from "pg";
import { createOperationRegistry, createRunEngine } from "../dist/index.js";
import { openPostgresOperationStores } from "../dist/postgres/index.js";
import { openSqliteOperationStores } from "../dist/sqlite/index.js";

const {
  place,
  schema,
  runId,
  isForgetful,
  isStanding,
  recover,
  leaseMs = 300,
  profile,
  ...work
} = JSON.parse(process.env.CCL_WORK ?? "{}");

let { chatId = "any", killAt = -1 } = work;
let points = 0;
const point = () => {
  if (points === killAt) process.kill(process.pid, "SIGKILL");
  points += 1;
};
const watched = (store) =>
  Object.fromEntries(
    Object.entries(store).map(([name, call]) => [
      name,
      async (...parameters) => {
        point();
        try {
          return await call(...parameters);
        } finally {
          point();
        }
      },
    ]),
  );

async function openPlace() {
  if (schema === undefined) {
    const database = await openSqlite({ path: place, durability: "off" });
    const insert = "INSERT INTO executions (chat_id, operation_id, worker) VALUES (?, ?, ?)";
    return {
      stores: await openSqliteOperationStores({ client: database }),
      record: (...row) => transaction(database, (on) => void on.prepare(insert).run(...row)),
      close: async () => database.close(),
    };
  }
  const client = new pg.Pool({
    connectionString: place,
    options: `-c search_path=${schema}`,
    max: 6,
  });
  const insert = "INSERT INTO executions (chat_id, operation_id, worker) VALUES ($1, $2, $3)";
  return {
    stores: await openPostgresOperationStores({ client }),
    record: (...row) => client.query(insert, row),
    close: () => client.end(),
  };
}

const { stores, record, close } = await openPlace();
const registry = createOperationRegistry();
const valueOf = (tag, artifacts) => artifacts?.[tag]?.value ?? "";
for (const { operationId } of profile.operations) {
  const tag = operationId.replace("app:", "");
  registry.register(
    { operationId, kind: "compute", name: tag, writesTag: tag },
    async ({ artifacts, main, hook }) => {
      point();
      await record(chatId, operationId, process.pid);
      const seen = Object.keys(artifacts ?? {}).sort();
      const value = `${tag}(${seen.map((name) => valueOf(name, artifacts)).join(",")})${main?.text ?? ""}`;
      point();
      const effects = [
        {
          type: "artifact.upsert",
          tag,
          persisted: true,
          usage: "prompt+ui",
          semantics: "state",
          value,
        },
      ];
      if (hook === "after_main_llm")
        effects.push({ type: "turn.assistant_meta", meta: { [tag]: value } });
      return { status: "done", effects };
    },
  );
}
const mainModel = {
  id: "test",
  async generate() {
    await record(chatId, "main", process.pid);
    return { text: "The answer.", toolCalls: [], finishReason: "stop" };
  },
};
const append = (one, call) => stores.runs.append(isForgetful ? { ...one, steps: [] } : one, call);
const { chat: _, ...calls } = stores.runs;
const chat = watched(stores.chat);
const runs = { ...watched({ ...calls, append }), chat };
const engine = createRunEngine({
  ...stores,
  registry,
  mainModel,
  runs,
  chat,
  limits: { leaseMs, pollMs: 20 },
  recover,
});
const turn = {
  trigger: "generate",
  branchId: "main",
  message: "Hello",
  clientRequestId: "one",
};
if (isStanding) {
  process.stdout.write("ready\n");
  for await (const line of createInterface({ input: process.stdin })) {
    ({ chatId, killAt } = JSON.parse(line));
    points = 0;
    await engine.start({ ...turn, chatId, profile });
  }
}
const handle =
  runId === undefined
    ? await engine.start({ ...turn, chatId, profile })
    : await engine.resume(runId);
const result = await handle.result;
await stores.close();
await close();
process.stdout.write(`${JSON.stringify({ result, points })}\n`);
