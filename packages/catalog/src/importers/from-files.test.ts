import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkResources } from "../record/check-resource.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { fromFiles, type FromFilesOptions, type SourceFile } from "./from-files.ts";
import { detectDelimiter, type Delimiter } from "@ccl/core/delimited";

const data = join(dirname(createRequire(import.meta.url).resolve("vega-datasets")), "..", "data");
const vega = (name: string): SourceFile => ({
  name,
  bytes: new Uint8Array(readFileSync(join(data, name))),
});
const textFile = (name: string, text: string): SourceFile => ({
  name,
  bytes: new TextEncoder().encode(text),
});

function imported(files: SourceFile[], options: FromFilesOptions = {}): ResourceInput[] {
  const result = fromFiles(files, options);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  expect(checkResources(result.value)).toMatchObject({ ok: true });
  return result.value;
}

const shapeOf = ({ shape, columns }: ResourceInput): string =>
  `${String(shape?.rows_est)}: ${(columns ?? []).map(({ name, type }) => `${name}:${type}`).join(", ")}`;

describe("fromFiles on public data sets", () => {
  it("reads tables, lists and trees", () => {
    const names =
      "stocks.csv airports.csv seattle-weather.csv unemployment.tsv birdstrikes.csv movies.json cars.json flights-200k.json earthquakes.json flare.json budgets.json";
    const resources = names.split(" ").map((name) => imported([vega(name)])[0]);
    expect(resources.map((resource) => resource && `${resource.title} ${shapeOf(resource)}`))
      .toMatchInlineSnapshot(`
      [
        "stocks.csv 560: symbol:string, date:string, price:number",
        "airports.csv 3376: iata:string, name:string, city:string, state:string, country:string, latitude:number, longitude:number",
        "seattle-weather.csv 1461: date:date, precipitation:number, temp_max:number, temp_min:number, wind:number, weather:string",
        "unemployment.tsv 3218: id:integer, rate:number",
        "birdstrikes.csv ~9994: Airport Name:string, Aircraft Make Model:string, Effect Amount of damage:string, Flight Date:date, Aircraft Airline Operator:string, Origin State:string, Phase of flight:string, Wildlife Size:string, Wildlife Species:string, Time of day:string, Cost Other:integer, Cost Repair:integer, Cost Total $:integer, Speed IAS in knots:integer",
        "movies.json ~3213: Title:string, US Gross:integer, Worldwide Gross:integer, US DVD Sales:integer, Production Budget:integer, Release Date:string, MPAA Rating:string, Running Time min:integer, Distributor:string, Source:string, Major Genre:string, Creative Type:string, Director:string, Rotten Tomatoes Rating:integer, IMDB Rating:number, IMDB Votes:integer",
        "cars.json 406: Name:string, Miles_per_Gallon:number, Cylinders:integer, Displacement:number, Horsepower:integer, Weight_in_lbs:integer, Acceleration:number, Year:date, Origin:string",
        "flights-200k.json ~203785: delay:integer, distance:integer, time:number",
        "earthquakes.json 1707: type:string, properties.mag:number, properties.place:string, properties.time:integer, properties.updated:integer, properties.tz:integer, properties.url:string, properties.detail:string, properties.felt:integer, properties.cdi:number, properties.mmi:number, properties.alert:string, properties.status:string, properties.tsunami:integer, properties.sig:integer, properties.net:string, properties.code:string, properties.ids:string, properties.sources:string, properties.types:string, properties.nst:integer, properties.dmin:number, properties.rms:number, properties.gap:number, properties.magType:string, properties.type:string, properties.title:string, geometry.type:string, geometry.coordinates:array, id:string",
        "flare.json 252: id:integer, name:string, parent:integer, size:integer",
        "budgets.json 230: budgetYear:integer, forecastYear:integer, value:number",
      ]
    `);
  });

  it("counts nulls and keeps no value", () => {
    const [movies] = imported([vega("movies.json")]);
    expect(movies?.quality).toMatchInlineSnapshot(`
      {
        "null_rate": {
          "Creative Type": 0.1671,
          "Director": 0.419,
          "Distributor": 0.0906,
          "IMDB Rating": 0.0623,
          "IMDB Votes": 0.0623,
          "MPAA Rating": 0.2473,
          "Major Genre": 0.1064,
          "Production Budget": 0.0004,
          "Rotten Tomatoes Rating": 0.2897,
          "Running Time min": 0.6762,
          "Source": 0.1376,
          "US DVD Sales": 0.8549,
          "US Gross": 0.0029,
          "Worldwide Gross": 0.0029,
        },
      }
    `);
    expect(JSON.stringify(movies)).not.toContain("The Land Girls");
  });

  it("estimates the rows of a partly read file to within a tenth", () => {
    const [whole] = imported([vega("zipcodes.csv")], {
      sampleBytes: 10_000_000,
      sampleRows: 1_000_000,
    });
    const [part] = imported([vega("zipcodes.csv")], { sampleBytes: 100_000 });
    const rows = Number(whole?.shape?.rows_est);
    expect(
      Math.abs(Number(String(part?.shape?.rows_est).replace("~", "")) / rows - 1),
    ).toBeLessThan(0.1);
  });
});

