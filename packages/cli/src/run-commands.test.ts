import { createScriptedModel } from "@ccl/core/testing";
import { createRunEngine, defineProfile, waitFor } from "@ccl/operations";
import { openPostgresOperationStores } from "@ccl/operations/postgres";
import type { OperationStores } from "@ccl/operations";
import { openSqliteOperationStores } from "@ccl/operations/sqlite";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type CatalogProject, createCatalogProject } from "./__fixtures__/catalog-project.ts";

const url = process.env["CCL_POSTGRES_URL"];
if (url === undefined)
  console.warn("CCL_POSTGRES_URL is not set: ccl run and session are tried on SQLite only.");
const fromCatalog = createRequire(new URL("../../catalog/package.json", import.meta.url));
const schema = "ccl_cli_runs";

const execute = promisify(execFile);
const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));

/** As an application would have it beside its store. */
const engineModule = `import { createRunEngine } from "@ccl/operations";
await undefined; // such as a connection to an MCP server, which stays open
setInterval(() => {}, 1_000);
const generate = async () => ({ text: "By the engine.", toolCalls: [], finishReason: "stop" });
export const createEngine = (stores) =>
  createRunEngine({ ...stores, mainModel: { provider: "own", modelId: "own", generate }, recover: false });
`;

let project: CatalogProject;

beforeAll(async () => {
  project = await createCatalogProject();
  await mkdir(join(project.root, "chats"));
  await mkdir(join(project.root, "node_modules/@ccl"), { recursive: true });
  const operations = fileURLToPath(new URL("../../operations", import.meta.url));
  await symlink(operations, join(project.root, "node_modules/@ccl/operations"), "junction");
  const pg = dirname(fromCatalog.resolve("pg/package.json"));
  await symlink(pg, join(project.root, "node_modules/pg"), "junction");
  await writeFile(join(project.root, "engine.mjs"), engineModule);
  const hanging = engineModule.replace(
    /const generate = .*/,
    'const generate = () => new Promise(() => void console.log("asked"));',
  );
  await writeFile(join(project.root, "hanging.mjs"), hanging);
  await writeFile(join(project.root, "no-engine.mjs"), "export const createEngine = () => 1;\n");
});

afterAll(() => project.remove());

