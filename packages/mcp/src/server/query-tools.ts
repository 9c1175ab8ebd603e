import type { ArtifactStore } from "@ccl/artifact-store";
import { compress } from "@ccl/compress";
import type { TokenCounter } from "@ccl/core";
import { numberAt } from "@ccl/core/json";
import {
  type Connectors,
  executePlan,
  explainPlan,
  parseLogicalPlan,
  planDetails,
  type QueryEngine,
  type QueryResult,
} from "@ccl/query";

import type { CatalogReader } from "./catalog-tools.ts";
import { dataResult, issuesError, type ServerTool, type ToolAnswer } from "./server-tool.ts";
import { storedLine } from "./stored-line.ts";

/** What queries run on. */
export interface QuerySource {
  /** By the beginning of the addresses in the catalog. */
  connectors: Connectors;
  /** For joins across sources. */
  engine?: QueryEngine | undefined;
}

/** What query tools need beside the sources. */
export interface QueryToolsOptions extends QuerySource {
  catalog: CatalogReader;
  counter: TokenCounter;
  /** Rows that an answer can't show are kept here. */
  store?: ArtifactStore | undefined;
}

const maxRows = 10_000;
const defaultRows = 200;
const timeoutMs = 30_000;
const answerTokens = 1_500;

const plan = {
  type: "string",
  description: "scan(id)→filter(a='x')→agg(day, sum(b) as total)→sort(day), or YAML",
};

/** `query_explain` and `query_run`: plans over the catalogued resources, only ever read. */
export function queryTools(options: QueryToolsOptions): ServerTool[] {
  const { catalog, connectors } = options;
  return [
    {
      name: "query_explain",
      description: "Checks a plan of query_run and says which source does what.",
      inputSchema: {
        type: "object",
        properties: { plan: { type: "string" } },
        required: ["plan"],
      },
      annotations: { readOnlyHint: true },
      async run(input, { signal }) {
        const parsed = parseLogicalPlan(input["plan"]);
        if (!parsed.ok) return issuesError(parsed.issues);
        const details = await planDetails(catalog, parsed.value, { signal });
        return explainPlan(parsed.value, { details, connectors }).text;
      },
    },
    {
      name: "query_run",
      description: "Runs a query plan and gives its rows; many rows are stored under a handle.",
      inputSchema: {
        type: "object",
        properties: { plan, limit: { type: "integer", minimum: 1 } },
        required: ["plan"],
      },
      outputSchema: { type: "object", properties: { rows: { type: "array" } } },
      annotations: { readOnlyHint: true },
      async run(input, { signal }) {
        const parsed = parseLogicalPlan(input["plan"]);
        if (!parsed.ok) return issuesError(parsed.issues);
        const details = await planDetails(catalog, parsed.value, { signal });
        const result = await executePlan(parsed.value, {
          details,
          connectors,
          engine: options.engine,
          limits: { rows: maxRows, timeoutMs },
          signal,
        });
        return showRows(result, Math.min(numberAt(input, "limit") ?? defaultRows, maxRows), {
          ...options,
          signal,
        });
      },
    },
  ];
}

async function showRows(
  result: QueryResult,
  limit: number,
  { counter, store, signal }: QueryToolsOptions & { signal: AbortSignal },
): Promise<ToolAnswer> {
  const rows: Record<string, unknown>[] = [];
  let isCut = false;
  try {
    for await (const row of result.rows()) {
      if ((isCut = rows.length === limit)) break;
      rows.push(
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
      );
    }
  } finally {
    await result.close();
  }
  const json = JSON.stringify(rows);
  const shown = compress(json, { budget: answerTokens, kind: "json", counter });
  const cut = isCut ? `[the first ${limit} rows; ask for more with limit]\n` : "";
  if (shown.isLossless) return dataResult(`${cut}${shown.text}`, { rows });
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
