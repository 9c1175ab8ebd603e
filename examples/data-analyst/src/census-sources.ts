import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import type { ToolDefinition } from "@ccl/core";
import type { ResourceInput } from "@ccl/catalog";

/** A row of the census, as the API returns it. */
interface CensusRow {
  year: number;
  age: number;
  sex: number;
  people: number;
}

/** An API on loopback that returns the census in pages, limits its callers, and sometimes fails. */
export interface CensusApi {
  baseUrl: string;
  rows: readonly CensusRow[];
  requests: string[];
  close(): Promise<void>;
}

const pageRows = 100;

/** Starts the API. It delays every seventh request, and cuts one answer off. */
export async function startCensusApi(): Promise<CensusApi> {
  const file = new URL("../data/population.json", import.meta.resolve("vega-datasets"));
  const rows: CensusRow[] = JSON.parse(await readFile(file, "utf8"));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (requests.length % 7 === 0)
      return void response.writeHead(429, { "retry-after": "0" }).end();
    const year = searchParams.get("year");
    const found = year === null ? rows : rows.filter((row) => row.year === Number(year));
    const start = Number(searchParams.get("cursor") ?? 0);
    const items = found.slice(start, start + pageRows);
    const next = start + pageRows < found.length ? String(start + pageRows) : null;
    const body = JSON.stringify({ items, next });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    if (requests.length !== 3) return void response.end(body);
    response.write(body.slice(0, 50));
    setImmediate(() => response.destroy());
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The API has no port.");
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    rows,
    requests,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}

/** The card of the API. */
export const censusCard: ResourceInput = {
  id: "res:api.census.people",
  uri: "https://census.example/people",
  kind: "api",
  title: "census",
  description: "People in the United States by census year, age group and sex (1: men, 2: women).",
  shape: { rows_est: 570 },
  cap: ["scan", "filter"],
  columns: [
    { name: "year", type: "integer", in: "query" },
    { name: "year", type: "integer", in: "response", nn: true },
    { name: "age", type: "integer", in: "response", nn: true },
    { name: "sex", type: "integer", in: "response", nn: true },
    { name: "people", type: "integer", in: "response", nn: true },
  ],
};

/** Rates to the US dollar. */
export const rates: readonly { currency: string; per_usd: number }[] = [
  { currency: "EUR", per_usd: 0.92 },
  { currency: "GBP", per_usd: 0.79 },
];

/** The era of each year. */
export const eras: readonly { year: number; era: string }[] = [
  ...[1850, 1860, 1870, 1880].map((year) => ({ year, era: "rural" })),
  ...[1900, 1910, 1920, 1930].map((year) => ({ year, era: "industrial" })),
  ...[1940, 1950, 1960, 1970, 1980, 1990, 2000].map((year) => ({ year, era: "modern" })),
];

const text = { type: "string" };

/** Functions that return rows. */
export const censusFunctions: readonly ToolDefinition[] = [
  {
    name: "exchange_rate",
    description: "Units of a currency for one US dollar.",
    inputSchema: {
      type: "object",
      properties: { currency: text },
      required: ["currency"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { base: text, per_usd: { type: "number" } },
      required: ["base", "per_usd"],
    },
    async execute(input) {
      const wanted: unknown = Object(input).currency;
      const rate = rates.find(({ currency }) => currency === wanted);
      if (rate === undefined) throw new Error("There is no rate for that currency.");
      return { base: "USD", per_usd: rate.per_usd };
    },
  },
  {
    name: "eras",
    description: "The era of each census year.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    outputSchema: {
      type: "array",
      items: {
        type: "object",
        properties: { year: { type: "integer" }, era: text },
        required: ["year", "era"],
      },
    },
    execute: async () => eras,
  },
];
