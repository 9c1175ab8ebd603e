import { estimatedCounter } from "@ccl/core";
import { sha256Hex } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { applyDelta } from "./__fixtures__/apply-delta.ts";
import { computeDelta } from "./compute-delta.ts";
import { renderDelta } from "./render-delta.ts";
import { snapshotId } from "./snapshot-id.ts";
import type { Snapshot, SnapshotEntry } from "./snapshot.ts";

type Files = Record<string, { path: string; text?: string; sha256?: string }>;

function snapshotOf(files: Files): Snapshot {
  const entries = Object.fromEntries(
    Object.entries(files).map(
      ([alias, { path, text, sha256 = sha256Hex(text ?? "") }]): [string, SnapshotEntry] => [
        alias,
        text === undefined ? { path, sha256 } : { path, sha256, text },
      ],
    ),
  );
  return { id: snapshotId(entries), entries };
}

async function promptOf(base: Files, next: Files, options?: { action: string }): Promise<string> {
  return renderDelta(await computeDelta(snapshotOf(base), snapshotOf(next)), options);
}

/** The lines between DELTA: and ACTION: for one changed file. */
async function notesOf(
  file: { alias?: string; path: string },
  before: string,
  after: string,
): Promise<string> {
  const { alias = "X.x", path } = file;
  const prompt = await promptOf(
    { [alias]: { path, text: before } },
    { [alias]: { path, text: after } },
  );
  return prompt.split("\n").slice(2).join("\n");
}

const schemaOf = (properties: object, required: string[] = []): string =>
  JSON.stringify(
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      required,
      properties,
    },
    undefined,
    2,
  );

const decisionOf = (choice: string, rejected: string[], status = "accepted"): string =>
  `# ADR-0001: Summaries\n\nStatus: ${status}\n\n## Goal\n\nSummarize user text to short JSON.\n\n## Decision\n\n${choice}\n\n## Rejected\n\n${rejected.map((item) => `- ${item}`).join("\n")}\n`;

