import { createMemoryRecords } from "@ccl/records";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { listResources } from "../store/list-resources.ts";
import { fromCatalogFiles, toCatalogFiles } from "./catalog-files.ts";
import { detailsPath } from "./details-path.ts";
import { renderResourcesMarkdown } from "./render-resources-markdown.ts";

async function sampleRecords(): Promise<ResourceRecord[]> {
  const records = createMemoryRecords();
  const result = await createCatalog({ records }).register([
    {
      id: "res:db.pg.main.public.orders",
      kind: "tabular",
      title: "orders (pg.main)",
      tags: ["sales"],
      columns: [{ name: "id", type: "int", pk: true }],
      updated_at: "2025-10-29T08:30:00Z",
      extra: [1],
    },
    {
      id: "api:Weather/Now | `x`",
      kind: "api",
      title: "# Now |",
      description: "<b>now</b>",
      updated_at: "2025-10-29",
    },
  ]);
  expect(result.ok).toBe(true);
  return listResources(records);
}

describe("overview.jsonl", () => {
  it("has the short keys of the stored format, with one overview per line", async () => {
    const [, orders] = await sampleRecords();
    const files = toCatalogFiles(orders === undefined ? [] : [orders]);
    expect(files["overview.jsonl"]).toMatchInlineSnapshot(`
      "{"id":"res:db.pg.main.public.orders","k":"tabular","t":"orders (pg.main)","g":["sales"],"sh":{"cols":1},"sd":["id:int"],"cap":[],"ts":"2025-10-29T08:30:00Z","rv":1,"sh#":"82e0ead30941e279","ch#":"e3de82f953d30574"}
      "
    `);
  });

  it("survives a round trip without details, a byte order mark and empty lines", async () => {
    const text = toCatalogFiles(await sampleRecords())["overview.jsonl"] ?? "";
    const read = fromCatalogFiles({ "overview.jsonl": `\uFEFF\n${text}` });
    expect(read.ok && toCatalogFiles(read.value)["overview.jsonl"]).toBe(text);
  });

  it("reports every invalid line", async () => {
    const [first = ""] = toCatalogFiles(await sampleRecords())["overview.jsonl"]?.split("\n") ?? [];
    const changed = (change: object): string =>
      JSON.stringify({ ...Object(JSON.parse(first)), ...change });
    const lines = [
      "{",
      "[]",
      changed({ id: "a", t: undefined }),
      "",
      changed({ id: "b", zz: 1 }),
      changed({ id: "c", rv: 0, "sh#": "none", ts: undefined }),
    ];
    const read = fromCatalogFiles({ "overview.jsonl": lines.join("\n") });
    expect(read.ok ? [] : read.issues.map(({ code, path }) => `${code} ${path.join(" ")}`)).toEqual(
      [
        "not_json overview.jsonl 0",
        "not_json overview.jsonl 1",
        "unknown_key overview.jsonl 4 zz",
        "invalid_resource overview.jsonl 2 title",
        "invalid_resource overview.jsonl 5 updated_at",
        "invalid_resource overview.jsonl 5 rev",
        "invalid_resource overview.jsonl 5 schema_hash",
      ],
    );
  });
});

describe("a folder of a catalog", () => {
  it("survives a round trip, byte for byte", async () => {
    const records = await sampleRecords();
    const files = toCatalogFiles(records.toReversed());
    expect(Object.keys(files)).toEqual([
      "overview.jsonl",
      "details/api%3A%57eather%2F%4Eow%20%7C%20%60x%60.json",
      "details/res%3Adb.pg.main.public.orders.json",
    ]);
    const read = fromCatalogFiles(files);
    expect(read).toEqual({ ok: true, value: records });
    expect(read.ok && toCatalogFiles(read.value)).toEqual(files);
  });

  it.each<[string, (files: Record<string, string>) => Record<string, string>, string]>([
    ["no overview", () => ({}), "file_missing"],
    [
      "details that are not JSON",
      (files) => ({ ...files, [detailsPath("res:db.pg.main.public.orders")]: "{" }),
      "not_json",
    ],
    [
      "details with another id",
      (files) => ({ ...files, [detailsPath("res:db.pg.main.public.orders")]: '{"id":"b"}' }),
      "id_mismatch",
    ],
    [
      "details of an unknown id",
      (files) => ({ ...files, "details/none.json": "{}" }),
      "file_unexpected",
    ],
  ])("is rejected with %s", async (_, change, code) => {
    const read = fromCatalogFiles(change({ ...toCatalogFiles(await sampleRecords()) }));
    expect(read.ok ? [] : read.issues.map((issue) => issue.code)).toEqual([code]);
  });

  it("gives every id a path that no other id has, on any system", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.string({ unit: "grapheme", minLength: 1 }),
        (one, two) => {
          expect(detailsPath(one)).toMatch(
            /^details\/[a-z0-9_%A-F-][a-z0-9._%~A-F-]{0,190}\.json$/,
          );
          expect(detailsPath(one).toLowerCase() === detailsPath(two).toLowerCase()).toBe(
            one === two,
          );
        },
      ),
    );
    expect(detailsPath("../../etc")).toBe("details/%2E.%2F..%2Fetc.json");
    expect(detailsPath("con")).toBe("details/%63on.json");
    expect(detailsPath("x".repeat(500)).length).toBeLessThan(200);
  });
});

describe("renderResourcesMarkdown", () => {
  it("renders a table and cards, and escapes text that would break them", async () => {
    expect(renderResourcesMarkdown(await sampleRecords())).toMatchInlineSnapshot(`
      "# Resources

      | id | kind | title | owner | tags |
      | --- | --- | --- | --- | --- |
      | \`\` api:Weather/Now \\| \`x\` \`\` | api | \\# Now \\| |  |  |
      | \`res:db.pg.main.public.orders\` | tabular | orders (pg.main) |  | sales |

      ## \\# Now \\|

      \`\` api:Weather/Now \\| \`x\` \`\`, api

      \\<b\\>now\\</b\\>

      ## orders (pg.main)

      \`res:db.pg.main.public.orders\`, tabular

      | column | type | key | about |
      | --- | --- | --- | --- |
      | \`id\` | int | pk |  |
      "
    `);
  });

  it("keeps code inside its fence", () => {
    const code = "select 1\n```\n# out";
    const page = renderResourcesMarkdown([
      { id: "a", kind: "api", title: "A", usage: { snippets: [{ engine: "sql", code }] } },
    ]);
    expect(page).toContain(`\`\`\`\`sql\n${code}\n\`\`\`\``);
  });
});
