import type { ArtifactStore } from "@ccl/artifact-store";
import type { ResourceDetails } from "@ccl/catalog";
import { compress } from "@ccl/compress";
import type { TokenCounter } from "@ccl/core";
import { type JsonRecord, numberAt, stringAt } from "@ccl/core/json";
import {
  type Connectors,
  executePlan,
  executeSql,
  explainPlan,
  explainSql,
  parseLogicalPlan,
  type PlanRow,
  planDetails,
  type QueryEngine,
} from "@ccl/query";

import type { CatalogReader } from "./catalog-tools.ts";
import { dataResult, issuesError, type ToolAnswer } from "./server-tool.ts";
import type { Opener } from "./source.ts";
import { storedLine } from "./stored-line.ts";

/** What queries run on. */
export interface QuerySource {
  /** By the beginning of the addresses in the catalog. */
  connectors: Connectors;
  /** For joins across sources. */
  engine?: QueryEngine | undefined;
}

/** What a query needs beside its arguments. */
export interface QueryCall extends QuerySource {
  catalog: CatalogReader;
  counter: TokenCounter;
  /** Rows that an answer can't show are kept here. */
  store?: Opener<ArtifactStore> | undefined;
  signal: AbortSignal;
}

const maxRows = 10_000;
const defaultRows = 200;
const limits = { rows: maxRows, timeoutMs: 30_000 };
const answerTokens = 1_500;

/** `query_explain`. */
export async function explainQuery(
  input: JsonRecord,
  { catalog, connectors, engine, signal }: QueryCall,
): Promise<ToolAnswer> {
  const statement = stringAt(input, "sql");
  if (statement !== undefined) {
    const details = await everyDetail(catalog, signal);
    const read = await explainSql(statement, { details, connectors, engine, signal });
    return `${read.ranOn} runs:\n${read.sql}`;
  }
  const parsed = parseLogicalPlan(input["plan"]);
  if (!parsed.ok) return issuesError(parsed.issues);
  const details = await planDetails(catalog, parsed.value, { signal });
  return explainPlan(parsed.value, { details, connectors }).text;
}

/** `query_run`. */
export async function runQuery(input: JsonRecord, call: QueryCall): Promise<ToolAnswer> {
  const { catalog, connectors, engine, signal } = call;
  const limit = Math.min(numberAt(input, "limit") ?? defaultRows, maxRows);
  const statement = stringAt(input, "sql");
  if (statement !== undefined) {
    const details = await everyDetail(catalog, signal);
    const asked = { details, connectors, engine, limits, signal };
    const { rows } = await executeSql(statement, asked);
    return await showRows({ rows: rows.slice(0, limit), isCut: rows.length > limit }, call);
  }
  const parsed = parseLogicalPlan(input["plan"]);
  if (!parsed.ok) return issuesError(parsed.issues);
  const details = await planDetails(catalog, parsed.value, { signal });
  const asked = { details, connectors, engine, limits, signal };
  const result = await executePlan(parsed.value, asked);
  return await showRows(await firstRows(result, limit), call);
}

/** A statement may name any table, so all cards that are shown without a grant are at hand. */
async function everyDetail(
  catalog: CatalogReader,
  signal: AbortSignal,
): Promise<ResourceDetails[]> {
  const ids: string[] = [];
  for (let page = 1, hasNext = true; hasNext; page += 1) {
    const { items, pageInfo } = await catalog.overview({ page, pageSize: 1_000, signal });
    ids.push(...items.map(({ id }) => id));
    ({ hasNext } = pageInfo);
  }
  return await planDetails(catalog, ids, { signal });
}

interface ShownRows {
  rows: PlanRow[];
  /** There are more. */
  isCut: boolean;
}

async function firstRows(
  result: Awaited<ReturnType<typeof executePlan>>,
  limit: number,
): Promise<ShownRows> {
  const rows: PlanRow[] = [];
  try {
    for await (const row of result.rows()) {
      if (rows.length === limit) return { rows, isCut: true };
      rows.push(row);
    }
    return { rows, isCut: false };
  } finally {
    await result.close();
  }
}

async function showRows(
  { rows: given, isCut }: ShownRows,
  { counter, store: openStore, signal }: QueryCall,
): Promise<ToolAnswer> {
  const rows = given.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  );
  const json = JSON.stringify(rows);
  const shown = compress(json, { budget: answerTokens, kind: "json", counter });
  const cut = isCut ? `[the first ${rows.length} rows; ask for more with limit]\n` : "";
  if (shown.isLossless) return dataResult(`${cut}${shown.text}`, { rows });
  const store = await openStore?.();
  const stored = await store?.store(json, {
    source: "query_run",
    mimeType: "application/json",
    signal,
  });
  const head = stored === undefined ? "" : `${storedLine(stored, shown)}\n`;
  return dataResult(`${cut}${head}${shown.text}`, { rows: rows.slice(0, shown.shown) });
}

/** JSON has no integers of 64 bits. */
function plain(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