describe("computeDelta and renderDelta", () => {
  it("build the prompt of an iteration", async () => {
    const base: Files = {
      "S.entities": {
        path: "schemas/summarize_entities.json",
        text: schemaOf({ text: { type: "string" } }, ["text"]),
      },
      "A.ADR1": { path: "prep/ADR-0001-decision.md", text: decisionOf("O1 (json-tool-only)", []) },
      "H.old": { path: "handlers/old.py", text: "x = 1\n" },
    };
    const next: Files = {
      "S.entities": {
        path: "schemas/summarize_entities.json",
        text: schemaOf({ text: { type: "string" }, language: { enum: ["en", "de", "ru"] } }, [
          "text",
        ]),
      },
      "A.ADR1": {
        path: "prep/ADR-0001-decision.md",
        text: decisionOf("O1 (json-tool-only)", ["O3 (streaming) for now"]),
      },
      "T.contract": { path: "tests/test_contract.py", text: "def test_one(): pass\n" },
    };
    expect(await promptOf(base, next, { action: "regenerate validators and tests only" }))
      .toMatchInlineSnapshot(`
      "BASE: ctx@ec69286c
      DELTA:
      - A.ADR1: rejection added: O3 (streaming) for now
      - H.old: removed (handlers/old.py)
      - S.entities: schema field "language" added (enum: en,de,ru)
      - T.contract: added (tests/test_contract.py)
      ACTION: regenerate validators and tests only"
    `);
  });

  it("report that nothing changed", async () => {
    expect(await promptOf({}, {})).toMatchInlineSnapshot(`
      "BASE: ctx@44136fa3
      DELTA:
      - no changes"
    `);
  });

  it("describe every change of a JSON Schema", async () => {
    const address = (street: object, required: string[]): object => ({
      type: "object",
      required,
      properties: { street },
    });
    const before = schemaOf(
      {
        id: { type: "string" },
        lang: { enum: ["en", "fr"] },
        kind: { const: "a" },
        at: { type: "string" },
        age: { type: "integer", minimum: 0, maximum: 10 },
        home: address({ type: "string" }, []),
        tags: { type: "array", items: { type: "string" } },
        gone: { type: "boolean" },
      },
      ["id", "lang"],
    );
    const after = schemaOf(
      {
        id: { type: "integer" },
        lang: { enum: ["en", "de", "ru"] },
        kind: { const: "b" },
        at: { type: "string", format: "date-time" },
        age: { type: "integer", minimum: 1 },
        home: address({ type: "string", minLength: 1 }, ["street"]),
        tags: { type: "array", items: { type: "number" } },
        note: { type: ["string", "null"] },
      },
      ["id", "note"],
    );
    expect(await notesOf({ alias: "S.person", path: "person.json" }, before, after))
      .toMatchInlineSnapshot(`
      "- S.person: schema field "note" added (string|null, required)
      - S.person: schema field "gone" removed
      - S.person: schema field "id" type changed: string -> integer
      - S.person: schema field "lang" values added: de,ru
      - S.person: schema field "lang" values removed: fr
      - S.person: schema field "lang" is now optional
      - S.person: schema field "kind" const changed: a -> b
      - S.person: schema field "at" format added: date-time
      - S.person: schema field "age" maximum removed: 10
      - S.person: schema field "age" minimum changed: 0 -> 1
      - S.person: schema field "tags" type changed: string[] -> number[]
      - S.person: +2 more changes"
    `);
  });

  it("limit the description of one file", async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`field${index}`, { type: "string" }]),
    );
    const notes = await notesOf(
      { alias: "S.wide", path: "wide.json" },
      schemaOf({}),
      schemaOf(fields),
    );
    expect(notes.split("\n")).toHaveLength(12);
    expect(notes).toContain("- S.wide: +29 more changes");
  });

  it("describe how the decision in a record changed", async () => {
    const before = decisionOf(
      "O1 (json-tool-only)",
      ["O3 (streaming): cannot be checked"],
      "proposed",
    );
    const after = decisionOf("O2 (two calls)", ["O1 (json-tool-only): too strict"], "accepted");
    expect(await notesOf({ alias: "A.ADR1", path: "adr/1.md" }, before, after))
      .toMatchInlineSnapshot(`
      "- A.ADR1: status changed: proposed -> accepted
      - A.ADR1: choice changed: O1 (json-tool-only) -> O2 (two calls)
      - A.ADR1: rejection added: O1 (json-tool-only): too strict
      - A.ADR1: rejection removed: O3 (streaming): cannot be checked"
    `);
  });

  it("describe changed exported signatures, and the size of the rest", async () => {
    const before = `export function parse(text: string): number {\n  return text.length;\n}\nexport const limit = 10;\nexport interface Old {\n  a: string;\n}\n`;
    const after = `export function parse(text: string, base: number): number {\n  return text.length + base;\n}\nexport const limit = 10;\nexport function format(value: number): string {\n  return String(value);\n}\n`;
    expect(await notesOf({ path: "src/number.ts" }, before, after)).toMatchInlineSnapshot(`
      "- X.x: export added: function format(value: number): string
      - X.x: export removed: Old
      - X.x: signature changed: function parse(text: string): number -> function parse(text: string, base: number): number
      - X.x: +4 -4 lines"
    `);
  });

  it("count lines if only bodies changed", async () => {
    const body = (line: string): string =>
      `export function parse(text: string): number {\n  ${line}\n}\n`;
    expect(await notesOf({ path: "src/a.ts" }, body("return 1;"), body("return 2;"))).toBe(
      "- X.x: +1 -1 lines",
    );
  });

  it("describe changed settings, and never show a secret", async () => {
    const before =
      "temperature: 0.2\nmodel:\n  name: small\napi_key: sk-abcdefghijklmnopqrstuvwx0123\nold: 1\n";
    const after =
      "temperature: 0.7\nmodel:\n  name: large\napi_key: sk-zyxwvutsrqponmlkjihgfe9876\nfresh: [1, 2]\n";
    const notes = await notesOf(
      { alias: "PR.default", path: "profiles/default.yaml" },
      before,
      after,
    );
    expect(notes).toMatchInlineSnapshot(`
      "- PR.default: key added: fresh=[1,2]
      - PR.default: key removed: old
      - PR.default: key changed: temperature=0.2 -> 0.7
      - PR.default: key changed: model.name=small -> large
      - PR.default: key changed: api_key (value hidden)"
    `);
    expect(notes).not.toMatch(/abcdef|zyxw/);
  });

  it.each([
    {
      what: "headings",
      path: "README.md",
      before: "# A\n\n## Use\n",
      after: "# A\n\n## Install\n\ntext\n",
      notes: ["heading added: Install", "heading removed: Use", "says now: text", "+3 -1 lines"],
    },
    {
      what: "members",
      path: "a.ts",
      before: "export interface A {\n  a: string;\n  b(x: number): void;\n  c: 1;\n}\n",
      after: "export interface A {\n  a: string;\n  b(x: string): void;\n  d?: 2;\n}\n",
      notes: [
        "A: member added: d?: 2",
        "A: member removed: c",
        "A: member changed: b(x: number): void -> b(x: string): void",
        "+2 -2 lines",
      ],
    },
    {
      what: "prose of a decision",
      path: "docs/decisions/0001-x.md",
      before: decisionOf("Use O1.", ["O2"]),
      after: `${decisionOf("Use O1.", ["O2"])}\nReject O3 for now.\n`,
      notes: ["says now: Reject O3 for now.", "+2 -0 lines"],
    },
    {
      what: "tests",
      path: "a.test.ts",
      before: 'describe("a", () => {\n  it("adds", f);\n});\n',
      after: 'describe("a", () => {\n  it("adds", f);\n  it("subtracts", f);\n});\n',
      notes: ["test added: a: subtracts"],
    },
    {
      what: "options",
      path: "options.json",
      before: '{"options":[{"id":"O1","summary":"one"}]}',
      after: '{"options":[{"id":"O1","summary":"two"},{"id":"O2","summary":"three"}]}',
      notes: ["option added: O2: three", "option changed: O1: one -> two"],
    },
    {
      what: "lines of other files",
      path: "notes.bin",
      before: "a\nb\n",
      after: "a\nc\nd\n",
      notes: ["+2 -1 lines"],
    },
    {
      what: "descriptions of a schema",
      path: "a.json",
      before: schemaOf({ a: { type: "string" } }),
      after: schemaOf({ a: { type: "string", description: "new" } }),
      notes: ["+2 -1 lines"],
    },
    {
      what: "enumerations with null",
      path: "a.json",
      before: schemaOf({ a: { enum: [1, null] } }),
      after: schemaOf({ a: { enum: [1, 2, null] } }),
      notes: ['schema field "a" values added: 2'],
    },
  ])("name changed $what", async ({ path, before, after, notes }) => {
    expect(await notesOf({ path }, before, after)).toBe(
      notes.map((note) => `- X.x: ${note}`).join("\n"),
    );
  });

  it("show hashes if a text is unknown, and report moves", async () => {
    const base: Files = {
      "D.a": { path: "a.png", sha256: sha256Hex("1") },
      "D.b": { path: "b.md", text: "# B\n" },
    };
    const next: Files = {
      "D.a": { path: "a.png", sha256: sha256Hex("2") },
      "D.b": { path: "docs/b.md", text: "# B\n" },
    };
    expect(await promptOf(base, next)).toMatchInlineSnapshot(`
      "BASE: ctx@553d01d7
      DELTA:
      - D.a: content changed: 6b86b273 -> d4735e3a
      - D.b: moved from b.md to docs/b.md"
    `);
  });

  it("do not report an old file as new", async () => {
    const base: Files = {
      "H.a": { path: "a.ts", text: "export const a = 1;\n" },
      "H.b": { path: "b.ts", text: "export const b = 1;\n" },
    };
    const next: Files = {
      "H.main": { path: "a.ts", text: "export const a = 2;\n" },
      "H.other": { path: "src/b.ts", text: "export const b = 1;\n" },
      "H.new": { path: "c.ts", text: "export const c = 1;\n" },
    };
    const prompt = await promptOf(base, next);
    expect(prompt.split("\n").slice(2)).toEqual([
      "- H.main: was H.a (a.ts)",
      "- H.main: signature changed: const a = 1 -> const a = 2",
      "- H.main: +1 -1 lines",
      "- H.new: added (c.ts)",
      "- H.other: was H.b, moved from b.ts to src/b.ts",
    ]);
    const delta = await computeDelta(snapshotOf(base), snapshotOf(next));
    expect(await applyDelta(snapshotOf(base), delta)).toEqual(snapshotOf(next));
  });

  it("show a renamed file that was also edited as one change", async () => {
    const lines = Array.from({ length: 8 }, (_, at) => `export const c${at} = ${at};`);
    const base: Files = {
      "H.old": { path: "old.ts", text: `${lines.join("\n")}\n` },
      "H.gone": { path: "gone.ts", text: "export const gone = 1;\n" },
    };
    const edited = lines.with(3, "export const c3 = 33;").join("\n");
    const next: Files = {
      "H.fresh": { path: "src/fresh.ts", text: `${edited}\n` },
      "H.other": { path: "other.ts", text: "export const other = 1;\n" },
    };
    const delta = await computeDelta(snapshotOf(base), snapshotOf(next));
    const prompt = renderDelta(delta, { budget: 5_000, counter: estimatedCounter });
    expect(prompt.split("\n").slice(2)).toEqual([
      "- H.fresh: was H.old, moved from old.ts to src/fresh.ts",
      "- H.fresh: signature changed: const c3 = 3 -> const c3 = 33",
      "- H.fresh: +1 -1 lines",
      "- H.gone: removed (gone.ts)",
      "- H.other: added (other.ts)",
      "HUNKS:",
      "--- H.fresh src/fresh.ts",
      "@@ -1,7 +1,7 @@",
      ...lines.slice(0, 3).map((line) => ` ${line}`),
      "-export const c3 = 3;",
      "+export const c3 = 33;",
      ...lines.slice(4, 7).map((line) => ` ${line}`),
      "--- H.other other.ts",
      "@@ -0,0 +1,1 @@",
      "+export const other = 1;",
    ]);
    expect(await applyDelta(snapshotOf(base), delta)).toEqual(snapshotOf(next));
  });

  it("show hunks within the budget, with secrets masked and omissions marked", async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    const secret = ["ghp", "_", "a1B2".repeat(9)].join("");
    const after = lines.map((line, at) => (at % 20 === 5 ? `${line} ${secret} @@ x` : line));
    const base: Files = { "D.a": { path: "a.txt", text: lines.join("\n") } };
    const next: Files = {
      "D.a": { path: "a.txt", text: after.join("\n") },
      "D.b": { path: "b.txt", text: "fresh\n" },
    };
    const delta = await computeDelta(snapshotOf(base), snapshotOf(next));
    const counter = { name: "characters", isExact: true, count: (text: string) => text.length };
    const whole = renderDelta(delta, { budget: 5_000, counter });
    expect(whole).not.toContain(secret);
    expect(whole.match(/^@@ /gm)).toHaveLength(4);
    expect(whole).toContain("\n--- D.b b.txt\n@@ -0,0 +1,1 @@\n+fresh");
    for (let budget = 80; budget < 900; budget += 13)
      expect(renderDelta(delta, { budget, counter }).length).toBeLessThanOrEqual(budget);
    const part = renderDelta(delta, { budget: 515, counter });
    expect(part).toContain('... +2 hunks, get_alias("D.a")');
    const bare = renderDelta(delta, { budget: 300, counter });
    expect(bare).toMatch(/\nHUNKS:\n\.\.\. hunks of \+2 files, get_alias gives each$/);
  });

  it("never show the middle of a key, which does not look like one", async () => {
    const kind = "PRIVATE KEY-----";
    const keyOf = (seed: string): string[] => [
      `-----BEGIN ${kind}`,
      ...Array.from({ length: 30 }, (_, at) => `${seed}${at}`.padEnd(64, "Ab3/")),
      `-----END ${kind}`,
    ];
    const around = Array.from({ length: 20 }, (_, at) => `around ${at}`);
    const before = [...around, ...keyOf("old"), ...around];
    const after = before.map((line, at) => (at === 35 ? "new".padEnd(64, "Zy9+") : line));
    after[2] = "around two";
    const delta = await computeDelta(
      snapshotOf({ "D.a": { path: "a.txt", text: before.join("\n") } }),
      snapshotOf({ "D.a": { path: "a.txt", text: after.join("\n") } }),
    );
    const prompt = renderDelta(delta, { budget: 5_000, counter: estimatedCounter });
    expect(prompt).toContain("+around two");
    expect(prompt).toContain("+2 -2 lines");
    expect(prompt).not.toMatch(/Zy9|Ab3/);
  });

  it("stop when aborted", async () => {
    const base = snapshotOf({ "D.a": { path: "a.md", text: "a" } });
    await expect(
      computeDelta(base, snapshotOf({}), { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
  });
});
