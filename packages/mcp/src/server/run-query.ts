import type { ArtifactStore } from "@ccl/artifact-store";
import type { ResourceDetails } from "@ccl/catalog";
import { compress } from "@ccl/compress";
import type { TokenCounter } from "@ccl/core";
import { type JsonRecord, jsonText, numberAt, stringAt, withoutUndefined } from "@ccl/core/json";
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
import { issuesError, storedLine, type ToolAnswer } from "./server-tool.ts";
import type { Opener } from "./source.ts";

/** What queries run on. */
export interface QuerySource {
  /** Connectors by the prefix of addresses in the catalog. */
  connectors: Connectors;
  /** For joins across sources. */
  engine?: QueryEngine | undefined;
}

/** What a query needs besides its arguments. */
export interface QueryCall extends QuerySource {
  catalog: CatalogReader;
  counter: TokenCounter;
  /** Stores rows that do not fit into an answer. */
  store?: Opener<ArtifactStore> | undefined;
  sessionId: string;
  signal: AbortSignal;
}

const maxRows = 10_000;
const limits = { rows: maxRows, timeoutMs: 30_000 };
const answerTokens = 2_000;

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
  const limit = Math.min(numberAt(input, "limit") ?? maxRows, maxRows);
  const options = { connectors, engine, limits, signal };
  const statement = stringAt(input, "sql");
  if (statement !== undefined) {
    const details = await everyDetail(catalog, signal);
    const { rows, total, doubts } = await executeSql(statement, { ...options, details });
    const lines = total === undefined ? doubts : [`of ${total} rows`, ...doubts];
    const isCut = rows.length > limit;
    return await showRows({ rows: rows.slice(0, limit), isCut, lines }, call);
  }
  const parsed = parseLogicalPlan(input["plan"]);
  if (!parsed.ok) return issuesError(parsed.issues);
  const details = await planDetails(catalog, parsed.value, { signal });
  const result = await executePlan(parsed.value, { ...options, details });
  return await showRows(await firstRows(result, limit), call);
}

/** The details of all cards that are visible without a grant, since a statement may name any table. */
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
  /** Whether there are more rows. */
  isCut: boolean;
  /** What a LIMIT cut from, and the doubts. */
  lines?: string[] | undefined;
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

/**
 * Returns the same rows as text and as data, since a client gives its model only one of them. Stores the other rows.
 */
async function showRows(
  { rows: given, isCut: more, lines: above = [] }: ShownRows,
  { counter, store: openStore, sessionId, signal }: QueryCall,
): Promise<ToolAnswer> {
  const all = given.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  );
  const rowCount = all.length;
  const lines = [
    ...(more ? [`[the first ${rowCount} rows; there are more]`] : []),
    ...above.map((line) => `[${line}]`),
  ];
  const whole = { rows: all, rowCount, more, ["note"]: lines.join("\n") };
  const store = await openStore?.();
  let room = answerTokens - counter.count(jsonText({ ...whole, rows: [] }));
  const fitting = all.findIndex((row) => (room -= counter.count(jsonText(row)) + 1) < lineTokens);
  const isWhole = fitting < 0 || counter.count(jsonText(whole)) <= answerTokens;
  const rows = isWhole ? all : all.slice(0, fitting);
  const stored = isWhole
    ? undefined
    : await store?.store(jsonText(all), {
        source: "query_run",
        mimeType: "application/json",
        sessionId,
        signal,
      });
  const shown = { shown: rows.length, omitted: rowCount - rows.length, numbering: "rows" as const };
  if (stored) lines.push(storedLine(stored, shown));
  const { text } = compress(jsonText(rows), { budget: answerTokens, kind: "json", counter });
  return {
    content: [{ type: "text", text: [...lines, text].join("\n") }],
    structuredContent: withoutUndefined({
      rows,
      rowCount,
      more,
      handle: stored?.artifactId.slice(0, 12),
      ["note"]: lines.join("\n") || undefined,
    }),
  };
}

/** Tokens of the lines around the rows. */
const lineTokens = 80;

/** JSON has no 64-bit integers. */
function plain(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
