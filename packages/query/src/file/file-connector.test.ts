import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { ResourceDetails } from "@ccl/catalog";
import { fromFiles } from "@ccl/catalog/importers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Connector } from "../connector/connector.ts";
import { openParquetConnector, type ParquetConnector } from "../duckdb/index.ts";
import { executePlan } from "../execute/execute-plan.ts";
import type { PlanRow } from "../execute/query-result.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { propertyRuns } from "../../../../scripts/lengths/test-length.mjs";
import { fileConnector } from "./file-connector.ts";

const columns = [
  { name: "id", type: "int", nn: true },
  { name: "day", type: "date" },
  { name: "amount", type: "numeric(10,2)" },
  { name: "note", type: "text" },
];

async function run(
  connector: Connector,
  plan: string,
  uri: string,
  more: Partial<ResourceDetails> = {},
): Promise<PlanRow[]> {
  const details: ResourceDetails = {
    id: "res:f",
    uri: `ada://any/file/${uri}`,
    kind: "file",
    title: "f",
    columns,
    ...more,
  };
  const parsed = parseLogicalPlan(plan);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const result = await executePlan(parsed.value, {
    details: [details],
    connectors: { "ada://any/file": connector },
  });
  return result.all();
}

const csv = (text: string | Uint8Array): Connector =>
  fileConnector({ read: () => text, maxBytes: 10_000 });

describe("fileConnector", () => {
  it("reads cells by column type: quotes, line breaks in cells, several date formats, nulls", async () => {
    const text =
      '\uFEFFnote;id;day;amount\r\n"a; ""b""\nc";1;2026/1/31;10.5\r\n;2;31.1.2026;NA\r\n"";3;;-0.05';
    expect(await run(csv(text), "scan(res:f)", "f.csv")).toEqual([
      { id: 1, day: "2026-01-31", amount: "10.50", note: 'a; "b"\nc' },
      { id: 2, day: "2026-01-31", amount: null, note: null },
      { id: 3, day: null, amount: "-0.05", note: null },
    ]);
  });

  it("names rows of other widths, unnamed and repeated columns like the catalog", async () => {
    const names = ["a", "column_2", "a_2", "column_4"];
    const more = { columns: names.map((name) => ({ name, type: "text" })) };
    const text = "a,,a\n1,2,3,4\n5\n";
    expect(await run(csv(text), "scan(res:f)", "f.csv", more)).toEqual([
      { a: "1", column_2: "2", a_2: "3", column_4: "4" },
      { a: "5", column_2: null, a_2: null, column_4: null },
    ]);
  });

  it("uses the delimiter, encoding and header that the catalog detected", async () => {
    const more = {
      columns: [
        { name: "column_1", type: "int" },
        { name: "column_2", type: "text" },
      ],
      constraints: { delimiter: "|", header: false, encoding: "utf-16le" },
    };
    const text = new Uint8Array(
      new Uint16Array([..."\uFEFF1|é,;\n"].map((c) => c.charCodeAt(0))).buffer,
    );
    expect(await run(csv(text), "scan(res:f)", "f.csv", more)).toEqual([
      { column_1: 1, column_2: "é,;" },
    ]);
  });

  it("stops reading at a limit", async () => {
    let pieces = 0;
    async function* endless(): AsyncGenerator<string> {
      yield "id,day,amount,note\n";
      for (;;) {
        pieces += 1;
        yield `${pieces},,,\n`.repeat(5_000);
      }
    }
    const connector = fileConnector({ read: endless });
    expect(await run(connector, "scan(res:f, id) -> filter(id >= 2) -> limit(2)", "f.csv")).toEqual(
      [{ id: 2 }, { id: 2 }],
    );
    expect(pieces).toBeLessThan(4);
  });

  const refusals: [name: string, code: string, text: string | Uint8Array, uri?: string][] = [
    ["a quote that stays open", "value_invalid", 'id,day,amount,note\n1,,,"x\n'],
    ["a header without a column", "value_invalid", "id,day,amount\n1,,\n"],
    ["a cell that is not a number", "value_invalid", "id,day,amount,note\nx,,,\n"],
    ["digits that the type does not hold", "value_invalid", "id,day,amount,note\n1,,0.001,\n"],
    ["a day that could be two", "value_invalid", "id,day,amount,note\n1,1/2/2026,,\n"],
    ["a null that the catalog rules out", "value_invalid", "id,day,amount,note\n,,,\n"],
    ["bytes that are not UTF-8", "value_invalid", new Uint8Array([0x69, 0xff, 0x0a])],
    ["a file that is too large", "limit_exceeded", "x".repeat(10_001)],
    ["a line that is not JSON", "value_invalid", '{"id":1}\n{"id":\n', "f.jsonl"],
    ["a document that is not a list", "value_invalid", '"x"', "f.json"],
    ["a document that is cut off", "value_invalid", '[{"id":1},{"id":', "f.json"],
    ["a header of another file", "value_invalid", "\u0000PAR1\n1,2,3,4\n"],
    ["text in UTF-16", "value_invalid", new Uint8Array([0xff, 0xfe, 0x69, 0x00, 0x64, 0x00])],
    [
      "a field that is longer than the file may be",
      "limit_exceeded",
      `id,day,amount,note\n1,,,"${"x".repeat(10_000)}"\n`,
    ],
    ["an ending that is not known", "invalid_options", "", "f.xls"],
  ];
  it.each(refusals)("refuses %s", async (_, code, text, uri = "f.csv") => {
    await expect(run(csv(text), "scan(res:f, id, day, amount, note)", uri)).rejects.toMatchObject({
      code,
    });
  });
});

