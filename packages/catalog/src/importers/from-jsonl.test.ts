import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromJsonl } from "./from-jsonl.ts";

describe("fromJsonl", () => {
  it("reads overview rows, compact rows and whole records in one text", () => {
    const text = [
      '{"id":"res:a","kind":"tabular","title":"a","rev":3,"schema_hash":"00","cap_hash":"11","tags":["x"]}',
      '{"id":"res:b","u":"ada://any/db/pg:main/b","k":"tabular","t":"b","g":["y"],"sh":{"rows_est":"1e7","cols":2},"sd":["id:int"],"cap":["scan"],"own":"me","ts":"2025-10-29T08:30:00Z","rv":1,"sh#":"00","ch#":"11"}',
      "",
      '{"id":"res:c","kind":"file","title":"c","k":"kept","columns":[{"name":"n"}]}',
    ].join("\r\n");
    expect(fromJsonl(`\uFEFF${text}\n`)).toMatchInlineSnapshot(`
      {
        "ok": true,
        "value": [
          {
            "id": "res:a",
            "kind": "tabular",
            "tags": [
              "x",
            ],
            "title": "a",
          },
          {
            "cap": [
              "scan",
            ],
            "id": "res:b",
            "kind": "tabular",
            "owner": "me",
            "schema_digest": [
              "id:int",
            ],
            "shape": {
              "cols": 2,
              "rows_est": "1e7",
            },
            "tags": [
              "y",
            ],
            "title": "b",
            "updated_at": "2025-10-29T08:30:00Z",
            "uri": "ada://any/db/pg:main/b",
          },
          {
            "columns": [
              {
                "name": "n",
              },
            ],
            "id": "res:c",
            "k": "kept",
            "kind": "file",
            "title": "c",
          },
        ],
      }
    `);
  });

  it.each([
    [
      "a line that is cut off",
      '{"id":"res:a","kind":"api","title":"a"}\n{"id":',
      "malformed_line",
      [1],
    ],
    ["a list", "[1]", "not_a_record", [0]],
    ["a record without a title", '{"id":"res:a","kind":"api"}', "not_a_record", [0]],
    ["a number for an id", '{"id":7,"kind":"api","title":"a"}', "not_a_record", [0]],
  ])("reports %s", (_, text, code, path) => {
    expect(fromJsonl(text)).toMatchObject({ ok: false, issues: [{ code, path }] });
  });

  it("masks a secret in a quoted line", () => {
    const result = fromJsonl("postgres://admin:hunter2secret@db/main {");
    expect(JSON.stringify(result)).not.toContain("hunter2secret");
  });

  it("keeps every member of a record", () => {
    const record = fc.record({
      id: fc.string(),
      kind: fc.string(),
      title: fc.string(),
      extra: fc.jsonValue(),
    });
    const property = fc.property(fc.array(record, { maxLength: 5 }), (records) => {
      const read = fromJsonl(records.map((entry) => JSON.stringify(entry)).join("\n"));
      expect(read).toEqual({ ok: true, value: JSON.parse(JSON.stringify(records)) });
    });
    fc.assert(property);
  });
});
