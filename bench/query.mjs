// Compares query plans with the same work by hand: SQL over a million rows, how much data conditions keep from moving,
// a join of three sources next to plain JavaScript, and the check of a plan of 50 steps. CCL_QUERY_ROWS sets the number
// of rows.
import { pathToFileURL } from "node:url";

import {
  createMemoryConnector,
  executePlan,
  explainPlan,
  parseLogicalPlan,
  runSql,
  sqlConnector,
} from "../packages/query/dist/index.js";
import { openDuckDbEngine } from "../packages/query/dist/duckdb/index.js";
import { openSqlite } from "../packages/sql/dist/node/index.js";
import { table } from "./lib/figures.mjs";

const rowCount = Number(process.env.CCL_QUERY_ROWS ?? 1_000_000);
const rounds = 15;
const limits = { rows: Infinity };

const orders = {
  id: "res:orders",
  uri: "ada://any/db/main/orders",
  kind: "tabular",
  title: "orders",
  columns: [
    { name: "id", type: "int", pk: true },
    { name: "customer", type: "int" },
    { name: "day", type: "date" },
    { name: "amount", type: "float" },
    { name: "status", type: "text" },
  ],
};
const customers = {
  id: "res:customers",
  uri: "memory:customers",
  kind: "tabular",
  title: "customers",
  columns: [
    { name: "key", type: "int", pk: true },
    { name: "city", type: "text" },
  ],
};
const cities = {
  id: "res:cities",
  uri: "other:cities",
  kind: "tabular",
  title: "cities",
  columns: [
    { name: "name", type: "text", pk: true },
    { name: "country", type: "text" },
  ],
};
const details = [orders, customers, cities];

const statuses = ["paid", "open", "failed", "returned"];
const customerRows = Array.from({ length: 10_000 }, (_, key) => ({
  key,
  city: `city ${key % 200}`,
}));
const cityRows = Array.from({ length: 200 }, (_, index) => ({
  name: `city ${index}`,
  country: `country ${index % 12}`,
}));

/** The section of RESULTS.md. */
export async function run() {
  const database = await openSqlite({ path: ":memory:" });
  const engine = await openDuckDbEngine();
  try {
    fill(database);
    const connectors = {
      "ada://any/db/main": sqlConnector(database),
      memory: createMemoryConnector({ "res:customers": customerRows }),
      other: createMemoryConnector({ "res:cities": cityRows }),
    };
    const setting = { database, engine, connectors };
    const parts = [
      `SQLite in memory, ${rowCount.toLocaleString("en-US")} rows, median of ${rounds} interleaved rounds. By hand: the SQL that people would write, with its rows as objects:`,
      await overheadTable(setting),
      "The rows that leave the sources with conditions and without, and the time of the whole plan:",
      await movedTable(setting),
      "Three sources (SQLite, two in memory), joined and grouped. Plain JavaScript reads the same rows of SQLite and joins with maps:",
      await joinTable(setting),
      "A plan of 50 steps (filter, project, join, aggregate in turn), reading the YAML and checking it:",
      checkTable(),
    ];
    return { title: "Query plans", markdown: parts.join("\n\n") };
  } finally {
    await engine.close();
    database.close();
  }
}

function fill(database) {
  database.exec(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, day TEXT, amount REAL, status TEXT)",
  );
  database.exec("BEGIN");
  const insert = database.prepare("INSERT INTO orders VALUES (?, ?, ?, ?, ?)");
  for (let id = 0; id < rowCount; id += 1) {
    const day = new Date(Date.UTC(2025, 0, 1 + (id % 365))).toISOString().slice(0, 10);
    insert.run(
      id,
      (id * 7_919) % customerRows.length,
      day,
      ((id * 31) % 10_000) / 4,
      statuses[id % statuses.length],
    );
  }
  database.exec("COMMIT");
}

const overheads = {
  "aggregate by day": {
    plan: "scan(res:orders, day, amount, status) -> filter(status = 'paid') -> agg(day, sum(amount) as revenue, count() as n) -> sort(day)",
    sql: "SELECT day, sum(amount) AS revenue, count(*) AS n FROM orders WHERE status = 'paid' GROUP BY day ORDER BY day",
  },
  "top 100 rows": {
    plan: "scan(res:orders) -> filter(amount > 100) -> sort(amount desc, id) -> limit(100)",
    sql: "SELECT * FROM orders WHERE amount > 100 ORDER BY amount DESC, id LIMIT 100",
  },
  "all rows, two columns": {
    plan: "scan(res:orders, id, amount)",
    sql: "SELECT id, amount FROM orders",
  },
};

async function overheadTable({ database, connectors, engine }) {
  const lines = [];
  for (const [name, { plan, sql }] of Object.entries(overheads)) {
    const parsed = planOf(plan);
    const times = await medians({
      plan: async () =>
        (await (await executePlan(parsed, { details, connectors, engine, limits })).all()).length,
      sql: async () => (await runSql(sql, { details, connectors, limits })).length,
      "by hand": () => database.prepare(sql).all().length,
    });
    lines.push([name, ms(times["by hand"]), ms(times.sql), ms(times.plan)]);
  }
  return table(["query", "by hand, ms", "the same SQL by runSql, ms", "plan, ms"], lines);
}

