// Compares the engine of operations with schedulers that do less, and measures its other costs: durable runs, many
// runs, prompts, templates.
import { setMaxListeners } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { createOperationStores, readState } from "../packages/operations/dist/index.js";
import { diffArtifactVersions } from "../packages/operations/dist/diff/index.js";
import { createTemplateRenderer } from "../packages/operations/dist/liquid/index.js";
import { openPostgresOperationStores } from "../packages/operations/dist/postgres/index.js";
import { assemblePrompt } from "../packages/operations/dist/prompt/index.js";
import { openSqliteOperationStores } from "../packages/operations/dist/sqlite/index.js";
import {
  engineOf,
  keepings,
  layeredGraph,
  ours,
  schedulers,
} from "./lib/operations-schedulers.mjs";
import { table } from "./lib/figures.mjs";

const sizes = [100, 1_000];
const budgetMs = 4_000;
const warmUpMs = 1_500;
const turns = 3;
const manyRuns = 500;
const versions = 10_000;

// LangGraph adds a listener for each node to one signal, and Node would warn about that.
setMaxListeners(0);
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
const requireOfPackage = createRequire(
  new URL("../packages/operations/package.json", import.meta.url),
);

/** The section of RESULTS.md. */
export async function run() {
  const others = [
    "What the engine's keeping costs; processor time:",
    await keepingTable(),
    "Durable, every write awaited: one run of 10 operations, and 500 of them at once, each in its own chat:",
    await durableTable(),
    ...(await upsertParts()),
    "Templates, prompts and history:",
    await otherTable(),
  ];
  const parts = [
    "No-op operations in 10 layers, each waiting for three of the layer before. Medians in processor time of all threads, so that garbage collection counts and other processes do not. Ours validates nothing again, keeps events, steps and results in records in memory, reads and commits the session, and makes the main call. Heap: what one run of 100 adds before any collection:",
    await schedulerTable(),
    ...others,
  ];
  return { title: "Operations", markdown: parts.join("\n\n") };
}

/** Schedulers that slow promises are measured last. */
async function schedulerTable() {
  const byName = new Map(Object.keys(schedulers).map((name) => [name, []]));
  for (const isLast of [false, true]) {
    const measured = Object.entries(schedulers).filter(
      ([, { slowsPromises = false }]) => slowsPromises === isLast,
    );
    for (const size of sizes) {
      const graph = layeredGraph(size);
      const runs = measured.map(([name, { prepare }]) => [name, prepare(graph, () => {})]);
      const medians = await mediansOf(runs, size === 100 ? 10 : 2);
      for (const [name, median] of medians) byName.get(name).push(median);
    }
  }
  const [kahn, own] = [byName.get("bare Kahn"), byName.get(ours)];
  const rows = [];
  for (const [name, [small, large]] of byName) {
    rows.push([
      name,
      milliseconds(small),
      milliseconds(large),
      times(large / small),
      times(small / kahn[0]),
      times(small / own[0]),
      await heapKilobytes(schedulers[name].prepare(layeredGraph(100), () => {})),
      await ranUnderLimit(schedulers[name]),
    ]);
  }
  const columns = [
    "100, ms",
    "1,000, ms",
    "1,000 / 100",
    "100 over Kahn",
    "100 over ours",
    "heap, KB",
  ];
  return table(["", ...columns, "ran of 100 under a limit of 1"], rows);
}

/** How many nodes ran with a concurrency of one. Shows a scheduler that gives up silently. */
async function ranUnderLimit({ prepare, hasLimit }) {
  if (!hasLimit) return "no limit";
  let ran = 0;
  const start = prepare(layeredGraph(100), () => (ran += 1), { concurrency: 1 });
  try {
    await start();
  } catch (error) {
    return `${ran}, then ${error.constructor.name}`;
  }
  return ran;
}

async function heapKilobytes(start) {
  for (let count = 0; count < 5; count += 1) await start();
  const grown = [];
  for (let count = 0; count < 5; count += 1) {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await start();
    grown.push((process.memoryUsage().heapUsed - before) / 1024);
  }
  return medianOf(grown).toFixed(0);
}

async function keepingTable() {
  const graph = layeredGraph(100);
  const runs = Object.entries(keepings).map(([name, prepare]) => [name, prepare(graph, () => {})]);
  const medians = await mediansOf(runs, 10);
  return table(
    ["", "100, ms"],
    [...medians].map(([name, median]) => [name, milliseconds(median)]),
  );
}

/**
 * In turns, so that a busy moment of the machine affects all of them. Each turn starts with a garbage collection, for
 * the garbage of the others, and a warm-up, because a collection discards compiled code. The first warm-up is the
 * longest.
 */
async function mediansOf(runs, inRound) {
  const taken = new Map(runs.map(([name]) => [name, []]));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, start] of runs) {
      collectGarbage();
      await runFor(start, turn === 0 ? warmUpMs : warmUpMs / 4);
      const endsAt = performance.now() + budgetMs / runs.length / turns;
      do taken.get(name).push(await processorMs(start, inRound));
      while (performance.now() < endsAt);
    }
  }
  return new Map([...taken].map(([name, times]) => [name, medianOf(times)]));
}

