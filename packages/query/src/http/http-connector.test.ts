import type { ServerResponse } from "node:http";
import type { ResourceDetails } from "@ccl/catalog";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sendJson, startApi, type TestApi } from "../__fixtures__/start-api.ts";
import { executePlan, type ExecutePlanOptions } from "../execute/execute-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { PlanRow } from "../execute/query-result.ts";
import { QueryError } from "../query-error.ts";
import { runSql } from "../select/run-sql.ts";
import { httpConnector } from "./http-connector.ts";
import type { HttpConnectorOptions, HttpPaging } from "./http-options.ts";

let api: TestApi | undefined;
// Waits between requests have random jitter.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(async () => {
  vi.restoreAllMocks();
  await api?.close();
  api = undefined;
});

const rows = [
  { id: 1, city: "Ulm", day: "2026-01-01", amount: 10.5 },
  { id: 2, city: "ulm", day: "2026-01-02", amount: 1 },
  { id: 3, city: "Köln", day: "2026-01-03", amount: 2.25 },
  { id: 4, city: "Ulm", day: "2026-01-04", amount: null },
];
const columns = [
  { name: "shop", type: "string", in: "path" },
  { name: "city", type: "string", in: "query" },
  { name: "q", type: "string", in: "query" },
  { name: "id", type: "integer", in: "response", nn: true },
  { name: "city", type: "string", in: "response" },
  { name: "day", type: "date", in: "response" },
  { name: "amount", type: "numeric(12,2)", in: "response" },
];

interface Case {
  plan: string;
  answer: (url: URL, response: ServerResponse, count: number) => void;
  options?: Partial<HttpConnectorOptions>;
  paging?: HttpPaging;
  execute?: Partial<ExecutePlanOptions>;
  details?: Partial<ResourceDetails>;
}

async function run({
  plan,
  answer,
  options,
  paging = { by: "none" },
  execute,
  details,
}: Case): Promise<PlanRow[]> {
  api = await startApi(answer);
  const orders: ResourceDetails = {
    id: "res:orders",
    uri: "https://shop.example/orders",
    kind: "api",
    title: "orders",
    columns,
    ...details,
  };
  const parsed = parseLogicalPlan(plan);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const connector = httpConnector({
    baseUrl: `${api.baseUrl}/v1`,
    name: "shop",
    resources: {
      "res:orders": {
        path: "/shops/{shop}/orders",
        paging,
      },
    },
    ...options,
  });
  const result = await executePlan(parsed.value, {
    details: [orders],
    connectors: { "https://shop.example": connector },
    ...execute,
  });
  return result.all();
}

async function errorOf(call: () => Promise<unknown>): Promise<QueryError> {
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (QueryError.isInstance(error)) return error;
  throw new Error(`no QueryError: ${String(error)}`);
}

const scan = "scan(res:orders, shop, city, q, id, day, amount)";
const inShop = `${scan} -> filter(shop = 'a')`;
const all: Case["answer"] = (_, response) => sendJson(response, rows);