async function movedTable({ connectors, engine }) {
  const lines = [];
  const cards = { "conditions sent": details, "all rows": details.map(withoutFilter) };
  for (const name of ["aggregate by day", "top 100 rows"]) {
    for (const [way, asked] of Object.entries(cards)) {
      const startedAt = performance.now();
      const plan = planOf(overheads[name].plan);
      const result = await executePlan(plan, { details: asked, connectors, engine });
      await result.all();
      const { sources } = result.statistics();
      const rows = sources.reduce((sum, source) => sum + source.rows, 0);
      const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
      lines.push([
        `${name}, ${way}`,
        rows.toLocaleString("en-US"),
        `${(bytes / 1e6).toFixed(3)} MB`,
        ms(performance.now() - startedAt),
      ]);
    }
  }
  return table(["plan", "rows moved", "bytes moved", "ms"], lines);
}

function withoutFilter(resource) {
  return { ...resource, pushdown: { filter: false } };
}

const joined =
  "scan(res:orders, customer, amount, status) -> filter(status = 'paid') -> agg(customer, sum(amount) as amount) -> join(scan(res:customers, key, city), customer = key) -> join(scan(res:cities, name, country), city = name) -> agg(country, sum(amount) as revenue) -> sort(country)";

async function joinTable({ database, connectors, engine }) {
  const parsed = planOf(joined);
  const early = planOf(joined.replace(" -> agg(customer, sum(amount) as amount)", ""));
  const runPlan = async (plan) =>
    (await (await executePlan(plan, { details, connectors, engine })).all()).map(
      ({ country, revenue }) => `${country} ${revenue.toFixed(2)}`,
    );
  const answers = [await runPlan(parsed), await runPlan(early), byMaps(database)];
  if (new Set(answers.map(String)).size !== 1) throw new Error("The ways of joining disagree.");
  const times = await medians({
    "plan, grouped before the joins": () => runPlan(parsed),
    "plan, grouped after the joins": () => runPlan(early),
    "plain JavaScript": () => byMaps(database),
  });
  return table(
    ["way", "ms"],
    Object.entries(times).map(([name, time]) => [name, ms(time)]),
  );
}

function byMaps(database) {
  const cityOf = new Map(customerRows.map(({ key, city }) => [key, city]));
  const countryOf = new Map(cityRows.map(({ name, country }) => [name, country]));
  const revenue = new Map();
  for (const { customer, amount } of database
    .prepare("SELECT customer, amount FROM orders WHERE status = 'paid'")
    .iterate()) {
    const country = countryOf.get(cityOf.get(Number(customer)));
    if (country !== undefined) revenue.set(country, (revenue.get(country) ?? 0) + amount);
  }
  return [...revenue]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([country, sum]) => `${country} ${sum.toFixed(2)}`);
}

function checkTable() {
  const steps = [
    "  - { name: s0, op: scan, resource: res:orders }",
    "  - { name: c, op: scan, resource: res:customers, columns: [key] }",
  ];
  let from = "s0";
  for (let index = 1; steps.length < 50; index += 1) {
    const name = `s${index}`;
    const kind = index % 3;
    if (kind === 0)
      steps.push(
        `  - { name: ${name}, op: join, kind: semi, left: ${from}, right: c, on: ["customer = key"] }`,
      );
    else if (kind === 1)
      steps.push(
        `  - { name: ${name}, op: filter, from: ${from}, where: "amount * ${index} > 1.5 and (status = 'paid' or day >= date '2025-01-01')" }`,
      );
    else
      steps.push(
        `  - { name: ${name}, op: project, from: ${from}, columns: [id, customer, day, "coalesce(amount, 0) + 1 as amount", status] }`,
      );
    from = name;
  }
  const text = `version: 1\nsteps:\n${steps.join("\n")}\n`;
  const plan = planOf(text);
  const time = (action) => {
    const times = [];
    for (let round = 0; round < 60; round += 1) {
      const startedAt = performance.now();
      action();
      times.push(performance.now() - startedAt);
    }
    return middle(times.slice(10)).toFixed(2);
  };
  return table(
    ["", "ms"],
    [
      ["read", time(() => parseLogicalPlan(text))],
      ["check and explain", time(() => explainPlan(plan, { details }))],
    ],
  );
}

async function medians(ways) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < rounds + 1; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const startedAt = performance.now();
      await way();
      if (round > 0) times[name].push(performance.now() - startedAt);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, middle(all)]));
}

function planOf(text) {
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(plan.issues[0].message);
  return plan.value;
}

const middle = (values) =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
const ms = (value) => value.toFixed(value < 10 ? 1 : 0);

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { title, markdown } = await run();
  console.log(`${title}\n\n${markdown}`);
}