/** The time of one run in a round of several. */
async function processorMs(start, inRound) {
  const before = process.cpuUsage();
  for (let count = 0; count < inRound; count += 1) await start();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / inRound;
}

async function runFor(start, milliseconds) {
  const endsAt = performance.now() + milliseconds;
  do await start();
  while (performance.now() < endsAt);
}

async function durableTable() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-bench-operations-"));
  const rows = [["memory", ...(await durableFigures({}))]];
  const stores = await openSqliteOperationStores({ path: path.join(folder, "runs.db") });
  try {
    rows.push(["SQLite", ...(await durableFigures(stores))]);
  } finally {
    await stores.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  const url = process.env.CCL_POSTGRES_URL;
  if (url !== undefined) rows.push(["PostgreSQL", ...(await onPostgres(url, durableFigures))]);
  return table(["store", "one run, ms", `${manyRuns} at once, ms`, "runs a second"], rows);
}

/** In a separate schema, which is dropped afterwards. */
async function onPostgres(url, measure) {
  const { Pool } = requireOfPackage("pg");
  const schema = `ccl_bench_${process.pid}`;
  const admin = new Pool({ connectionString: url, max: 1 });
  await admin.query(`CREATE SCHEMA ${schema}`);
  const pool = new Pool({ connectionString: url, max: 8, options: `-c search_path=${schema}` });
  try {
    const stores = await openPostgresOperationStores({ client: pool });
    const figures = await measure(stores, pool);
    await stores.close();
    return figures;
  } finally {
    await pool.end();
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  }
}

async function upsertParts() {
  const url = process.env.CCL_POSTGRES_URL;
  if (url === undefined) return [];
  const columns = [
    "operations",
    "a run, ms",
    "an operation, ms",
    "an upsert, ms",
    "run over upserts",
  ];
  return [
    "Durable runs on PostgreSQL, alternating with one upsert for each of their operations, every write awaited:",
    table(columns, await onPostgres(url, upsertRows)),
  ];
}

async function upsertRows({ runs, chat, profiles }, pool) {
  await pool.query("CREATE TABLE upserts (id text PRIMARY KEY, body text NOT NULL)");
  const upsert =
    "INSERT INTO upserts VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET body = excluded.body";
  const rows = [];
  for (const size of sizes) {
    const start = engineOf(layeredGraph(size), () => {}, { runs, chat, profiles });
    const upsertEach = async (round) => {
      for (let at = 0; at < size; at += 1)
        await pool.query(upsert, [`${round} ${at}`, '{"status":"done"}']);
    };
    const [ofRuns, ofUpserts] = [[], []];
    for (let round = 0; round < (size === 100 ? 25 : 12); round += 1) {
      const [run, upserts] = [
        await timeOf(() => start(`${size} ${round}`)),
        await timeOf(() => upsertEach(round)),
      ];
      if (round < 5) continue;
      ofRuns.push(run);
      ofUpserts.push(upserts);
    }
    const [run, upserts] = [medianOf(ofRuns), medianOf(ofUpserts)];
    const each = [run / size, upserts / size].map(milliseconds);
    rows.push([size.toLocaleString("en"), milliseconds(run), ...each, (run / upserts).toFixed(2)]);
  }
  return rows;
}

async function durableFigures({ runs, chat, profiles }) {
  const ports = runs === undefined ? {} : { runs, chat, profiles };
  const start = engineOf(layeredGraph(10), () => {}, ports);
  for (let warm = 0; warm < 5; warm += 1) await start(`warm ${warm}`);
  const alone = [];
  for (let count = 0; count < 20; count += 1)
    alone.push(await timeOf(() => start(`alone ${count}`)));
  const chats = Array.from({ length: manyRuns }, (_, index) => `many ${index}`);
  const together = await timeOf(() => Promise.all(chats.map(start)));
  return [
    milliseconds(medianOf(alone)),
    together.toFixed(0),
    ((manyRuns / together) * 1_000).toFixed(0),
  ];
}

async function otherTable() {
  const template =
    "{% for entry in art.world.log %}{{ entry.who }}: {{ entry.text | upcase }}\n{% endfor %}{{ art.world.weather }}";
  const log = Array.from({ length: 20 }, (_, at) => ({
    who: `guest ${at}`,
    text: "enters the hall",
  }));
  const scope = { art: { world: { log, weather: "rain" } } };
  const cached = createTemplateRenderer();
  const { Liquid } = requireOfPackage("liquidjs");
  const library = new Liquid();
  const rows = [
    [
      "template with a loop of 20",
      await medianOfCalls(() => must(cached.render(template, scope)), 200),
    ],
    [
      "the same, a new renderer for each",
      await medianOfCalls(() => must(createTemplateRenderer().render(template, scope)), 20),
    ],
    [
      "liquidjs alone, parseAndRenderSync",
      await medianOfCalls(() => library.parseAndRenderSync(template, scope), 200),
    ],
  ];
  for (const messages of [1_000, 10_000]) {
    const options = promptOf(messages);
    const name = `assemblePrompt, ${messages.toLocaleString("en")} messages, 50 effects`;
    rows.push([name, await medianOfCalls(() => must(assemblePrompt(options)), 3)]);
  }
  const calls = [...rows, await diffRow()].map(([name, median]) => [name, milliseconds(median)]);
  return table(["", "ms"], [...calls, ...(await historyRows())]);
}

