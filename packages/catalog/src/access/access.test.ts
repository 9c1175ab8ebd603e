import { createScriptedEmbedder } from "@ccl/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import type { AccessOptions, Principal } from "./access-options.ts";

const people: ResourceInput = {
  id: "res:db.hr.people",
  kind: "tabular",
  title: "people",
  description: "Who works here, with salaryband and ssnumber.",
  tags: ["hr"],
  columns: [
    { name: "person_id", type: "int", pk: true },
    { name: "ssnumber", type: "text", tags: ["pii"] },
    { name: "salaryband", type: "int" },
  ],
  usage: {
    snippets: [{ engine: "sql", code: "select ssnumber from people" }],
    anti_patterns: ["select *"],
  },
  access: { policy: "rbac:hr-read", secrets: ["ada://secret/pg:hr"] },
};
const access: AccessOptions = {
  roles: {
    hr: { details: { policies: ["rbac:hr-read"] }, pii: true },
    analyst: { details: true, columns: ({ name }) => name !== "salaryband" },
    guest: { overview: { tags: ["open"] } },
    broken: {
      overview: () => {
        throw new Error("no");
      },
    },
    leaky: { details: () => JSON.parse('"yes"') },
    short: { details: true, sections: ["columns"] },
  },
};
const as = (...roles: string[]): { principal: Principal } => ({ principal: { id: "p", roles } });

describe("access", () => {
  it.each([
    ["no principal", {}, true, false],
    ["a principal with the right", as("hr"), true, true],
    ["a role whose tags do not match", as("guest"), false, false],
    ["a role that the catalog does not know", as("nobody"), false, false],
    ["a role named like a member of every object", as("constructor"), false, false],
    ["no role at all", as(), false, false],
    ["a rule that throws", as("broken"), false, false],
    ["a rule that returns a text", as("leaky"), true, false],
    ["rights that add up", as("guest", "hr"), true, true],
  ])("shows overview and details to %s: %s", async (_, who, hasOverview, hasDetails) => {
    const catalog = createCatalog({ access });
    await catalog.register([people]);
    expect((await catalog.overview(who)).pageInfo.total).toBe(hasOverview ? 1 : 0);
    expect((await catalog.search({ text: "people", ...who })).hits).toHaveLength(
      hasOverview ? 1 : 0,
    );
    const { items, missing } = await catalog.details([people.id], who);
    expect([items.length, missing.length]).toEqual(hasDetails ? [1, 0] : [0, 1]);
    expect(await catalog.history(people.id, who)).toHaveLength(hasDetails ? 1 : 0);
    const context = await catalog.budgetedContext({ task: "people", budget: 2_000, ...who });
    expect([context.k, context.m]).toEqual([hasOverview ? 1 : 0, hasDetails ? 1 : 0]);
  });

  it("hides columns by rule, and finds no resource by a hidden column", async () => {
    const catalog = createCatalog({ access });
    await catalog.register([people]);
    const { items } = await catalog.details([people.id], as("analyst"));
    expect(items[0]?.columns?.map(({ name }) => name)).toEqual(["person_id"]);
    expect(items[0]?.total).toEqual({ columns: 1, snippets: 0 });
    for (const text of ["salaryband", "ssnumber"]) {
      const found = await catalog.search({ text, ...as("analyst") });
      expect([found.hits, found.unmatchedTerms]).toEqual([[], [text]]);
    }
    expect((await catalog.search({ text: "salaryband", ...as("hr") })).hits).toHaveLength(1);
    const short = await catalog.details([people.id], as("short"));
    expect(Object.keys(short.items[0] ?? {}).sort()).toMatchInlineSnapshot(`
      [
        "cap",
        "columns",
        "id",
        "kind",
        "shape",
        "title",
        "total",
        "truncated",
        "usage",
      ]
    `);
  });

  it("makes a denied resource look like an absent one", async () => {
    const catalog = createCatalog({ access });
    await catalog.register([people]);
    const answer = await catalog.details([people.id, "res:none"], as("guest"));
    expect(answer).toEqual({ items: [], missing: [people.id, "res:none"] });
  });

  it("shows nothing to a principal without access rules, and everything but personal columns to a call without a principal", async () => {
    const catalog = createCatalog();
    await catalog.register([people]);
    expect((await catalog.overview(as("hr"))).items).toEqual([]);
    const { items } = await catalog.details([people.id]);
    expect(items[0]?.columns?.map(({ name }) => name)).toEqual(["person_id", "salaryband"]);
  });
});

/** A mark in every word of a secret part, so that any leaked byte is detected. */
const mark = "zq";
const secret = (at: number, what: string): string => `${mark}${what}${"abcdefghijklm"[at] ?? ""}`;

interface Sample {
  resource: ResourceInput;
  isSeen: boolean;
  hasCard: boolean;
}

const sample = fc.record({
  isSeen: fc.boolean(),
  hasCard: fc.boolean(),
  personal: fc.integer({ min: 0, max: 3 }),
  ruled: fc.integer({ min: 0, max: 2 }),
  open: fc.integer({ min: 0, max: 6 }),
  isDigestGiven: fc.boolean(),
});