describe.each(["a folder with a SQLite file", ...(url === undefined ? [] : ["PostgreSQL"])])(
  "ccl run and ccl session over %s",
  (kind) => {
    let store: string[];
    let close: () => Promise<void>;
    let runId = "";
    let waitingId = "";
    let deadId = "";
    let lostId = "";

    beforeAll(async () => {
      const opened = kind === "PostgreSQL" ? await openPostgres() : await openFolder();
      ({ store, close } = opened);
      const { stores } = opened;
      const engine = createRunEngine({
        mainModel: createScriptedModel(["It is sunny."]),
        ...stores,
        recover: false,
      });
      const run = await engine.start({ chatId: "rome", message: "How is the weather?" });
      runId = run.runId;
      await run.result;
      const profile = defineProfile({ id: "p", operations: { consent: waitFor("May I?") } });
      const waiting = await engine.start({ chatId: "oslo", message: "Hm.", profile });
      waitingId = waiting.runId;
      for await (const { type } of waiting.events) if (type === "operation.waiting") break;
      // A worker whose lease is long over.
      const past = createRunEngine({
        mainModel: { provider: "p", modelId: "m", generate: () => new Promise(() => {}) },
        ...stores,
        clock: { now: () => Date.now() - 3_600_000 },
        recover: false,
      });
      const dead = await past.start({ chatId: "bern", message: "And then?" });
      deadId = dead.runId;
      for await (const { type } of dead.events) if (type === "main_llm.started") break;
      const lost = await past.start({ chatId: "lima", message: "Hm.", profile });
      lostId = lost.runId;
      for await (const { type } of lost.events) if (type === "operation.waiting") break;
    });
    afterAll(() => close());

    it("lists and shows runs", async () => {
      const { document } = await project.json(["run", "list", ...store]);
      expect(document).toMatchObject({
        runs: expect.arrayContaining([
          expect.objectContaining({ runId: waitingId, status: "running", chatId: "oslo" }),
          expect.objectContaining({ runId, status: "done", message: "How is the weather?" }),
          expect.objectContaining({ runId: deadId, status: "waiting for a worker" }),
        ]),
      });
      const open = await project.ccl(["run", "list", "--unfinished", ...store]);
      expect(open.stdout).toContain(deadId);
      expect(open.stdout).not.toContain(runId);
      const { stdout } = await project.ccl(["run", "show", runId, ...store]);
      expect(stdout).toContain("the model: completed");
      expect(stdout).toContain("answered: It is sunny.");
      const waits = await project.ccl(["run", "show", waitingId, ...store]);
      expect(waits.stdout).toContain("consent waits: May I?");
    });

    it("shows runs on the page, which only reads", async () => {
      const [, where = ""] = store;
      const { document } = await project.json(["ui", "runs", "--runs", where]);
      expect(document).toMatchObject({
        runs: expect.arrayContaining([
          expect.objectContaining({ id: waitingId, chat: "oslo", status: "running" }),
          expect.objectContaining({ id: runId, chat: "rome", status: "done" }),
        ]),
      });
      const { document: run } = await project.json(["ui", "run", `id=${runId}`, "--runs", where]);
      expect(run).toMatchObject({ result: { status: "done", mainLlm: { text: "It is sunny." } } });
    });

    // On PostgreSQL the next worker may be on another machine, and waits for the lease.
    it.skipIf(kind === "PostgreSQL")("leaves a run open that is interrupted", async () => {
      const argv = [program, "run", "resume", deadId, ...store, "--engine", "hanging.mjs"];
      const child = spawn(process.execPath, argv, {
        cwd: project.root,
        env: { PATH: process.env["PATH"], HOME: project.root },
        stdio: ["ignore", "pipe", "inherit"],
      });
      let printed = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (printed.startsWith("asked")) child.kill("SIGINT");
      });
      const [code] = await once(child, "close");
      expect([code, printed]).toEqual([
        130,
        expect.stringContaining(`Run ${deadId} is unfinished`),
      ]);
      const { document } = await project.json(["run", "show", deadId, ...store]);
      expect(document).not.toHaveProperty("result");
      expect(document).not.toHaveProperty("abort");
    });

    it("carries a run on that has lost its worker, by an engine of the application", async () => {
      const resume = ["run", "resume", deadId, ...store, "--engine"];
      for (const [module, why] of [
        ["no-engine.mjs", "must export createEngine"],
        ["nowhere.mjs", "could not be loaded"],
      ])
        expect(await project.json([...resume, module ?? ""])).toMatchObject({
          document: { error: { code: "usage", message: expect.stringContaining(why ?? "") } },
        });
      // A process of its own: the module takes the packages as they are built, which this one does not.
      const argv = [program, ...resume, "engine.mjs"];
      const { stdout } = await execute(process.execPath, argv, {
        timeout: 20_000,
        cwd: project.root,
        env: { PATH: process.env["PATH"], HOME: project.root },
      });
      expect(stdout).toBe("done\nBy the engine.\n");
      const again = await project.ccl([...resume, "engine.mjs"]);
      expect(again.stdout).toBe("It has already ended: done.\n");
    });

    it("asks for the application's engine where a run has operations of its own", async () => {
      const refused = await project.ccl(["run", "resume", lostId, ...store, "--model", "openai/x"]);
      expect(refused.stderr).toContain('(profile "p"). Pass the module');
    });

    it("ends a run that another process has", async () => {
      const refused = await project.json(["run", "resume", waitingId, ...store]);
      expect(refused.document).toMatchObject({ error: { code: "plan_conflict" } });
      const { document } = await project.json(["run", "abort", waitingId, ...store]);
      expect(document).toMatchObject({ status: "aborted" });
      const again = await project.ccl(["run", "abort", waitingId, ...store]);
      expect(again.stdout).toBe("It has already ended: aborted.\n");
    });

    it("lists and shows conversations, and finds words in them", async () => {
      const { document } = await project.json(["session", "list", ...store]);
      expect(document).toMatchObject({
        sessions: [
          { chatId: "bern" },
          { chatId: "lima" },
          { chatId: "oslo" },
          { chatId: "rome", turns: 1 },
        ],
      });
      const shown = await project.ccl(["session", "show", "rome", ...store, "--find", "SUNNY"]);
      expect(shown.stdout).toBe("user: How is the weather?\nassistant: It is sunny.\n");
    });

    it.each([
      ["run", "show"],
      ["run", "abort"],
      ["run", "resume"],
      ["session", "show"],
    ])("%s %s says what it does not find", async (group, command) => {
      const { document } = await project.json([group, command, "nothing", ...store]);
      expect(document).toMatchObject({
        error: { code: "usage", message: expect.stringMatching(/no (?:run|chat) "nothing".*\./u) },
      });
    });
  },
);

it.each([
  [["run", "list"], "usage"],
  [["run", "list", "--store", "nowhere.db"], "source_failed"],
  [["run", "list", "--store", "data.sqlite"], "source_failed"],
  [["run", "list", "--postgres", "postgres://u:hidden-word@127.0.0.1:1/none"], "source_failed"],
])("answers %j with %s and a sentence", async (argv, code) => {
  const { document } = await project.json(argv);
  expect(document).toMatchObject({ error: { code, message: expect.stringMatching(/\w+ .*\./u) } });
  expect(JSON.stringify(document)).not.toContain("hidden-word");
});

interface OpenedStores {
  stores: OperationStores;
  store: string[];
  close(): Promise<void>;
}

async function openFolder(): Promise<OpenedStores> {
  const path = join(project.root, "chats", "chat.db");
  const stores = await openSqliteOperationStores({ path });
  return { stores, store: ["--store", "chats"], close: () => stores.close() };
}

async function openPostgres(): Promise<OpenedStores> {
  const address = new URL(url ?? "");
  address.searchParams.set("options", `-c search_path=${schema}`);
  const connectionString = address.href;
  const { Pool } = fromCatalog("pg");
  const pool = new Pool({ connectionString });
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  const stores = await openPostgresOperationStores({ client: pool });
  return {
    stores,
    store: ["--postgres", connectionString],
    async close() {
      await stores.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    },
  };
}