/** A log that drops its oldest entry for each new one. */
async function diffRow() {
  const log = Array.from({ length: versions + 1 }, (_, at) => ({ who: `guest ${at}` }));
  const stamp = { tag: "log", persisted: true, usage: "internal", semantics: "log/feed" };
  const written = { ...stamp, runId: "run", writtenAt: 0 };
  const history = [{ version: 1, runId: "run", writtenAt: 0, value: log.slice(0, -1) }];
  const artifact = { ...written, version: 2, parentVersion: 1, value: log.slice(1), history };
  const { lines } = must(diffArtifactVersions(artifact));
  const changed = lines.filter(({ kind }) => kind !== "same").length;
  if (changed > 10) throw new Error(`${changed} lines where one entry went and one came.`);
  const name = `diffArtifactVersions, a list of ${versions.toLocaleString("en")}, one gone and one new`;
  return [name, await medianOfCalls(() => must(diffArtifactVersions(artifact)), 3)];
}

function must(result) {
  if (!result.ok) throw new Error(result.issues[0].message);
  return result.value;
}

function promptOf(messages) {
  const base = Array.from({ length: messages }, (_, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at} of a long talk about the weather in the mountains.`,
  }));
  const effects = Array.from({ length: 50 }, (_, at) => ({
    operationId: `op${at}`,
    effect: {
      type: "prompt.insert_at_depth",
      depthFromEnd: -at,
      role: "system",
      content: `Note ${at}.`,
    },
  }));
  return {
    base: [...base, { id: "last", role: "user", content: "And now?" }],
    effects,
    inclusions: [],
  };
}

async function historyRows() {
  const { runs, chat } = createOperationStores();
  const branch = { chatId: "chat", branchId: "main" };
  const key = { ...branch, profileId: "profile", operationProfileSessionId: "1" };
  const session = JSON.stringify(["profile", "1"]);
  const commit = async (version) => {
    const value = {
      tag: "mood",
      persisted: true,
      usage: "internal",
      semantics: "state",
      value: { mood: version },
    };
    const turn = { ...branch, userMessageId: `turn ${version}` };
    const runId = `run ${version}`;
    const input = { ...turn, runId, formatVersion: 1, trigger: "generate", userMessage: "" };
    const ended = { runId, status: "done", finishedAt: version, mainLlm: { executed: false } };
    const lease = { owner: "bench", ttlMs: 1, nowMs: version };
    const { lease: granted } = await runs.createRun({ input, lease });
    await runs.append({
      ...granted,
      events: [],
      steps: [],
      result: ended,
      commit: {
        ...turn,
        runId,
        hook: "before_main_llm",
        writtenAt: version,
        operations: [{ operationId: "mood", effects: [], write: { value, version } }],
        state: { runId, session, heads: {} },
      },
    });
  };
  const block = versions / 10;
  const times = [];
  for (let version = 1; version <= versions; version += 1)
    times.push(await timeOf(() => commit(version)));
  const artifacts = await readState(chat, key);
  const readMs = await medianOfCalls(() => readState(chat, key), 50);
  if (artifacts[0].version !== versions)
    throw new Error(`Version ${artifacts[0].version} instead of ${versions}.`);
  return [
    [
      `turn and write of an artifact, versions 1 to ${block.toLocaleString("en")}`,
      medianOf(times.slice(0, block)).toFixed(4),
    ],
    [
      `the same, the last ${block.toLocaleString("en")} of ${versions.toLocaleString("en")}`,
      medianOf(times.slice(-block)).toFixed(4),
    ],
    [
      `read at ${versions.toLocaleString("en")} versions, ${artifacts[0].history.length} kept`,
      milliseconds(readMs),
    ],
  ];
}

async function medianOfCalls(action, calls) {
  const times = [];
  for (let round = 0; round < 12; round += 1) {
    const took = await timeOf(async () => {
      for (let call = 0; call < calls; call += 1) await action();
    });
    if (round >= 3) times.push(took / calls);
  }
  return medianOf(times);
}

async function timeOf(action) {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

const medianOf = (values) =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
const milliseconds = (value) => value.toFixed(value < 1 ? 3 : 1);
const times = (ratio) => ratio.toFixed(1);

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { title, markdown } = await run();
  console.log(`${title}\n\n${markdown}`);
}
