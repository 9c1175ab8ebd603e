import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { buildCard } from "./build-card.ts";
import type { CardKind } from "./card.ts";

async function cardOf(path: string, text: string, alias?: string): Promise<string> {
  const card = await buildCard({ path, text, alias });
  return `[${card.kind}]\n${card.text}`;
}

describe("buildCard", () => {
  it("summarizes a decision: the goal, the choice, the rejections and the reasons", async () => {
    const text = `# ADR-0001: Summaries as JSON

Goal: summarize user text to **short** JSON. Nothing else is kept.

## Decision

Choice: O1 (\`json-tool-only\`)

Rejected:

- O3 (streaming): half a JSON cannot be checked
- O2 (free text): needs a parser

## Constraints

1. JSON-only
2. 2 keys: summary, bullets

## Negative cases

* empty input -> friendly error

\`\`\`json
{"example": true}
\`\`\`
`;
    expect(await cardOf("prep/ADR-0001-decision.md", text, "A.ADR1")).toMatchInlineSnapshot(`
      "[decision]
      - Goal: summarize user text to short JSON
      - Choice: O1 (json-tool-only)
      - Rejected: O3 (streaming): half a JSON cannot be checked; O2 (free text): needs a parser
      - Constraints: JSON-only; 2 keys: summary, bullets
      - Negative: empty input -> friendly error"
    `);
  });

  it("reads JSON below a comment", async () => {
    const settings = '{ "port": 80, "name": "web" }';
    const card = await cardOf("app/settings.json", settings);
    expect(card).toContain("port");
    expect(await cardOf("app/settings.json", `// Of the server.\n${settings}`)).toBe(card);
  });

  it("reads a MADR record, which separates rejected options from their reasons", async () => {
    const text = `---
status: proposed
date: 2024-05-01
---
# Use Markdown for decisions

## Context and Problem Statement

We want to record decisions. Which format fits?

## Decision Drivers

* readable as *plain* text
* [linked](https://example.org) from code

## Considered Options

* MADR
* Nygard's form
* Option 2

## Decision Outcome

Chosen option: "MADR", because it is lean.

### Consequences

* Good, because it is text
* Bad, because it must be learned

## Pros and Cons of the Options

### Nygard's form

* Good, because known
* Bad, because it lists no options
`;
    expect(await cardOf("docs/adr/0005-format.md", text)).toMatchInlineSnapshot(`
      "[decision]
      - Status: proposed
      - Goal: We want to record decisions
      - Choice: MADR, because it is lean
      - Rejected: Nygard's form: it lists no options; Option 2
      - Constraints: readable as plain text; linked from code
      - Negative: it must be learned"
    `);
  });

  it("reads Russian records", async () => {
    const text = `# 2. Хранилище событий

Статус: принято

## Контекст

Нужно хранить историю сессий. Файлы растут.

## Решение

Берём **SQLite** в режиме WAL.

## Отклонённые варианты

1. PostgreSQL — лишний процесс
2. LevelDB — нет SQL

## Ограничения

- работает без сети

## Негативные сценарии

- диск полон → ошибка «store_full»
`;
    expect(await cardOf("adr/0002.md", text, "A.store")).toMatchInlineSnapshot(`
      "[decision]
      - Goal: Нужно хранить историю сессий
      - Choice: Берём SQLite в режиме WAL
      - Rejected: PostgreSQL — лишний процесс; LevelDB — нет SQL
      - Constraints: работает без сети
      - Negative: диск полон → ошибка store_full"
    `);
  });

  it("gives each option a line with what it excludes", async () => {
    const text = JSON.stringify({
      options: [
        { id: "O1", summary: 'one tool call that returns "JSON"', excludes: ["O3"] },
        {
          id: "O2",
          summary: `free text, ${"parsed and repaired ".repeat(8)}`,
          conflicts_with: "O1, O3",
        },
        { id: "O3", summary: "streaming" },
      ],
    });
    expect(await cardOf("prep/options.json", text, "P.options")).toMatchInlineSnapshot(`
      "[options]
      - O1: one tool call that returns JSON; excludes O3
      - O2: free text, parsed and repaired parsed and repaired parsed and repaired...; excludes O1, O3
      - O3: streaming"
    `);
  });

  it.each([
    [
      "a table",
      `| Вариант | Описание | Исключает |
| --- | --- | --- |
| O1 | один вызов | O3 |
| O2 | разбор | |
`,
    ],
    [
      "a list",
      `# Варианты

- **O1**: один вызов; исключает O3
- **O2** — разбор
`,
    ],
    [
      "headings",
      `## O1: один вызов (исключает O3)

Подробности.

## O2

разбор
`,
    ],
  ])("reads options from %s", async (_, text) => {
    expect(await cardOf("prep/options.md", text, "P.options")).toBe(
      "[options]\n- O1: один вызов; excludes O3\n- O2: разбор",
    );
  });

  it("gives each field of a schema a line, with its enumeration in full", async () => {
    const text = JSON.stringify({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      required: ["text", "author"],
      properties: {
        text: { type: "string", description: "The text.", examples: ["x"] },
        lang: { enum: ["en", "de", "ru"] },
        created_at: { type: "string", format: "date-time" },
        author: { $ref: "#/$defs/Person" },
        options: { type: "object", properties: { depth: { type: ["integer", "null"] } } },
      },
      $defs: {
        Person: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string" },
            friends: { type: "array", items: { $ref: "#/$defs/Person" } },
          },
        },
      },
    });
    expect(await cardOf("schemas/entities.json", text, "S.entities")).toMatchInlineSnapshot(`
      "[schema]
      - text: string(required)
      - lang: enum[en,de,ru](opt)
      - created_at: string date-time(opt)
      - author: Person(required)
      - options: object(opt)
      - Person.name: string(required)
      - Person.friends: Person[](opt)
      - options.depth: integer|null(opt)"
    `);
  });

  it("continues a long enumeration on further lines", async () => {
    const countries = Array.from({ length: 60 }, (_, index) => `C${index}`);
    const text = JSON.stringify({
      type: "object",
      properties: { country: { enum: countries }, name: { type: "string" } },
    });
    const card = await cardOf("a.json", text, "S.a");
    for (const country of countries) expect(card).toMatch(new RegExp(`[ ,]${country}(?:,|$)`, "m"));
    expect(card).toMatchInlineSnapshot(`
      "[schema]
      - country: enum(opt): C0,C1,C2,C3,C4,C5,C6,C7,C8,C9,C10,C11,C12,C13,C14,C15,C16,C17,C18,C19,C20,C21
      - country: enum(opt): C22,C23,C24,C25,C26,C27,C28,C29,C30,C31,C32,C33,C34,C35,C36,C37,C38,C39,C40
      - country: enum(opt): C41,C42,C43,C44,C45,C46,C47,C48,C49,C50,C51,C52,C53,C54,C55,C56,C57,C58,C59
      - name: string(opt)"
    `);
  });

  it("puts several fields on a line if there are more fields than lines, and counts the rest", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 80 }, (_, index) => [`field_${index}`, { type: "string" }]),
    );
    const card = await cardOf("wide.schema.json", JSON.stringify({ type: "object", properties }));
    expect(card.split("\n")).toHaveLength(11);
    const shown = card.match(/field_\d+: string\(opt\)/g)?.length ?? 0;
    expect(card).toMatch(new RegExp(`, \\+${80 - shown} more$`));
  });

  it.each([
    ["map.json", '{"id": "int", "tags": "string[]?"}', "S.map", "- id: int\n- tags: string[](opt)"],
    [
      "api.graphql",
      "type User {\n  id: ID!\n  posts(first: Int): [Post!]\n}\nenum Role {\n  ADMIN\n  USER\n}\n",
      undefined,
      "- User.id: ID(required)\n- User.posts(first: Int): [Post!](opt)\n- Role: enum[ADMIN,USER]",
    ],
    [
      "user.proto",
      'syntax = "proto3";\nmessage User {\n  string id = 1; // key\n  repeated Post posts = 2;\n  optional int32 age = 3;\n}\n',
      undefined,
      "- User.id: string\n- User.posts: Post[]\n- User.age: int32(opt)",
    ],
    [
      "db.sql",
      "CREATE TABLE IF NOT EXISTS public.orders (\n  id bigint PRIMARY KEY,\n  amount numeric(12,2) NOT NULL,\n  note text,\n  CONSTRAINT c CHECK (amount > 0)\n);\n",
      undefined,
      "- public.orders.id: bigint(required)\n- public.orders.amount: numeric(12,2)(required)\n- public.orders.note: text(opt)",
    ],
    [
      "cart.sql",
      "create table cart (id int primary key, price numeric(9,2));\nCREATE FUNCTION total() RETURNS int AS $$ SELECT 1 $$;\n",
      undefined,
      "- cart.id: int(required)\n- cart.price: numeric(9,2)(opt)",
    ],
  ])("reads the schema of %s", async (...[path, text, alias, card]) => {
    expect(await cardOf(path, text, alias)).toBe(`[schema]\n${card}`);
  });

  it.each([
    ["bom.json", '\uFEFF{"a": 1, // b\n}', "- a=1"],
    [
      "profiles/default.yaml",
      "# Defaults\ntemperature: 0.2\nmax_tokens: 800\n",
      "- temperature=0.2\n- max_tokens=800",
    ],
    [
      "app.toml",
      'title = "x"\n[server]\nport = 80 # TLS\ndb.password = "correct horse battery"\n',
      "- title=x\n- server.port=80\n- server.db.password=[redacted:secret_value]",
    ],
    [
      ".env",
      "export MODE=dev\nAPI_KEY='f81d4fae7dec11d0a765'\nEMPTY=\n",
      "- MODE=dev\n- API_KEY=[redacted:secret_value]\n- EMPTY=",
    ],
    [
      "tsconfig.json",
      '{ // editor\n  "strict": true, /* x */\n  "url": "http://a.example//b",\n}',
      "- strict=true\n- url=http://a.example//b",
    ],
    [
      "list.yaml",
      "steps:\n  - run: a\n  - run: b\ntags: [x, 1]\napi_key: [f81d4fae7dec11d0a765, 0a765f81d4fae7dec11d]\n",
      "- steps[0].run=a\n- steps[1].run=b\n- tags=[x,1]\n- api_key=[redacted:secret_value]",
    ],
  ])("lists the settings of %s", async (path, text, card) => {
    expect(await cardOf(path, text)).toBe(`[profile]\n${card}`);
  });

  it("lists exported signatures, those used more often in the file first", async () => {
    const text = `import { x } from './x.ts';
/** A shape. */
export interface Shape {
  /** Sides. */
  sides: number;
}

function hidden(): void {}
export function area(shape: Shape): number {
  return limit(shape.sides);
}

export function limit(value: number): number {
  return Math.min(value, maximum) + maximum;
}

export const maximum = 10;
export const perimeter = (shape: Shape, of: Shape): string => \`"\${shape.sides}"\`;
`;
    expect(await cardOf("src/shape.ts", text, "H.shape")).toMatchInlineSnapshot(`
      "[code]
      - interface Shape { sides: number }
      - const maximum = 10
      - function limit(value: number): number
      - function area(shape: Shape): number
      - const perimeter: (shape: Shape, of: Shape) => string"
    `);
  });

  it("separates the members of a declaration that were on separate lines", async () => {
    const text =
      "export interface A {\n  b: string\n  c(\n    d: number,\n  ): void\n  e: 1\n    | 2\n}\n";
    expect(await cardOf("a.ts", text)).toBe(
      "[code]\n- interface A { b: string; c(d: number): void; e: 1 | 2 }",
    );
  });

  it("names the exports that do not fit", async () => {
    const text = Array.from(
      { length: 14 },
      (_, index) => `export const name${index} = ${index};`,
    ).join("\n");
    const card = await cardOf("src/names.ts", text);
    expect(card.split("\n").at(-1)).toBe("- +5 more: name9, name10, name11, name12, name13");
  });

  it.each([
    [
      "a.test.ts",
      'describe("sum", () => {\n  it("adds", f);\n  it.each([1, 2])("takes %s", f);\n});\ndescribe("difference", () => {\n  test(\n    `subtracts`, f);\n});\n',
      "- sum: adds; takes %s\n- difference: subtracts",
    ],
    [
      "tests/test_contract.py",
      "class TestContract:\n    def test_a(self): pass\n    async def test_b(self): pass\n\ndef test_top(): pass\n",
      "- TestContract: test_a; test_b\n- test_top",
    ],
    [
      "a_test.go",
      'func TestParse(t *testing.T) {\n\tt.Run("empty input", f)\n}\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n',
      "- TestParse: empty input\n- TestA; TestB",
    ],
    [
      "src/tests.rs",
      "#[test]\nfn works() {}\n\n#[tokio::test]\n#[ignore]\nasync fn waits() {}\n",
      "- works; waits",
    ],
    [
      "FooTest.java",
      "public class FooTest {\n  @Test\n  void adds() {}\n  @Test @Tag(x)\n  public void subtracts() throws E {}\n}\n",
      "- FooTest: adds; subtracts",
    ],
  ])("lists subjects and cases of %s", async (path, text, card) => {
    expect(await cardOf(path, text, "T.contract")).toBe(`[test]\n${card}`);
  });

  it("lists the headings of a document under its chapters", async () => {
    const text = `# Tool

Text.
## Install
### From npm
### From source
\`\`\`
# no heading
\`\`\`
Use
---
a: b
---
`;
    expect(await cardOf("README.md", text, "D.readme")).toMatchInlineSnapshot(`
      "[doc]
      - Tool
      - Install: From npm; From source
      - Use"
    `);
  });

  it.each([
    ["data.bin", '\0\u0001\0 a"b`c\u202e', "- Size: 1 lines, 12 bytes\n- Start: abc"],
    ["empty.txt", "", "- Size: 0 lines, 0 bytes"],
    ["broken.json", '{"a": ', "- Size: 1 lines, 6 bytes\n- Start: {a:"],
    ["deep.json", `${"[".repeat(200_000)}${"]".repeat(200_000)}`, "- Size: 1 lines, 400000 bytes"],
  ])("shows for %s what can be shown for any text", async (path, text, card) => {
    expect(await cardOf(path, text)).toBe(`[plain]\n${card}`);
  });

  it.each<[string, string, string, CardKind]>([
    ["A.readme", "README.md", "# Tool\n", "doc"],
    ["P.notes", "notes.md", "# Notes\n", "doc"],
    ["S.config", "config.yaml", "a: 1\n", "profile"],
    ["T.helper", "tests/helper.ts", "export const a = 1;\n", "code"],
    ["PR.readme", "README.md", "# Tool\n", "doc"],
    ["D.code", "a.py", "def f(): pass\n", "code"],
    ["X.adr", "docs/decisions/0001.md", "# A\n\n## Decision\n\nUse B.\n", "decision"],
    ["H.picture", "a.svg", "<svg/>", "plain"],
  ])("falls back from %s to the kind that suits %s", async (alias, path, text, kind) => {
    expect((await buildCard({ alias, path, text })).kind).toBe(kind);
  });

  it("never shows a secret or part of one", async () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(3)}abcdef`;
    const inputs = [
      { path: "README.md", text: `# ${"long ".repeat(15)}${secret}\n` },
      { path: "a.json", text: JSON.stringify({ note: `${"long ".repeat(15)}${secret}` }) },
      {
        path: "s.json",
        alias: "S.a",
        text: JSON.stringify({ type: "object", properties: { a: { const: secret } } }),
      },
      { path: "a.ts", text: `export function f(key = "${secret}"): void {}\n` },
      { path: "a.test.ts", text: `it("${secret}", f);\n` },
      { path: "adr/1.md", text: `## Decision\n\nUse ${secret}\n` },
      { path: "o.json", alias: "P.o", text: JSON.stringify([{ id: "O1", summary: secret }]) },
      { path: "x.bin", text: secret },
    ];
    for (const input of inputs)
      expect((await buildCard(input)).text).not.toContain(secret.slice(0, 8));
  });

  it.each([
    ["A.x", "a.md", "Rejected: a\n"],
    ["P.x", "a.md", "| O1 | x |\n"],
    ["S.x", "a.json", "["],
    ["PR.x", "a.json", "{/*"],
    ["PR.x", "a.toml", "a="],
    ["T.x", "a.rs", "#[test]\n"],
    ["T.x", "A.java", "@Test\n"],
    ["T.x", "a.test.ts", "it.each("],
    ["D.x", "a.md", "# a\n"],
    ["D.x", "a.md", "<!--\n"],
    ["X.x", "a.bin", "\0"],
  ])("builds a card of %s, %s, from a megabyte of %j", async (alias, path, piece) => {
    const card = await buildCard({ alias, path, text: piece.repeat(1_000_000 / piece.length) });
    expect(card.lines.length).toBeGreaterThan(0);
  });

  it("stops when aborted", async () => {
    await expect(
      buildCard({ path: "a.md", text: "# A" }, { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
  });
});

describe("the rules of every card", () => {
  const path = fc.constantFrom(
    "a.md",
    "adr/1.md",
    "a.json",
    "s.schema.json",
    "a.yaml",
    "a.toml",
    ".env",
    "a.test.ts",
    "test_a.py",
    "a.go",
    "a.rs",
    "A.java",
    "a.ts",
    "a.sql",
    "a.proto",
    "a.graphql",
    "a.bin",
  );
  const alias = fc.option(
    fc.constantFrom("A.x", "P.x", "S.x", "PR.x", "T.x", "D.x", "H.x", "X.x"),
    { nil: undefined },
  );
  const piece = fc.oneof(
    fc.constantFrom(
      "# ",
      "## Decision\n",
      "Rejected:\n",
      "- ",
      "| a | b |\n|---|---|\n",
      "```\n",
      "**",
      "_",
      "`",
      '"',
      "'",
      "<b>",
      "[a](b)",
      "\n",
      "\n\n",
      "O1: ",
      "Статус: ",
      'it("',
      "def test_",
      "type A {\n",
      "CREATE TABLE a (\n",
      "=",
      ": ",
      "{",
      "}",
      "\0",
      "\ud83d",
      "👩‍👩‍👧",
      "e\u0301".repeat(60),
      "\u202e",
      "\u2028",
      "x".repeat(150),
      "<!--",
      "-->",
      "a.b=c\n",
      "export const a: 'b' = `c`;\n",
      "%",
    ),
    fc.string(),
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .object({
        key: fc.constantFrom(
          "type",
          "properties",
          "$ref",
          "enum",
          "items",
          "anyOf",
          "allOf",
          "$defs",
          "required",
          "a",
          "__proto__",
          "#/",
        ),
        values: [fc.constantFrom("object", "array", "#/$defs/a", "#", "string", null, true)],
        maxDepth: 4,
      })
      .map((value) => JSON.stringify({ type: "object", ...value })),
  );

  it("hold for any text under any alias", async () => {
    await fc.assert(
      fc.asyncProperty(path, alias, text, async (path, alias, text) => {
        const input = { path, text, alias };
        const card = await buildCard(input);
        expect(card.text).toBe(card.lines.join("\n"));
        expect(card.lines.length).toBeGreaterThan(0);
        expect(card.lines.length).toBeLessThanOrEqual(10);
        for (const line of card.lines) {
          expect(line.length).toBeLessThanOrEqual(100);
          expect(line).toMatch(/^- \S/);
          expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202e"`«»“”]|\s$/u);
        }
        expect(await buildCard(input)).toEqual(card);
      }),
    );
  });
});
