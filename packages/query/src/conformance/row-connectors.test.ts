import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendJson, startApi, type TestApi } from "../__fixtures__/start-api.ts";
import type { Connector } from "../connector/connector.ts";
import type { MemoryRows } from "../connector/create-memory-connector.ts";
import { openParquetConnector, type ParquetConnector } from "../duckdb/index.ts";
import { fileConnector, type FileFormat } from "../file/file-connector.ts";
import { httpConnector } from "../http/http-connector.ts";
import type { HttpPaging } from "../http/http-options.ts";
import { connectorConformance, sampleResources } from "./index.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

let api: TestApi;
let folder: string;
let parquet: ParquetConnector;
let emptyParquet: ParquetConnector;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-query-kit-"));
  parquet = await openParquet(false);
  emptyParquet = await openParquet(true);
  api = await startApi((url, response) => {
    const [, kind, paging = "", table = ""] = url.pathname.split("/");
    const rows = kind === "empty" ? [] : rowsOf(table);
    const size = Number(url.searchParams.get("size") ?? 2);
    const number = (name: string): number => Number(url.searchParams.get(name) ?? 0);
    const start =
      {
        page: (number("page") - 1) * size,
        offset: number("offset"),
        cursor: number("cursor"),
        link: number("from"),
        none: 0,
      }[paging] ?? 0;
    const page = paging === "none" ? rows : rows.slice(start, start + size);
    const hasMore = start + page.length < rows.length;
    if (paging === "link") {
      const link = `<${url.pathname}?from=${start + size}>; rel="next"`;
      return sendJson(response, page, hasMore ? { link } : {});
    }
    if (paging === "cursor")
      return sendJson(response, {
        items: page,
        meta: { next: hasMore ? String(start + size) : null },
      });
    sendJson(response, paging === "none" ? rows : { items: page });
  });
});
afterAll(async () => {
  await parquet.close();
  await emptyParquet.close();
  await rm(folder, { recursive: true });
  await api.close();
});

function rowsOf(table: string): MemoryRows {
  return sampleResources.find((sample) => sample.table === table)?.rows ?? [];
}

const pagings: Record<string, HttpPaging> = {
  page: { by: "page", parameter: "page" },
  offset: { by: "offset", parameter: "offset" },
  cursor: { by: "cursor", parameter: "cursor", cursorAt: "meta.next" },
  link: { by: "link" },
  none: { by: "none" },
};

function openHttp(by: string): (isEmpty: boolean) => Connector {
  return (isEmpty) =>
    httpConnector({
      baseUrl: `${api.baseUrl}/${isEmpty ? "empty" : "full"}/${by}`,
      resources: Object.fromEntries(
        sampleResources.map(({ details, table }) => [
          details.id,
          {
            path: `/${table}`,
            rowsAt: by === "link" || by === "none" ? "" : "items",
            paging: pagings[by] ?? { by: "none" },
            query: by === "page" ? { size: "2" } : {},
          },
        ]),
      ),
    });
}

/** The sample as a file, in pieces that end at arbitrary bytes. */
function openFile(format: FileFormat, pieceBytes: number): (isEmpty: boolean) => Connector {
  return (isEmpty) =>
    fileConnector({
      formatOf: () => format,
      async *read({ id }) {
        const sample = sampleResources.find(({ details }) => details.id === id);
        const bytes = new TextEncoder().encode(
          fileText(
            format,
            isEmpty ? [] : (sample?.rows ?? []),
            (sample?.details.columns ?? []).map(({ name }) => name),
          ),
        );
        for (let at = 0; at < bytes.length; at += pieceBytes)
          yield bytes.slice(at, at + pieceBytes);
      },
    });
}

function fileText(format: FileFormat, rows: MemoryRows, names: readonly string[]): string {
  if (format === "json") return JSON.stringify(rows);
  if (format === "jsonl") return rows.map((row) => `${JSON.stringify(row)}\n`).join("\r\n");
  const separator = format === "tsv" ? "\t" : ",";
  const cell = (value: unknown): string =>
    value === null || value === undefined ? "" : `"${String(value).replaceAll('"', '""')}"`;
  return [
    names.join(separator),
    ...rows.map((row) => names.map((name) => cell(row[name])).join(separator)),
  ].join("\r\n");
}

/** The sample as Parquet files in a separate folder. */
async function openParquet(isEmpty: boolean): Promise<ParquetConnector> {
  const own = join(folder, isEmpty ? "empty" : "full");
  await mkdir(own);
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  const quoted = (value: unknown): string =>
    value === null || value === undefined ? "NULL" : `'${String(value).replaceAll("'", "''")}'`;
  for (const { table, details, rows } of sampleResources) {
    const columns = details.columns ?? [];
    const types = columns.map(
      ({ name, type }) => `"${name}" ${type === "float" ? "double" : type}`,
    );
    await connection.run(`CREATE TABLE ${table} (${types.join(", ")})`);
    for (const row of isEmpty ? [] : rows)
      await connection.run(
        `INSERT INTO ${table} VALUES (${columns.map(({ name }) => quoted(row[name])).join(", ")})`,
      );
    await connection.run(`COPY ${table} TO '${join(own, `${table}.parquet`)}' (FORMAT parquet)`);
  }
  connection.closeSync();
  database.closeSync();
  return openParquetConnector({
    folder: own,
    fileOf: ({ title }) => `ccl_${title}.parquet`,
  });
}

type Opened = [format: string, open: (isEmpty: boolean) => Connector];

/**
 * Other ways of paging, and JSON in one piece, have separate tests. The whole kit takes a second
 * for each.
 */
const isLong = isAtLeast("faults");

describe.each<Opened>([
  ...(isLong ? ["page", "link"] : ["page"]).map((by): Opened => [
    `HTTP paged by ${by}`,
    openHttp(by),
  ]),
  ["CSV", openFile("csv", 7)],
  ...(isLong ? [["JSON", openFile("json", 3)] satisfies Opened] : []),
  ["JSON Lines", openFile("jsonl", 5)],
  ["Parquet", (isEmpty) => (isEmpty ? emptyParquet : parquet)],
])("the connector of %s", (_, open) => {
  it.each(connectorConformance({ open: async ({ isEmpty }) => open(isEmpty) }))(
    "$name",
    async ({ run }) => expect(await run()).toBeUndefined(),
  );
});
