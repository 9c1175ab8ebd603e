import type { ArtifactStore } from "@ccl/artifact-store";
import { compress } from "@ccl/compress";
import type { TokenCounter } from "@ccl/core";
import { type JsonRecord, jsonText, numberAt, stringAt, withoutUndefined } from "@ccl/core/json";
import {
  type Connectors,
  executeQuery,
  explainQuery as explain,
  type PlanRow,
  planDetails,
  type Query,
  type QueryEngine,
  type RunSqlOptions,
} from "@ccl/query";

import type { CatalogReader } from "./catalog-tools.ts";
import { storedLine, type ToolAnswer } from "./server-tool.ts";
import type { Opener } from "./source.ts";

/** Where queries run. */
export interface QuerySource {
  /** Connectors, keyed by the prefix of catalog addresses. */
  connectors: Connectors;
  /** Used for joins across sources. */
  engine?: QueryEngine | undefined;
}

/** What a query needs besides its arguments. */
export interface QueryCall extends QuerySource {
  catalog: CatalogReader;
  counter: TokenCounter;
  /** Stores rows that do not fit into the answer. */
  store?: Opener<ArtifactStore> | undefined;
  sessionId: string;
  signal: AbortSignal;
}

const maxRows = 10_000;
const limits = { rows: maxRows, timeoutMs: 30_000 };
const answerTokens = 2_000;

/** Runs `query_explain`. */
export async function explainQuery(input: JsonRecord, call: QueryCall): Promise<ToolAnswer> {
  const { ranOn, text } = await explain(queryIn(input), await optionsOf(call));
  return `${ranOn} runs:\n${text}`;
}

/** Runs `query_run`. */
export async function runQuery(input: JsonRecord, call: QueryCall): Promise<ToolAnswer> {
  const limit = Math.min(numberAt(input, "limit") ?? maxRows, maxRows);
  const { rows, total, doubts } = await executeQuery(queryIn(input), await optionsOf(call));
  const above = total === undefined ? doubts : [`of ${total} rows`, ...doubts];
  return await showRows({ rows: rows.slice(0, limit), isCut: rows.length > limit, above }, call);
}

function queryIn(input: JsonRecord): Query {
  return { sql: stringAt(input, "sql"), plan: input["plan"] };
}

/** Includes the details of all cards that are visible without a grant, since a query may refer to any table. */
async function optionsOf({
  catalog,
  connectors,
  engine,
  signal,
}: QueryCall): Promise<RunSqlOptions> {
  const ids: string[] = [];
  for (let page = 1, hasNext = true; hasNext; page += 1) {
    const { items, pageInfo } = await catalog.overview({ page, pageSize: 1_000, signal });
    ids.push(...items.map(({ id }) => id));
    ({ hasNext } = pageInfo);
  }
  const details = await planDetails(catalog, ids, { signal });
  return { details, connectors, engine, limits, signal };
}

interface ShownRows {
  rows: PlanRow[];
  /** True if there are more rows. */
  isCut: boolean;
  /** What a LIMIT cut off, and any doubts. */
  above: string[];
}

/**
 * Returns the same rows as text and as data, since a client passes only one of them to its model. Stores the remaining
 * rows.
 */
async function showRows(
  { rows: given, isCut: more, above }: ShownRows,
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

/** Tokens reserved for the lines around the rows. */
const lineTokens = 80;

/** Converts 64-bit integers, which JSON lacks. */
function plain(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
