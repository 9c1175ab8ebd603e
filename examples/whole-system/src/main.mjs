// One story across the packages with real parts: an operator asks why money is missing, and each part passes its result
// to the next. PostgreSQL (CCL_POSTGRES_URL, or PGlite), SQLite, a model API over HTTP behind `ccl proxy`, MCP over
// HTTP, a browser.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildPack, openAliasRegistry } from "@ccl/aliases";
import { openPostgresArtifactStore } from "@ccl/artifact-store-postgres";
import { createCatalog } from "@ccl/catalog";
import { fromSqlDatabase } from "@ccl/catalog/importers";
import { createContextCompiler, createSessionStore, openSession } from "@ccl/context-compiler";
import { createMcpServer, openMcpHttp } from "@ccl/mcp";
import { compute, createRunEngine, defineProfile, template } from "@ccl/operations";
import { openPostgresOperationStores } from "@ccl/operations/postgres";
import { createPlanSession } from "@ccl/plan-protocol";
import { openWorkspace } from "@ccl/plan-protocol/node";
import { createOpenAiCompatibleModel } from "@ccl/providers/openai-compatible";
import { startTestServer } from "@ccl/providers/testing";
import { planDetails, runSql, sqlConnector } from "@ccl/query";
import { openDuckDbEngine } from "@ccl/query/duckdb";
import { openRecords } from "@ccl/records";
import { openSqlite } from "@ccl/sql/node";
import { generateStructured } from "@ccl/structured-output";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { chromium } from "playwright-core";

import { openPostgres } from "./open-postgres.mjs";
import { startCcl } from "./start-ccl.mjs";

const task = "Which country pays twice for an order, and what in our code lets it?";
const folder = await mkdtemp(join(tmpdir(), "ccl-whole-"));
const closers = [() => rm(folder, { recursive: true, force: true })];
const opened = (value, close = () => value.close()) => (closers.push(close), value);
try {
  await tellStory();
} finally {
  for (const close of closers.toReversed()) await close();
}