describe("openParquetConnector", () => {
  let folder: string;
  let connector: ParquetConnector;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ccl-query-parquet-"));
    const database = await DuckDBInstance.create(":memory:");
    const connection = await database.connect();
    await connection.run(
      `COPY (SELECT range AS id, DATE '2026-01-01' + (range % 3)::INTEGER AS day, (range / 4)::DECIMAL(10,2) AS amount, 'n' || range AS note, TIMESTAMPTZ '2026-01-01 00:00:00+02' AS seen FROM range(10000)) TO '${folder}/it''s f.parquet' (FORMAT parquet)`,
    );
    connection.closeSync();
    database.closeSync();
    await writeFile(join(folder, "secret.txt"), "secret");
    connector = await openParquetConnector({ folder });
  });
  afterAll(async () => {
    await connector.close();
    await rm(folder, { recursive: true });
  });

  it("lets DuckDB run every step, without another engine", async () => {
    const plan =
      "scan(res:f, id, day, amount) -> filter(id < 6) -> agg(day, sum(amount) as s, count() as n) -> sort(day)";
    expect(await run(connector, plan, "it's%20f.parquet")).toEqual([
      { day: "2026-01-01", s: "0.75", n: 2 },
      { day: "2026-01-02", s: "1.25", n: 2 },
      { day: "2026-01-03", s: "1.75", n: 2 },
    ]);
    const seen = { columns: [{ name: "seen", type: "timestamptz" }] };
    expect(await run(connector, "scan(res:f) -> limit(1)", "it's%20f.parquet", seen)).toEqual([
      { seen: "2025-12-31T22:00:00Z" },
    ]);
    expect(await run(connector, "scan(res:f, id)", "it's%20f.parquet")).toHaveLength(10_000);
  });

  it("stops at a row limit and at an abort, and serves the next query", async () => {
    const plan = parseLogicalPlan("scan(res:f, id, note)");
    if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
    const uri = "ada://any/file/it's%20f.parquet";
    const options = {
      details: [{ id: "res:f", uri, kind: "file", title: "f", columns }],
      connectors: { "ada://any/file": connector },
      batchRows: 100,
    };
    const limited = await executePlan(plan.value, {
      ...options,
      limits: { eachSource: { rows: 250 } },
    });
    await expect(limited.all()).rejects.toMatchObject({ code: "limit_exceeded" });
    const controller = new AbortController();
    const aborted = await executePlan(plan.value, { ...options, signal: controller.signal });
    const reading = async (): Promise<void> => {
      for await (const batch of aborted.batches) if (batch.rowCount > 0) controller.abort();
    };
    await expect(reading()).rejects.toMatchObject({ code: "aborted" });
    expect(
      await run(connector, "scan(res:f, id) -> agg(count() as n)", "it's%20f.parquet"),
    ).toEqual([{ n: 10_000 }]);
  });

  it("fails with engine_failed for a truncated file", async () => {
    const whole = await readFile(join(folder, "it's f.parquet"));
    for (const [index, length] of [0, 3, 4, 1_000, whole.length - 1].entries()) {
      await writeFile(join(folder, `cut${index}.parquet`), whole.subarray(0, length));
      const reading = run(connector, "scan(res:f, id)", `cut${index}.parquet`);
      await expect(reading, `${length} bytes`).rejects.toMatchObject({ code: "engine_failed" });
    }
  });

  const refusals: [name: string, code: string, uri: string, more?: Partial<ResourceDetails>][] = [
    ["a path out of the folder", "source_failed", "..%2F..%2Fetc%2Fpasswd"],
    ["a glob", "source_failed", "*.parquet"],
    ["a missing file", "engine_failed", "none.parquet"],
    ["a file in another format", "engine_failed", "secret.txt"],
    [
      "a column whose type differs from the catalog's",
      "value_invalid",
      "it's%20f.parquet",
      { columns: [{ name: "amount", type: "int" }] },
    ],
    [
      "a missing column",
      "value_invalid",
      "it's%20f.parquet",
      { columns: [{ name: "nope", type: "int" }] },
    ],
  ];
  it.each(refusals)("refuses %s", async (_, code, uri, more) => {
    await expect(run(connector, "scan(res:f) -> limit(1)", uri, more)).rejects.toMatchObject({
      code,
    });
  });

  it("reads nothing outside of its folder, whatever the file name", async () => {
    const other = await mkdtemp(join(tmpdir(), "ccl-query-other-"));
    const escaping = await openParquetConnector({
      folder: other,
      fileOf: () => `x') UNION ALL SELECT content FROM read_text('${folder}/secret.txt`,
    });
    await expect(run(escaping, "scan(res:f) -> limit(1)", "f.parquet")).rejects.toMatchObject({
      code: "engine_failed",
    });
    await escaping.close();
    await rm(other, { recursive: true });
  });
});

