import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

import { openPostgresOperationStores } from "../src/postgres/index.ts";
import { openSqliteOperationStores } from "../src/sqlite/index.ts";
import type { OperationStores } from "../src/stores/create-operation-stores.ts";
import type { OperationProfile } from "../src/profile/operation-profile.ts";
import type { RunResult } from "../src/events/run-event.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPostgresSession } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import pg from "pg";

const built = new URL("../dist/sqlite/index.js", import.meta.url);
const script = new URL("run-worker.mjs", import.meta.url);
const url = process.env["CCL_POSTGRES_URL"];

/** The kinds of databases that several processes can share. */
export const sharedKinds: readonly string[] =
  url === undefined ? ["SQLite"] : ["SQLite", "PostgreSQL"];

/** A database that this process and its workers share. */
export interface SharedPlace {
  place: string;
  /** On PostgreSQL. */
  schema?: string;
  stores: OperationStores;
  /** How often each operation was begun in a chat, over all workers. */
  executions(chatId: string): Promise<Record<string, number>>;
  close(): Promise<void>;
}

const createExecutions =
  "CREATE TABLE executions (chat_id TEXT NOT NULL, operation_id TEXT NOT NULL, worker INTEGER NOT NULL)";
const readExecutions =
  "SELECT chat_id, operation_id, count(*) AS times FROM executions GROUP BY chat_id, operation_id";

/** Opens a database with a table of executions. */
export async function openSharedPlace(kind: string, name: string): Promise<SharedPlace> {
  if (!existsSync(built))
    throw new Error("packages/operations/dist is missing: run the build first.");
  return kind === "SQLite" ? openSharedFile() : openSharedSchema(`operation_${name}`);
}

async function openSharedFile(): Promise<SharedPlace> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-operations-"));
  const place = join(folder, "operations.db");
  const database = await openSqlite({ path: place, durability: "off" });
  database.exec(createExecutions);
  return {
    place,
    stores: await openSqliteOperationStores({ client: database }),
    executions: async (chatId) => countsOf(database.prepare(readExecutions).all(), chatId),
    async close() {
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openSharedSchema(schema: string): Promise<SharedPlace> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  await admin.end();
  const client = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}` });
  const session = createPostgresSession(client);
  await session.exec(createExecutions);
  return {
    place: url ?? "",
    schema,
    stores: await openPostgresOperationStores({ client }),
    executions: async (chatId) => countsOf(await session.query(readExecutions), chatId),
    close: () => client.end(),
  };
}

function countsOf(
  rows: readonly Record<string, unknown>[],
  chatId: string,
): Record<string, number> {
  const own = rows.filter((row) => row["chat_id"] === chatId);
  return Object.fromEntries(own.map((row) => [String(row["operation_id"]), Number(row["times"])]));
}

/** What a worker is to do; without a run it starts one. */
export interface Work {
  chatId: string;
  runId?: string | undefined;
  /** At which point it kills itself; never by default. */
  killAt?: number;
  /** Default 300, so that the worker after one that was killed does not wait long. */
  leaseMs?: number;
  /** Keeps no steps, to see that this is noticed. */
  isForgetful?: boolean;
}

/** What a worker says at its end. */
export interface WorkDone {
  result: RunResult;
  /** How many points it came to. */
  points: number;
}

/** A worker that answers in one chat after the other, until it is killed. */
export interface StandingWorker {
  /** Answers in a chat, and kills itself so many points later. */
  answerAndDie(chatId: string, killAt: number): void;
  kill(): void;
  /** Resolves once it is gone. */
  gone: Promise<unknown>;
}

/** Starts a standing worker; resolves once it looks for dead runs. */
export async function startStandingWorker(
  { place, schema }: SharedPlace,
  settings: { leaseMs: number; recover?: boolean | undefined },
): Promise<StandingWorker> {
  const work = { place, schema, profile: storyProfile, isStanding: true, ...settings };
  const child = spawn(process.execPath, [script.pathname], {
    env: { ...process.env, CCL_WORK: JSON.stringify(work) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "close");
  child.stdin.on("error", () => {});
  await once(child.stdout, "data");
  return {
    answerAndDie: (chatId, killAt) => child.stdin.write(`${JSON.stringify({ chatId, killAt })}\n`),
    kill: () => child.kill("SIGKILL"),
    gone,
  };
}

/** Runs a worker to its end; undefined where it killed itself. Any other end is an error. */
export async function runWorker(
  { place, schema }: SharedPlace,
  work: Work,
): Promise<WorkDone | undefined> {
  const env = {
    ...process.env,
    CCL_WORK: JSON.stringify({ place, schema, profile: storyProfile, ...work }),
  };
  const child = spawn(process.execPath, [script.pathname], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code, signal] = await once(child, "close");
  if (signal === "SIGKILL") return undefined;
  if (code !== 0) throw new Error(`The worker ended with ${String(code ?? signal)}.`);
  return JSON.parse(said);
}

/** Two layers before the main call and one after it, each of which reads what those before it wrote. */
export const storyProfile: OperationProfile = {
  profileId: "story",
  name: "Story",
  enabled: true,
  operationProfileSessionId: "1",
  operations: [
    { operationId: "app:guard", config: configOf(1, []) },
    { operationId: "app:lookup", config: configOf(2, ["app:guard"]) },
    { operationId: "app:notes", config: configOf(3, ["app:guard"]) },
    { operationId: "app:plan", config: configOf(4, ["app:lookup", "app:notes"]) },
    { operationId: "app:world", config: { ...configOf(5, []), hooks: ["after_main_llm"] } },
  ],
};

function configOf(
  order: number,
  dependsOn: string[],
): OperationProfile["operations"][number]["config"] {
  return {
    enabled: true,
    required: true,
    hooks: ["before_main_llm"],
    order,
    dependsOn,
    params: {},
  };
}