describe("fromFiles on Parquet", () => {
  const name = "flights-3m.parquet";
  // The output of hyparquet 1.31's parquetMetadata for this file of the data sets, reduced to the
  // members that are read.
  const recorded = JSON.parse(
    readFileSync(new URL(`__fixtures__/${name}-metadata.json`, import.meta.url), "utf8"),
  );
  const bytes = new Uint8Array(8);

  it("takes columns, types and rows from the footer", () => {
    const [file] = imported([{ name, bytes }], { parquetMetadata: () => recorded });
    expect(file && shapeOf(file)).toMatchInlineSnapshot(
      `"3000000: date:timestamp, delay:int64, distance:int64, origin:string, destination:string"`,
    );
  });

  it("expands groups, recognizes required columns and counts nulls", () => {
    const schema = [
      { name: "root", num_children: 3 },
      { name: "id", type: "INT32", repetition_type: "REQUIRED" },
      { name: "place", num_children: 2 },
      { name: "city", type: "BYTE_ARRAY", converted_type: "UTF8" },
      {
        name: "price",
        type: "FIXED_LEN_BYTE_ARRAY",
        converted_type: "DECIMAL",
        precision: 12,
        scale: 2,
      },
      { name: "at", type: "INT64", logical_type: { type: "TIMESTAMP" } },
    ];
    const column = (path: string[], statistics: object) => ({
      meta_data: { path_in_schema: path, statistics },
    });
    const row_groups = [
      {
        columns: [
          column(["place", "city"], { null_count: 3n }),
          column(["at"], { null_count: 1n }),
        ],
      },
      { columns: [column(["place", "city"], { null_count: 2n }), column(["at"], {})] },
    ];
    const parquetMetadata = () => ({ num_rows: 20n, schema, row_groups });
    const [file] = imported([{ name, bytes }], { parquetMetadata });
    expect(file && shapeOf(file)).toBe(
      "20: id:int32, place.city:string, place.price:decimal(12,2), at:timestamp",
    );
    expect(file?.columns?.[0]?.nn).toBe(true);
    expect(file?.quality).toEqual({ null_rate: { "place.city": 0.25 } });
  });

  it("rejects a file that the reader cannot read", () => {
    const parquetMetadata = (): never => {
      throw new Error("parquet file invalid (footer != PAR1)");
    };
    const result = fromFiles([{ name, bytes }], { parquetMetadata });
    expect(result).toMatchObject({ ok: false, issues: [{ code: "malformed_file" }] });
  });
});