function build(
  shapes: readonly (typeof sample extends fc.Arbitrary<infer Shape> ? Shape : never)[],
): Sample[] {
  return shapes.map(({ isSeen, hasCard, personal, ruled, open, isDigestGiven }, at) => {
    const hidden = [
      ...Array.from({ length: personal }, (_, of) => ({
        name: secret(at, `pii${"klm"[of] ?? ""}`),
        type: "text",
        tags: ["pii"],
      })),
      ...Array.from({ length: ruled }, (_, of) => ({
        name: secret(at, `rule${"klm"[of] ?? ""}`),
        type: "int",
        hide: true,
      })),
    ];
    const names = hidden.map(({ name }) => name);
    const mine = isSeen ? "plain" : secret(at, "denied");
    const inCard = isSeen && hasCard ? "card" : secret(at, "card");
    const resource: ResourceInput = {
      id: isSeen ? `res:db.a.t${at}` : `res:db.${secret(at, "id")}.t`,
      kind: isSeen ? "tabular" : secret(at, "kind"),
      title: isSeen ? `orders ${at}` : secret(at, "title"),
      tags: [isSeen ? "seen" : "unseen", hasCard ? "carded" : "bare", `team:${mine}`],
      owner: mine,
      description: `orders ${inCard} ${names.join(" ")}`,
      columns: [
        ...hidden,
        ...Array.from({ length: open }, (_, of) => ({ name: `${inCard}_${of}`, type: "int" })),
      ],
      ...(isDigestGiven
        ? { schema_digest: names.map((name) => `${name}:str`) }
        : { schema_digest: ["id:int"] }),
      examples: names.map((name) => ({ task: `sum of ${name}` })),
      usage: {
        snippets: [...names, inCard].map((name) => ({ engine: "sql", code: `select ${name}` })),
        anti_patterns: [...names, inCard].map((name) => `scan by ${name}`),
      },
      quality: { null_rate: Object.fromEntries(names.map((name) => [name, 0.5])) },
      constraints: { unique: names },
      extra: { [names[0] ?? "none"]: names, note: inCard },
    };
    return { resource, isSeen, hasCard };
  });
}

const rules: AccessOptions = {
  roles: {
    reader: {
      overview: { tags: ["seen"] },
      details: { tags: ["carded"] },
      columns: (column) => column["hide"] !== true,
    },
  },
};

describe("a principal's answers", () => {
  it("contain no byte, count or facet of a denied resource", async () => {
    const { numRuns = 200 } = fc.readConfigureGlobal();
    const who = { principal: { roles: ["reader"] } };
    let cards = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(sample, { maxLength: 12 }),
        fc.boolean(),
        async (shapes, hasEmbedder) => {
          const samples = build(shapes);
          const catalog = createCatalog({
            access: rules,
            embedder: hasEmbedder ? createScriptedEmbedder() : undefined,
          });
          expect((await catalog.register(samples.map(({ resource }) => resource))).ok).toBe(true);
          const ids = samples.map(({ resource }) => resource.id);
          const seen = samples.filter(({ isSeen }) => isSeen);
          const hiddenWords = samples
            .flatMap(({ resource }) => (resource.columns ?? []).map(({ name }) => name))
            .slice(0, 4);
          const answers: unknown[] = [
            await catalog.overview(who),
            await catalog.overview({ query: "orders", ...who }),
            (await catalog.details(ids, { columnLimit: 100, snippetLimit: 100, ...who })).items,
            await catalog.search({ text: "orders by team", limit: 100, ...who }),
            await catalog.search(who),
            await catalog.budgetedContext({ task: "orders", budget: 1_500, ...who }),
            await catalog.budgetedContext({
              task: "orders",
              budget: 3_000,
              candidates: ids,
              ...who,
            }),
            ...(await Promise.all(ids.map((id) => catalog.history(id, who)))),
          ];
          expect(JSON.stringify(answers)).not.toContain(mark);
          const overview = await catalog.overview(who);
          expect(overview.pageInfo.total).toBe(seen.length);
          const browsed = await catalog.search(who);
          expect(
            (browsed.facetCounts["kind"] ?? []).reduce((sum, { count }) => sum + count, 0),
          ).toBe(seen.length);
          for (const word of hiddenWords.filter((name) => /^zq(?:pii|rule)/.test(name))) {
            const found = await catalog.search({ text: word, ...who });
            expect(hasEmbedder ? [] : found.hits).toEqual([]);
            expect(found.unmatchedTerms).not.toEqual([]);
          }
          const context = await catalog.budgetedContext({
            task: "x",
            budget: 3_000,
            candidates: ids,
            ...who,
          });
          expect(context.k + context.omitted.overview).toBe(seen.length);
          cards += context.m;
        },
      ),
      { numRuns: Math.ceil(numRuns / 4) },
    );
    expect(cards).toBeGreaterThan(0);
  }, 60_000);
});