async function tellStory() {
  // 1 Two databases: payments in PostgreSQL, customers in SQLite. One payment is stored twice.
  const postgres = opened(await openPostgres());
  const customers = opened(await openSqlite({ path: join(folder, "customers.sqlite") }));
  await fill(postgres.client, customers);
  say(1, `payments in ${postgres.name}, customers in SQLite`);

  // 2 The catalog finds the tables of both for the question, and no others.
  const catalog = createCatalog();
  const tables = [
    ...(await fromSqlDatabase(postgres.client, { name: "bank", schemas: [postgres.schema] })),
    ...(await fromSqlDatabase(customers, { name: "shop" })),
  ];
  assert.ok((await catalog.register(tables)).ok);
  const shown = await catalog.budgetedContext({
    task: "payments and customers by country",
    budget: 400,
  });
  const ids = tables.map(({ id }) => id).filter((id) => /payments|customers/.test(id));
  assert.equal(ids.length, 2);
  assert.match(shown.text, /payments/);
  assert.match(shown.text, /customers/);
  say(2, `${shown.tokens} tokens name the tables`);

  // 3 One SELECT over both databases. Computing it by hand gives the same.
  const connectors = {
    [uriOf(tables, "payments")]: sqlConnector(postgres.client),
    [uriOf(tables, "customers")]: sqlConnector(customers),
  };
  const engine = opened(await openDuckDbEngine());
  const details = await planDetails(catalog, ids);
  const twice = await runSql(
    "select c.country, p.order_id, count(*) times from payments p join customers c on c.id = p.customer_id group by 1, 2 having count(*) > 1",
    { details, connectors, engine },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(twice)), [{ country: "AT", order_id: 417, times: 2 }]);
  const all = await runSql(
    "select p.id, p.order_id, c.country, p.cents from payments p join customers c on c.id = p.customer_id order by p.id",
    { details, connectors, engine },
  );
  assert.equal(all.length, 1_501);
  await assert.rejects(runSql("delete from payments", { details, connectors, engine }));
  say(3, "one SELECT over both: order 417 of AT is paid twice; a DELETE is refused");

  // 4 The whole result goes into the session. The prompt stays small, and the rest can be read from PostgreSQL.
  const artifacts = opened(await openPostgresArtifactStore({ client: postgres.client }));
  const sessions = createSessionStore(opened(await openRecords({ postgres: postgres.client })));
  const session = await openSession({
    store: sessions,
    sessionId: "case-417",
    artifactStore: artifacts,
  });
  const large = all.map((row) => JSON.stringify(row)).join("\n");
  await session.record("user_input", { content: task });
  await session.record("tool_call", { callId: "c1", name: "query", arguments: '{"order":417}' });
  await session.record("tool_success", { callId: "c1", content: large });
  const again = await openSession({
    store: sessions,
    sessionId: "case-417",
    artifactStore: artifacts,
  });
  const prompt = await createContextCompiler().compile(again, { budget: 1_200 });
  const messages = prompt.toMessages();
  assert.ok(prompt.tokenCount <= 1_200);
  assert.match(JSON.stringify(messages), /pays twice/);
  const [kept] = prompt.artifactRefs;
  const stored = new TextDecoder().decode(await artifacts.retrieve(kept.artifactId));
  assert.equal(stored, large);
  say(4, `${large.length} characters in PostgreSQL, ${prompt.tokenCount} tokens in the prompt`);

  // 5 The prompt goes over HTTP through `ccl proxy`. The answer is broken JSON and becomes a checked value.
  const api = opened(await startTestServer());
  const state = join(folder, "state");
  const proxy = opened(
    await startCcl(
      [
        "proxy",
        "--upstream",
        api.baseUrl("openai"),
        "--port",
        "0",
        "--mode",
        "full",
        "--record",
        "--state",
        state,
      ],
      { cwd: folder },
    ),
  );
  const model = createOpenAiCompatibleModel({ baseUrl: proxy.url, model: "gpt-5", apiKey: "none" });
  api.enqueue({ type: "answer", text: "Sure: {country: 'AT', order: 417,} Shall I fix it?" });
  const schema = {
    type: "object",
    properties: { country: { type: "string" }, order: { type: "integer" } },
    required: ["country", "order"],
  };
  const answer = await generateStructured(model, { schema, messages });
  assert.deepEqual(answer.value, { country: "AT", order: 417 });
  assert.match(JSON.stringify(api.calls[0].body), /pays twice/);
  say(5, `asked through ${new URL(proxy.url).host}: ${JSON.stringify(answer.value)}`);

  // 6 An agent reads the case over MCP: the stored result by a search, the databases by SQL.
  const mcp = opened(
    await openMcpHttp(createMcpServer({ artifacts, catalog, query: { connectors, engine } }), {
      port: 0,
    }),
  );
  const client = new Client({ name: "operator", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url)));
  opened(client);
  const found = await textOf(client, "search_artifact", {
    query: "order_id 417",
    artifact_id: kept.artifactId,
  });
  assert.equal(found.match(/417\|AT/g)?.length, 2);
  const counted = await textOf(client, "query_run", { sql: "select count(*) n from payments" });
  assert.match(counted, /1501/);
  say(6, "search_artifact and query_run over MCP find the same");

  // 7 The code: a pack for the model, its edit applied with a check. An edit that breaks the check leaves no trace.
  const root = join(folder, "code");
  await writeCode(root);
  const registry = opened(await openAliasRegistry({ root, persist: false }));
  await registry.scan();
  const pack = await buildPack({
    registry,
    task: "refuse a second payment of an order",
    budget: 600,
  });
  assert.match(pack.text, /pay\.mjs/);
  const workspace = opened(await openWorkspace({ root }));
  const checks = [{ name: "pay", command: [process.execPath, "pay.test.mjs"] }];
  const before = await readFile(join(root, "pay.mjs"), "utf8");
  const edit = (line) =>
    `*** Begin Patch\n*** Update File: pay.mjs\n@@\n-  paid.push(order);\n+  ${line}\n*** End Patch\n`;
  api.enqueue(
    { type: "answer", text: edit("throw new Error('never');") },
    { type: "answer", text: edit("if (!paid.includes(order)) paid.push(order);") },
  );
  const plans = createPlanSession({ model, workspace, root, editFormat: "v4a" });
  const outcomes = [];
  for (const report of ["", "The check failed."]) {
    const proposal = await plans.apply("Refuse a second payment of an order.", {
      background: pack.text,
      files: ["pay.mjs"],
      report,
    });
    assert.ok(proposal.ok, JSON.stringify(proposal.issues));
    const confirm = proposal.value.preview.planHash;
    const applied = await plans.commit(proposal.value, { checks, confirm, mustPass: true });
    outcomes.push(applied.ok);
    if (!applied.ok) assert.equal(await readFile(join(root, "pay.mjs"), "utf8"), before);
  }
  assert.deepEqual(outcomes, [false, true]);
  const after = await readFile(join(root, "pay.mjs"), "utf8");
  assert.match(after, /includes\(order\)/);
  say(
    7,
    `pack of ${pack.tokens} tokens; the first edit broke the check and left no trace, the second stays`,
  );

  // 8 A chat turn on PostgreSQL, which another engine reads.
  api.enqueue({ type: "answer", text: "Order 417 was paid twice; the code refuses that now." });
  const stores = opened(await openPostgresOperationStores({ client: postgres.client }));
  const profile = defineProfile({
    id: "case",
    operations: {
      tone: template("Answer in one sentence.", { appendTo: "system" }),
      length: compute(({ answer: said }) => ({ length: said.length }), { after: true }),
    },
  });
  const run = await createRunEngine({ mainModel: model, ...stores }).start({
    chatId: "case-417",
    message: "What happened?",
    profile,
  });
  const { mainLlm } = await run.result;
  assert.match(mainLlm.text, /paid twice/);
  const [turn] = await stores.chat.turns({ chatId: "case-417", branchId: "main" }, { limit: 5 });
  assert.match(JSON.stringify(turn), /paid twice/);
  say(8, mainLlm.text);

  // 9 All of this in a browser.
  const ui = opened(
    await startCcl(["ui", "--state", state, "--gateway", proxy.url], { cwd: folder }),
  );
  await lookAt(ui.url);
}