describe("fromFiles", () => {
  it.each([
    [
      "semicolons, decimal commas, Russian dates",
      "Дата;Сумма;Индекс\n01.02.2025;1 234,50;007123\n02.02.2025;2,00;101000\n",
      "Дата:date, Сумма:string, Индекс:string",
    ],
    [
      "quotes, line ends and delimiters in cells",
      'a,"b ""x"""\r\n"1\n2",3\r\n',
      'a:string, b "x":integer',
    ],
    ["no header", "1,2025-01-01\n2,2025-01-02\n", "column_1:integer, column_2:date"],
    [
      "a header with blank and repeated names",
      "id,,id\n1,2,3\n",
      "id:integer, column_2:integer, id_2:integer",
    ],
    ["texts under a header", "name|city\nAnna|Omsk\nIvan|Perm\n", "name:string, city:string"],
    ["ragged rows", "a,b\n1\n2,3,4\n", "a:integer, b:integer, column_3:integer"],
    ["only a header", "a,b,c", "a:string, b:string, c:string"],
    ["mixed numbers and gaps", "x,y\n1,\n2.5,NA\n", "x:number, y:string"],
    ["timestamps", "at\n2025-01-01T10:00:00Z\n2025-01-02\n", "at:timestamptz"],
    ["nothing", "", ""],
  ])("reads a CSV with %s", (_, text, expected) => {
    const [file] = imported([textFile("dir/a.csv", text)]);
    expect((file?.columns ?? []).map(({ name, type }) => `${name}:${type}`).join(", ")).toBe(
      expected,
    );
  });

  it("reads Windows-1251 and UTF-16", () => {
    const cyrillic = new Uint8Array([
      0xca, 0xee, 0xe4, 0x3b, 0xd6, 0xe5, 0xed, 0xe0, 0x0a, 0x31, 0x3b, 0x32, 0x0a,
    ]);
    const utf16 = new Uint8Array(
      new Uint16Array([0xfeff, ...[..."Код;Цена\n1;2\n"].map((letter) => letter.charCodeAt(0))])
        .buffer,
    );
    for (const bytes of [cyrillic, utf16]) {
      expect(imported([{ name: "a.csv", bytes }]).map(shapeOf)).toEqual([
        "1: Код:integer, Цена:integer",
      ]);
    }
  });

  it("expands objects one level and merges the members of all rows", () => {
    const text = '{"id":1,"at":"2025-01-01","a":{"b":1}}\n{"id":2.5,"a":{"b":null,"c":[1]}}\n';
    const [file] = imported([textFile("x.jsonl", text)]);
    expect(file).toMatchObject({ quality: { null_rate: { at: 0.5, "a.b": 0.5, "a.c": 0.5 } } });
    expect(file && shapeOf(file)).toBe("2: id:number, at:date, a.b:integer, a.c:array");
  });

  it("reads the beginning of a list of 50 MB", () => {
    const row = '{"name":"a \\"quoted\\" ] name","n":[1,{"x":2}]},';
    const text = `[${row.repeat(Math.ceil(50_000_000 / row.length))}{"name":"z","n":[]}]`;
    const [file] = imported([textFile("big.json", text)]);
    expect(file?.columns?.map(({ name }) => name)).toEqual(["name", "n"]);
    expect(
      Math.abs(Number(String(file?.shape?.rows_est).slice(1)) / (text.length / row.length) - 1),
    ).toBeLessThan(0.01);
  });

  it("describes other files only by their name", () => {
    expect(imported([textFile("docs/брендбук 2025.pdf", "%PDF")])).toMatchInlineSnapshot(`
      [
        {
          "cap": [
            "read",
          ],
          "constraints": {
            "size_bytes": 4,
          },
          "id": "res:file.docs/брендбук%202025.pdf",
          "kind": "file",
          "tags": [
            "format:pdf",
          ],
          "title": "брендбук 2025.pdf",
          "uri": "ada://any/file/docs/брендбук%202025.pdf",
        },
      ]
    `);
  });

  it.each([
    ["JSON that is cut off", textFile("a.json", '[{"a":1},{"a"'), "malformed_file"],
    ["JSON with a tail", textFile("a.json", "[1] 2"), "malformed_file"],
    ["a line that is not JSON", textFile("a.jsonl", '{"a":1}\nnope'), "malformed_file"],
    [
      "bytes under the name of a CSV",
      { name: "a.csv", bytes: new Uint8Array([1, 0, 2, 0]) },
      "malformed_file",
    ],
    ["Parquet without a reader", textFile("a.parquet", "PAR1"), "parquet_reader_missing"],
  ])("rejects %s", (_, file, code) => {
    expect(fromFiles([textFile("ok.csv", "a\n1"), file])).toMatchObject({
      ok: false,
      issues: [{ code, path: [1] }],
    });
  });

  it.each([
    ['{ "path": "a.csv", "bytes": "a" }', "name"],
    ['{ "name": "a.csv", "text": "a" }', "bytes"],
    ['{ "name": "a.csv", "bytes": "a" }', "bytes"],
    ['"a.csv"', "name"],
  ])("explains the shape of a file when given %s", (file, member) => {
    const message = 'A file is { name: "orders.csv", bytes: Uint8Array }.';
    expect(fromFiles([JSON.parse(file)])).toEqual({
      ok: false,
      issues: [{ code: "malformed_file", path: [0, member], message }],
    });
  });

  it("rejects two files with the same name, and reports all issues at once", () => {
    const twice = textFile("a.csv", "x\n1");
    expect(fromFiles([twice, twice, textFile("b.json", "{")])).toMatchObject({
      ok: false,
      issues: [{ code: "duplicate_file" }, { code: "malformed_file" }],
    });
  });
});

describe("rows of delimited text", () => {
  const delimiter = fc.constantFrom<Delimiter>(",", ";", "\t", "|");

  it("are read with the delimiter that they were written with", () => {
    const rows = fc.array(fc.array(fc.integer(), { minLength: 3, maxLength: 3 }), {
      minLength: 2,
      maxLength: 20,
    });
    const property = fc.property(rows, delimiter, (written, between) => {
      expect(detectDelimiter(written.map((row) => row.join(between)).join("\n"))).toBe(between);
    });
    fc.assert(property);
  });

  it("are read without an unexpected error for any bytes", () => {
    const property = fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom("a.csv", "a.json", "a.jsonl"),
      (bytes, name) => {
        const result = fromFiles([{ name, bytes }]);
        expect(result.ok || result.issues.every(({ code }) => code === "malformed_file")).toBe(
          true,
        );
        expect(checkResources(result.ok ? result.value : [])).toMatchObject({ ok: true });
      },
    );
    fc.assert(property);
  });
});
