import { estimatedCounter as counter } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessMimeType, summarizeBytes, summarizeText } from "./summarize-content.ts";

const plain = "text/plain; charset=utf-8";
const log = Array.from({ length: 500 }, (_, index) => {
  const level = index === 250 ? "ERROR connection refused by db-7" : "INFO request served";
  return `2026-01-02T03:04:${String(index % 60).padStart(2, "0")}Z ${level} ${index}`;
}).join("\n");

describe("summarizeText", () => {
  it("gives the head of plain text and how much follows", () => {
    const summary = summarizeText(
      { text: "Lorem ipsum dolor sit amet. ".repeat(100), mimeType: plain },
      { counter },
    );
    expect(summary.length).toBeLessThanOrEqual(200);
    expect(summary).toMatch(/^Lorem ipsum .* \[\.\.\. 2,\d{3} more characters\]$/);
  });

  it("gives the first rows of a table", () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => `${index},name ${index},${index * 3}`);
    const summary = summarizeText(
      { text: ["id,name,total", ...rows].join("\n"), mimeType: "text/csv" },
      { counter },
    );
    expect(summary).toMatch(/^id,name,total\n0,name 0,0\n/);
    expect(summary).toMatch(/\[\.\.\. \d+ more lines \.\.\.\]$/);
    expect(counter.count(summary)).toBeLessThanOrEqual(400);
  });

  it.each([",", "\t", ";", "|"])(
    "knows a table by its columns, with %j between them",
    (separator) => {
      const rows = Array.from({ length: 40 }, (_, index) => [
        `ORD-${index}`,
        `user${index}@example.org`,
        `${index}.5`,
      ]);
      const text = [["id", "mail", "sum"], ...rows]
        .map((cells) => cells.join(separator))
        .join("\n");
      const summary = summarizeText({ text, mimeType: guessMimeType(text) }, { counter });
      for (const [id] of rows.slice(0, 10)) expect(summary).toContain(`${id}${separator}`);
    },
  );

  it("gives JSON by lines as it gives an array", () => {
    const rows = Array.from({ length: 40 }, (_, index) => ({
      id: `ORD-${index}`,
      note: "a few words of no use",
    }));
    const text = `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
    const summary = summarizeText({ text, mimeType: guessMimeType(text) }, { counter });
    expect(summary).toBe(
      summarizeText({ text: JSON.stringify(rows), mimeType: "application/json" }, { counter }),
    );
    for (const { id } of rows) expect(summary).toContain(id);
  });

  const orders = Array.from({ length: 40 }, (_, index) => ({
    id: `ORD-${index}`,
    note: `a few "words" of no use`,
  }));
  const json = JSON.stringify(orders);
  const pretty = JSON.stringify(orders, null, 2);
  const summaryOf = (text: string): string =>
    summarizeText({ text, mimeType: guessMimeType(text) }, { counter });

  it.each([
    ["in a JSON string", JSON.stringify(json)],
    ["in a JSON string of a JSON string", JSON.stringify(JSON.stringify(pretty))],
    [
      "in an answer of MCP",
      JSON.stringify({ content: [{ type: "text", text: pretty }], isError: false }),
    ],
    ["object by object", orders.map((order) => JSON.stringify(order, null, 2)).join("\n\n")],
    ["behind a byte order mark", `\uFEFF${json}`],
    ["in a code fence", `\`\`\`json\n${pretty}\n\`\`\`\n`],
  ])("gives JSON %s as it gives JSON", (_, text) => {
    expect(summaryOf(text)).toBe(summaryOf(json));
  });

  it.each([
    ["Found 40 orders:\n\n", "\n\nThe next page is 2 [cached]."],
    ["[search] 40 of {all}\n", "\n"],
    ["Result: ", ""],
    ["", "\nShowing 1 of 3 pages [next]\n"],
    ["See [docs](x) [more](y) [a](z) [b](w) below:\n", ""],
  ])("keeps a little text around JSON: %j and %j", (lead, tail) => {
    const summary = summaryOf(`${lead}${pretty}${tail}`);
    expect(summary).toMatch(/^40 rows/m);
    expect(summary.startsWith(lead.trim())).toBe(true);
    expect(summary.endsWith(tail.trim())).toBe(true);
    for (const { id } of orders) expect(summary).toContain(id);
    expect(counter.count(summary)).toBeLessThanOrEqual(400);
  });

  it("keeps what else stands beside texts in JSON", () => {
    const content = orders.map(({ id }) => ({
      id,
      type: "text",
      text: "Words that say nothing much at all.",
    }));
    const summary = summaryOf(JSON.stringify({ content }));
    for (const { id } of orders) expect(summary).toContain(id);
  });

  it.each([
    ["text/csv", 3],
    ["text/plain", 9],
  ])("knows a table in which a quote stands for inches, as %s", (mimeType, at) => {
    const rows = Array.from(
      { length: 200 },
      (_, row) => `P-${row},${row === at ? '5" pipe' : "pipe"},${row}`,
    );
    const summary = summarizeText(
      { text: ["id,name,price", ...rows].join("\n"), mimeType },
      { counter },
    );
    for (const row of rows.slice(0, 40)) expect(summary).toContain(row);
  });

  it.each([
    [
      "figures and free text",
      (at: number) => `${at},Alice van der Berg,2024-01-${10 + (at % 20)},"likes, a lot"`,
    ],
    ["decimal commas", (at: number) => `${at};1,${at};hello world out there`],
    ["ids and an empty cell", (at: number) => `${at}\tA-${at} of B\t\t-${at}.5`],
  ])("knows a table of %s without names", (_name, rowOf) => {
    const rows = Array.from({ length: 300 }, (_, at) => rowOf(at));
    const summary = summaryOf(rows.join("\n"));
    expect(summary.split("\n").slice(0, 10)).toEqual(rows.slice(0, 10));
  });

  it.each([
    [
      "a log",
      (at: number) => `2024-01-02 10:00:${10 + (at % 50)},123 INFO the worker goes on`,
      / lines left out /,
    ],
    [
      "a log with bars",
      (at: number) => `10:00:${10 + (at % 50)} | the worker goes on`,
      / lines left out /,
    ],
    [
      "uneven rows",
      (at: number) => `${at}, the king said${", no".repeat(at % 3)}`,
      / more characters\]$/,
    ],
  ])("takes %s for no table", (_name, lineOf, mark) => {
    const text = Array.from({ length: 300 }, (_, at) => lineOf(at)).join("\n");
    expect(summaryOf(text)).toMatch(mark);
  });

  it("gives the first lines of a table with a quote that nobody closes", () => {
    const text = `a,b\n"1,2\n${"3,4\n".repeat(3_000)}`;
    expect(
      summarizeText({ text, mimeType: "text/csv" }, { counter }).split("\n").length,
    ).toBeGreaterThan(60);
  });

  it("takes brackets that hold no JSON for text", () => {
    const text = `[note] ${"Lorem ipsum dolor sit amet. ".repeat(100)}\n{${"words ".repeat(100)}}`;
    expect(summaryOf(text)).toMatch(/^\[note\] Lorem .* more characters\]$/);
  });

  it.each([",", ";"])("knows a table whose cells hold %j and line feeds in quotes", (separator) => {
    const rows = Array.from(
      { length: 60 },
      (_, at) => `ORD-${at}${separator}"Doe${separator} ""Jo""\n${at}"${separator}${at}.5`,
    );
    const summary = summaryOf([["id", "name", "sum"].join(separator), ...rows, ""].join("\r\n"));
    for (const row of rows.slice(0, 10)) expect(summary).toContain(row);
    const [, left = ""] = /\[\.\.\. (\d+) more lines \.\.\.\]$/.exec(summary) ?? [];
    expect(summary.split("\n").length - 1 + Number(left)).toBe(1 + rows.length * 2);
  });

  it.each([
    [
      "XML",
      Array.from({ length: 200 }, (_, at) => `  <order id="ORD-${at}"><sum>${at}</sum></order>`),
      "<orders>",
    ],
    [
      "a list of files",
      Array.from({ length: 200 }, (_, at) => `[FILE] notes ${at}.txt`),
      "[DIR] src",
    ],
    [
      "a list of paths",
      Array.from({ length: 200 }, (_, at) => `/srv/my data/file-${at}.txt`),
      "/srv/my data/README.md",
    ],
    [
      "matches of a search",
      Array.from({ length: 200 }, (_, at) => `src/a.ts:${at}: return of the same old x`),
      "",
    ],
    [
      "YAML",
      Array.from({ length: 200 }, (_, at) => `  - id: ORD-${at}\n    sum: ${at}`),
      "orders:",
    ],
  ])("gives the first lines of %s", (_, lines, first) => {
    const summary = summaryOf([first, ...lines].join("\n"));
    for (const line of lines.slice(0, 8)) expect(summary).toContain(line);
    expect(summary).toMatch(/\[\.\.\. \d+ more lines \.\.\.\]$/);
    expect(counter.count(summary)).toBeLessThanOrEqual(400);
  });

  it("says how much follows what it shows of one long line", () => {
    const summary = summaryOf(`<list>${"<item/>".repeat(10_000)}</list>`);
    expect(summary).toMatch(/^<list>.* \[\.\.\. 62,013 more characters\]$/s);
    expect(counter.count(summary)).toBeLessThanOrEqual(400);
  });

  it("gives the line that names a fault, in whatever text", () => {
    const text = `${"step ok\n".repeat(2_000)}ERROR: disk full`;
    expect(summarizeText({ text, mimeType: plain }, { counter })).toMatch(
      /^step ok\n[^]*\nERROR: disk full$/,
    );
  });

  it("gives the first, last and faulty lines of a log", () => {
    expect(summarizeText({ text: log, mimeType: plain }, { counter })).toMatchInlineSnapshot(`
      "2026-01-02T03:04:00Z INFO request served 0
      2026-01-02T03:04:01Z INFO request served 1
      2026-01-02T03:04:02Z INFO request served 2
      [... 247 lines left out ...]
      2026-01-02T03:04:10Z ERROR connection refused by db-7 250
      [... 246 lines left out ...]
      2026-01-02T03:04:17Z INFO request served 497
      2026-01-02T03:04:18Z INFO request served 498
      2026-01-02T03:04:19Z INFO request served 499"
    `);
  });

  it("gives the ends of an error", () => {
    const frames = Array.from(
      { length: 300 },
      (_, index) => `    at frame${index} (src/file.ts:${index}:1)`,
    );
    const trace = ["TypeError: x is not a function", ...frames].join("\n");
    const summary = summarizeText({ text: trace, mimeType: plain, isError: true }, { counter });
    expect(summary).toMatch(/^TypeError: x is not a function\n/);
    expect(summary).toContain("frame299");
  });

  it("stays within its bounds whatever the text", () => {
    const lines = fc
      .array(fc.string({ unit: "binary" }), { maxLength: 80 })
      .map((list) => list.join("\n"));
    const long = fc
      .tuple(fc.string({ unit: "grapheme", minLength: 1 }), fc.integer({ min: 1, max: 3_000 }))
      .map(([unit, count]) => unit.repeat(count));
    const anyJson = fc.jsonValue().map((value) => JSON.stringify(value));
    const framed = fc
      .tuple(fc.string(), anyJson, fc.string())
      .map(([lead, inner, tail]) => `${lead}\n${inner}\n${tail}`);
    const wrapped = fc.oneof(framed, anyJson).map((inner) => JSON.stringify(inner));
    fc.assert(
      fc.property(
        fc.oneof(lines, long, anyJson, framed, wrapped),
        fc.constantFrom(plain, "text/csv", "application/json"),
        fc.boolean(),
        (text, mimeType, isError) => {
          const summary = summarizeText({ text, mimeType, isError }, { counter });
          expect(summary.length <= 200 || counter.count(summary) <= 400).toBe(true);
          expect(summarizeText({ text, mimeType, isError }, { counter })).toBe(summary);
        },
      ),
    );
  });
});

describe("guessMimeType", () => {
  it.each([
    ['{"a":1}', "application/json"],
    [" [1] ", "application/json"],
    ["{not json}", plain],
    ["42", plain],
    ["", plain],
  ])("takes %j for %s", (text, mimeType) => {
    expect(guessMimeType(text)).toBe(mimeType);
  });
});

describe("summarizeBytes", () => {
  it.each([
    ["image/gif", [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 10, 0, 20, 0], "image of 10 x 20 pixels"],
    [
      "image/jpeg",
      [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 20, 0, 10, 3],
      "image of 10 x 20 pixels",
    ],
    ["image/png", [1, 2, 3], "image content"],
    ["image/jpeg", [0xff, 0xd8, 0xff], "image content"],
    ["audio/wav", [1], "audio content"],
    ["application/zip", [], "binary content"],
  ])("sums up %s", (mimeType, bytes, summary) => {
    expect(summarizeBytes(new Uint8Array(bytes), mimeType)).toBe(summary);
  });
});
