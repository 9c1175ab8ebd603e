import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryConnector } from "../connector/create-memory-connector.ts";
import { executePlan, type ExecutePlanOptions } from "../execute/execute-plan.ts";
import type { PlanRow } from "../execute/query-result.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { openDuckDbEngine, openParquetConnector } from "./index.ts";

const rowCount = 3_000;
const details = [
  {
    id: "res:f",
    uri: "ada://any/f.parquet",
    kind: "file",
    title: "f",
    columns: [{ name: "n", type: "int" }],
  },
];
/** 3,000 to the power of 4 rows. */
const days =
  "scan(res:f, n) -> join(res:f, n = n as a_) -> join(res:f, n = n as b_) -> join(res:f, n = n as c_) -> agg(sum(n + a_n + b_n + c_n) as s)";

let folder: string;
const sources = new Map<string, Pick<ExecutePlanOptions, "connectors" | "engine">>();
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-query-abort-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT 1::BIGINT AS n FROM range(${rowCount})) TO '${folder}/f.parquet'`,
  );
  connection.closeSync();
  instance.closeSync();
  const engine = await openDuckDbEngine({ threads: 1 });
  const parquet = await openParquetConnector({ folder });
  closing.push(engine.close, parquet.close);
  const rows = Array.from({ length: rowCount }, () => ({ n: 1 }));
  sources.set("the engine", {
    connectors: { "ada://any": createMemoryConnector({ "res:f": rows }) },
    engine,
  });
  sources.set("a Parquet file", { connectors: { "ada://any": parquet } });
});
afterAll(async () => {
  for (const close of closing) await close();
  await rm(folder, { recursive: true });
});

async function run(text: string, source: string, signal?: AbortSignal): Promise<PlanRow[]> {
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  const from = sources.get(source) ?? { connectors: {} };
  return (await executePlan(plan.value, { details, ...from, signal })).all();
}

const after = (timeMs: number) => (): Promise<unknown> =>
  new Promise((resolve) => setTimeout(resolve, timeMs));
const ticks = (count: number) => async (): Promise<void> => {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
};
const moments: [name: string, wait: () => Promise<unknown>][] = [
  ...[0, 1, 3, 8, 21].map((count): [string, () => Promise<unknown>] => [
    `after ${count} ticks`,
    ticks(count),
  ]),
  ["in the next turn", () => new Promise((resolve) => setImmediate(resolve))],
  ["while it begins", after(5)],
  ["at work", after(150)],
];

describe.each(["the engine", "a Parquet file"])(
  "a query over %s that would run for days",
  (source) => {
    it.each(moments)(
      "ends when it is aborted %s, and the engine serves the next query",
      async (_, wait) => {
        const controller = new AbortController();
        const ended = run(days, source, controller.signal).catch((error: unknown) => error);
        await wait();
        controller.abort();
        expect(await ended).toMatchObject({ code: "aborted" });
        expect(await run("scan(res:f, n) -> agg(sum(n) as s)", source)).toEqual([{ s: rowCount }]);
      },
    );
  },
);

it("allows the engine to be closed while a connection opens", async () => {
  const work = { text: "SELECT 1 AS n", macros: [[]], nullOrder: "NULLS_LAST", inputs: [] };
  for (let attempt = 0; attempt < 40; attempt++) {
    const controller = new AbortController();
    const { signal } = controller;
    const engine = await openDuckDbEngine({ threads: 1 });
    const ended = engine.runSql(work, { signal, batchRows: 1 }).catch((error: unknown) => error);
    for (let turn = 0; turn < attempt % 4; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await engine.close();
    await ended;
    await expect(engine.runSql(work, { batchRows: 1 })).rejects.toMatchObject({ code: "closed" });
  }
});