describe("httpConnector", () => {
  it("puts conditions into path and query, checks them again on the rows, and reads arguments as given", async () => {
    const found = await run({
      plan: `${scan} -> filter(shop = 'a/../b?' and city = 'Ulm' and q = 'x&y=1' and day >= date '2026-01-01')`,
      answer: all,
    });
    expect(api?.requests).toEqual(["/v1/shops/a%2F..%2Fb%3F/orders?city=Ulm&q=x%26y%3D1"]);
    expect(found).toEqual([
      { shop: "a/../b?", city: "Ulm", q: "x&y=1", id: 1, day: "2026-01-01", amount: "10.50" },
      { shop: "a/../b?", city: "Ulm", q: "x&y=1", id: 4, day: "2026-01-04", amount: null },
    ]);
  });

  it("sends one request for each value of a list", async () => {
    await run({
      plan: `${scan} -> filter(shop in ('a', 'b', 'a') and city in ('Ulm', 'Köln'))`,
      answer: all,
    });
    expect(api?.requests.toSorted()).toEqual([
      "/v1/shops/a/orders?city=K%C3%B6ln",
      "/v1/shops/a/orders?city=Ulm",
      "/v1/shops/b/orders?city=K%C3%B6ln",
      "/v1/shops/b/orders?city=Ulm",
    ]);
  });

  it("sends arguments to a source whose card allows no other condition", async () => {
    const details = { pushdown: { filter: false } };
    const plan = `${inShop} -> filter(day >= date '2026-01-04') -> project(id)`;
    expect(await run({ plan, answer: all, details })).toEqual([{ id: 4 }]);
    expect(api?.requests).toEqual(["/v1/shops/a/orders"]);
  });

  it("sends no request for a condition that no value meets", async () => {
    expect(await run({ plan: `${inShop} -> filter(city = null)`, answer: all })).toEqual([]);
    expect(api?.requests).toEqual([]);
  });

  it("sends no more requests once a limit is reached", async () => {
    const answer: Case["answer"] = (url, response) =>
      sendJson(response, [rows[Number(url.searchParams.get("page")) - 1]]);
    const found = await run({
      plan: `${inShop} -> limit(2)`,
      answer,
      paging: { by: "page", parameter: "page" },
    });
    expect(found.map(({ id }) => id)).toEqual([1, 2]);
    expect(api?.requests).toHaveLength(2);
  });

  it("retries temporary failures, and sends the headers of auth", async () => {
    const answer: Case["answer"] = (_, response, count) => {
      if (count === 1) response.writeHead(429, { "retry-after": "0" }).end();
      else if (count === 2)
        response.writeHead(503, { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }).end();
      else if (count === 3) response.writeHead(500).end();
      else sendJson(response, rows);
    };
    const options = { auth: () => ({ authorization: "Bearer secret" }) };
    expect(await run({ plan: inShop, answer, options })).toHaveLength(4);
    expect(api?.headers.map(({ authorization }) => authorization)).toEqual(
      Array.from({ length: 4 }, () => "Bearer secret"),
    );
  });

  it("reads a page again if its body ended early, and counts its rows once", async () => {
    const answer: Case["answer"] = (url, response, count) => {
      const page = Number(url.searchParams.get("page"));
      if (count !== 2) return sendJson(response, rows.slice(page - 1, page));
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
      response.write('[{"id":');
      setImmediate(() => response.destroy());
    };
    const found = await run({ plan: inShop, answer, paging: { by: "page", parameter: "page" } });
    expect(found.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  it("yields the rows that arrived, then fails, if a source fails midway", async () => {
    const answer: Case["answer"] = (url, response) => {
      if (url.searchParams.get("page") === "1") sendJson(response, rows.slice(0, 1));
      else response.destroy();
    };
    const error = await errorOf(() =>
      run({
        plan: inShop,
        answer,
        paging: { by: "page", parameter: "page" },
      }),
    );
    expect([error.code, error.message]).toEqual([
      "source_failed",
      'shop ("scan1"): shop could not be read for "res:orders": the connection failed.',
    ]);
    expect(api?.requests).toHaveLength(5);
  });

  const page: HttpPaging = { by: "page", parameter: "page" };
  const html: Case["answer"] = (_, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  const refusals: [name: string, code: string, test: Case][] = [
    [
      "an argument that would change the path",
      "value_invalid",
      { plan: `${scan} -> filter(shop = '..')`, answer: all },
    ],
    [
      "an empty path argument",
      "value_invalid",
      { plan: `${scan} -> filter(shop = '')`, answer: all },
    ],
    [
      "more calls than allowed",
      "limit_exceeded",
      {
        plan: `${scan} -> filter(shop in (${Array.from({ length: 101 }, (_, at) => `'s${at}'`).join(", ")}))`,
        answer: all,
      },
    ],
    [
      "a wait that is too long",
      "source_failed",
      {
        plan: inShop,
        answer: (_, response) => void response.writeHead(429, { "retry-after": "3600" }).end(),
      },
    ],
    [
      "a permanent refusal",
      "source_failed",
      { plan: inShop, answer: (_, response) => void response.writeHead(403).end() },
    ],
    ["an answer whose type is not JSON", "value_invalid", { plan: inShop, answer: html }],
    [
      "invalid JSON",
      "value_invalid",
      {
        plan: inShop,
        answer: (_, response) =>
          void response.writeHead(200, { "content-type": "application/json" }).end("[{"),
      },
    ],
    [
      "invalid UTF-8",
      "value_invalid",
      {
        plan: inShop,
        answer: (_, response) =>
          void response
            .writeHead(200, { "content-type": "application/json" })
            .end(new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d])),
      },
    ],
    [
      "an answer above the byte limit",
      "limit_exceeded",
      {
        plan: inShop,
        answer: (_, response) => sendJson(response, "x".repeat(5_000)),
        options: { maxBytes: 1_000 },
      },
    ],
    [
      "a value of another type",
      "value_invalid",
      { plan: inShop, answer: (_, response) => sendJson(response, [{ ...rows[0], day: "soon" }]) },
    ],
    [
      "a whole number that a double cannot hold",
      "value_invalid",
      {
        plan: inShop,
        answer: (_, response) =>
          void response
            .writeHead(200, { "content-type": "application/json" })
            .end('[{"id":9007199254740993}]'),
      },
    ],
    [
      "a null in a column that the catalog declares not null",
      "value_invalid",
      { plan: inShop, answer: (_, response) => sendJson(response, [{ ...rows[0], id: null }]) },
    ],
    [
      "rows that are not at the expected path",
      "value_invalid",
      { plan: inShop, answer: (_, response) => sendJson(response, "none") },
    ],
    ["a page that repeats forever", "source_failed", { plan: inShop, answer: all, paging: page }],
    [
      "more pages than allowed",
      "limit_exceeded",
      {
        plan: inShop,
        answer: (_, response, count) => sendJson(response, [{ ...rows[0], id: count }]),
        paging: page,
        options: { maxPages: 3 },
      },
    ],
    [
      "a cursor that repeats",
      "source_failed",
      {
        plan: inShop,
        answer: (_, response, count) => sendJson(response, { items: [{ id: count }], next: "a" }),
        paging: { by: "cursor", parameter: "cursor", cursorAt: "next" },
        details: {
          columns: [
            ...columns.slice(0, 3),
            { name: "items[].id", type: "integer", in: "response" },
          ],
        },
      },
    ],
    [
      "a link to another host",
      "source_failed",
      {
        plan: inShop,
        answer: (_, response) =>
          sendJson(response, rows, { link: '<http://169.254.169.254/meta>; rel="next"' }),
        paging: { by: "link" },
      },
    ],
    [
      "a link out of the base path",
      "source_failed",
      {
        plan: inShop,
        answer: (_, response) => sendJson(response, rows, { link: '</v1/../admin>; rel="next"' }),
        paging: { by: "link" },
      },
    ],
    [
      "a redirect to another host",
      "source_failed",
      {
        plan: inShop,
        answer: (_, response) =>
          void response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
      },
    ],
    [
      "a card with pages but without paging settings",
      "invalid_options",
      {
        plan: inShop,
        answer: all,
        options: { resources: { "res:orders": { path: "/{shop}" } } },
        details: { columns: [...columns, { name: "page", type: "integer", in: "query" }] },
      },
    ],
    [
      "a resource that needs another method than GET",
      "invalid_options",
      {
        plan: inShop,
        answer: all,
        options: { resources: {} },
        details: { http: { method: "POST", path: "/x" } },
      },
    ],
  ];
  it.each(refusals)("refuses %s", async (_, code, test) => {
    const replaced = test.details?.columns?.some(({ name }) => name === "items[].id")
      ? { ...test, plan: "scan(res:orders, shop, \"items[].id\") -> filter(shop = 'a')" }
      : test;
    expect((await errorOf(() => run(replaced))).code).toBe(code);
  });

  it("sends no request for SQL that lacks an argument of the path", async () => {
    const connectors = { "https://shop.example": httpConnector({ baseUrl: "http://localhost:1" }) };
    const uri = "https://shop.example/orders";
    const details = [{ id: "res:orders", uri, kind: "api", title: "orders", columns }];
    const asked = errorOf(() => runSql("select id from orders", { details, connectors }));
    expect((await asked).code).toBe("argument_missing");
  });

  it("leaves no request open when it is aborted", async () => {
    const controller = new AbortController();
    let isClosed = false;
    const answer: Case["answer"] = (_, response) => {
      response.on("close", () => (isClosed = true));
      response.writeHead(200, { "content-type": "application/json" });
      response.write("[");
      controller.abort();
    };
    const error = await errorOf(() =>
      run({ plan: inShop, answer, execute: { signal: controller.signal } }),
    );
    expect(error.code).toBe("aborted");
    await expect.poll(() => isClosed).toBe(true);
  });

  it.each([
    { baseUrl: "ftp://x" },
    { baseUrl: "https://user:secret@x.example" },
    { baseUrl: "https://x.example?key=1" },
    { baseUrl: "https://x.example", maxPages: 0 },
    { baseUrl: "https://x.example", maxBytes: Number.NaN },
  ])("rejects invalid options: %o", (options) =>
    expect(() => httpConnector(options)).toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    ),
  );
});