describe("files that programs export", () => {
  const catalogued = (text: string): ResourceDetails => {
    const files = [{ name: "f.csv", bytes: new TextEncoder().encode(text) }];
    const found = fromFiles(files);
    const [record] = found.ok ? found.value : [];
    if (record === undefined) throw new Error("The file is not catalogued.");
    return { id: "res:f", uri: "", kind: "file", title: "f", columns: record.columns };
  };

  it.each([
    [
      "thousands separators and decimal points",
      'id,total\n1,"1,200.50"\n2,3.5\n',
      "string",
      "1,200.50",
    ],
    ["decimal commas", "id;total\r\n1;1200,50\r\n2;3,5\r\n", "string", "1200,50"],
    ["instants", "id,at\n1,2021-08-06T13:18:00Z\n2,\n", "timestamptz", "2021-08-06T13:18:00Z"],
    ["COPY", "id\tat\n1\t2021-08-06 13:18:00\n2\t\\N\n", "timestamp", "2021-08-06T13:18:00"],
    ["pandas", ",score\n0,1.5\n1,NaN\n", "number", 1.5],
    ["truth", "id,ok\n1,True\n2,False\n", "boolean", true],
    ["invalid dates", "id,day\n1,31.02.2024\n2,2024-02-30\n", "string", "31.02.2024"],
    ["line breaks in quotes", '\uFEFFid;note\r\n1;"a\r\nb"\r\n2;c\r\n', "string", "a\r\nb"],
  ])("are read as they are catalogued: %s", async (_, text, type, first) => {
    const more = catalogued(text);
    const column = more.columns?.[1];
    expect(column?.type).toBe(type);
    const [row] = await run(csv(text), "scan(res:f)", "f.csv", { columns: more.columns });
    expect(row?.[column?.name ?? ""]).toBe(first);
  });

  it("have no cell whose catalogued type the reader cannot parse", async () => {
    const digits = fc.stringMatching(
      /^[+-]?[0-9]{1,4}[-/.,: T]?[0-9]{0,3}[-/.,:e]?[0-9]{0,4}[Z+%]?$/,
    );
    const moment = fc.stringMatching(
      /^[0-9]{4}[-/.][01]?[0-9][-/.][0-3]?[0-9]([T ][0-2][0-9]:[0-6][0-9](:[0-6][0-9])?(Z|[+-][0-2][0-9](:?[0-9]0)?)?)?$/,
    );
    const day = fc.stringMatching(/^[0-3]?[0-9][./][01]?[0-9][./][0-9]{4}$/);
    const cell = fc.oneof(
      digits,
      moment,
      day,
      fc.constantFrom("true", "FALSE", "1e999", "\\N", "NaN"),
    );
    // Includes columns with cells of a single kind, so that each type occurs.
    const kinds = [
      cell,
      moment,
      day,
      fc.integer().map(String),
      fc.integer().map((number) => (number / 100).toFixed(2)),
      fc
        .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
        .map((at) => at.toISOString().slice(0, 10)),
    ];
    const column = fc.oneof(...kinds.map((kind) => fc.array(kind, { minLength: 1, maxLength: 3 })));
    const types = new Set<string>();
    await fc.assert(
      fc.asyncProperty(column, async (cells) => {
        const text = `key,cell\n${cells.map((value, at) => `k${at},"${value}"`).join("\n")}\n`;
        const { columns: found } = catalogued(text);
        types.add(String(found?.[1]?.type));
        expect(await run(csv(text), "scan(res:f)", "f.csv", { columns: found })).toHaveLength(
          cells.length,
        );
      }),
      { numRuns: propertyRuns * 5 },
    );
    for (const type of ["integer", "number", "date", "string"]) expect(types).toContain(type);
  });
});