async function lookAt(url) {
  const places = [process.env.CCL_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
  const executablePath = places.find((file) => file && existsSync(file));
  if (executablePath === undefined) return say(9, "no Chromium here: the page is not looked at");
  const browser = opened(await chromium.launch({ executablePath, args: ["--no-sandbox"] }));
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}#/`);
  await page.getByText("pays twice").first().waitFor();
  await page.getByRole("link", { name: "Gateway" }).click();
  await page.getByText("Saved").first().waitFor();
  say(9, "the page shows the session and what it cost");
}

async function fill(client, customers) {
  customers.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT)");
  const insert = customers.prepare("INSERT INTO customers VALUES (?, ?, ?)");
  for (let id = 1; id <= 90; id += 1) insert.run(id, `Customer ${id}`, ["DE", "AT", "IT"][id % 3]);
  await client.query(
    "CREATE TABLE payments (id INTEGER PRIMARY KEY, order_id INTEGER, customer_id INTEGER, cents INTEGER)",
  );
  await client.query(
    "INSERT INTO payments SELECT n, n, n % 90 + 1, n * 7 FROM generate_series(1, 1500) n",
  );
  // Order 417 is customer 58's, who lives in AT.
  await client.query("INSERT INTO payments VALUES (1501, 417, 58, 2919)");
}

async function writeCode(root) {
  await mkdir(root, { recursive: true });
  await writeFile(
    join(root, "pay.mjs"),
    "const paid = [];\n\n/** Takes the payment of an order. */\nexport function pay(order) {\n  paid.push(order);\n  return paid.length;\n}\n",
  );
  await writeFile(
    join(root, "pay.test.mjs"),
    'import assert from "node:assert";\nimport { pay } from "./pay.mjs";\nassert.equal(pay(1), 1);\nassert.equal(pay(1), 1);\n',
  );
}

function uriOf(tables, name) {
  const { uri } = tables.find(({ id }) => id.includes(name));
  return uri.slice(0, uri.lastIndexOf("/"));
}

async function textOf(client, name, args) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((part) => part.text ?? "").join("\n");
  assert.ok(!isError, text);
  return text;
}

function say(step, text) {
  console.log(`${step} ${text}`);
}
