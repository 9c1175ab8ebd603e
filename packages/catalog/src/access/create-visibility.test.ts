import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import type { AccessOptions, DetailSection, RoleRights } from "./access-options.ts";

const sections: DetailSection[] = [
  "description",
  "columns",
  "constraints",
  "pushdown",
  "snippets",
  "anti_patterns",
  "access",
  "quality",
  "other",
];

/** The part of a complete card that belongs to each section. */
const contentOf: Record<DetailSection, object> = {
  description: { description: "All orders." },
  columns: { columns: [{ name: "order_id" }, { name: "email", tags: ["pii"] }, { name: "note" }] },
  constraints: { constraints: { unique: ["order_id"] } },
  pushdown: { pushdown: { filter: true } },
  snippets: { usage: { snippets: [{ engine: "sql", code: "select 1" }] } },
  anti_patterns: { usage: { anti_patterns: ["select *"] } },
  access: { access: { policy: "rbac:shop" } },
  quality: { quality: { freshness_sla_s: 60 } },
  other: { steward: "anna" },
};

function resourceOf(at: number, tag: string): ResourceInput {
  const usage = {
    snippets: [{ engine: "sql", code: "select 1" }],
    anti_patterns: ["select *"],
  };
  const parts = sections.map((section) => contentOf[section]);
  return {
    ...Object.assign({}, ...parts),
    id: `res:t${at}`,
    kind: "tabular",
    title: "t",
    tags: [tag],
    usage,
  };
}

const tags = ["a", "b", "c"];
const resources = tags.map((tag, at) => resourceOf(at, tag));
const rule = fc.option(fc.oneof(fc.boolean(), fc.record({ tags: fc.subarray(tags) })), {
  nil: undefined,
});
const role = fc.record({
  overview: rule,
  details: rule,
  pii: rule,
  sections: fc.option(fc.subarray(sections), { nil: undefined }),
  columns: fc.option(
    fc.constant<NonNullable<RoleRights["columns"]>>(({ name }) => name !== "note"),
    { nil: undefined },
  ),
});
type Role = typeof role extends fc.Arbitrary<infer Value> ? Value : never;

/** True if a rule covers a resource with this tag. */
const matches = (given: Role["overview"], absent: boolean, tag: string): boolean =>
  typeof given === "object" ? given.tags.includes(tag) : (given ?? absent);

/** The parts of a resource that one role shows, according to the documentation. */
function shownBy(one: Role, tag: string) {
  const hasOverview = matches(one.overview, true, tag);
  const hasCard = matches(one.details, false, tag);
  const columns = ["order_id", "email", "note"].filter(
    (name) =>
      hasOverview &&
      (name !== "email" || matches(one.pii, false, tag)) &&
      (name !== "note" || one.columns === undefined),
  );
  return {
    hasOverview,
    hasCard,
    columns,
    sections: hasOverview && hasCard ? (one.sections ?? sections) : [],
  };
}

function sectionsIn(card: object): DetailSection[] {
  const { usage = {}, ...rest }: { usage?: object } = card;
  const names = new Set(Object.keys({ ...rest, ...usage }));
  return sections.filter((section) => names.has(section === "other" ? "steward" : section));
}

const catalogWith = async (
  access: AccessOptions | undefined,
  given: ResourceInput[] = resources,
) => {
  const catalog = createCatalog({ access });
  expect((await catalog.register(given)).ok).toBe(true);
  return catalog;
};

describe("a principal", () => {
  it("sees exactly what one of its roles shows", async () => {
    const { numRuns = 100 } = fc.readConfigureGlobal();
    await fc.assert(
      fc.asyncProperty(fc.array(role, { minLength: 1, maxLength: 3 }), async (given) => {
        const roles = Object.fromEntries(given.map((one, at) => [`r${at}`, one]));
        const catalog = await catalogWith({ roles });
        const principal = { roles: Object.keys(roles) };
        const ids = resources.map(({ id }) => id);
        const { items: overview } = await catalog.overview({ principal });
        const { items: cards } = await catalog.details(ids, { principal });
        for (const [at, tag] of tags.entries()) {
          const shown = given.map((one) => shownBy(one, tag));
          const isSeen = shown.some(({ hasOverview }) => hasOverview);
          const id = `res:t${at}`;
          expect(overview.some((one) => one.id === id)).toBe(isSeen);
          const card = cards.find((one) => one.id === id);
          expect(card !== undefined).toBe(isSeen && shown.some(({ hasCard }) => hasCard));
          if (card === undefined) continue;
          const expected = new Set(shown.flatMap((one) => one.sections));
          expect(sectionsIn(card)).toEqual(sections.filter((section) => expected.has(section)));
          const columns = new Set(shown.flatMap((one) => one.columns));
          const names = ["order_id", "email", "note"].filter((name) => columns.has(name));
          const seen = expected.has("columns") ? names : undefined;
          expect(card.columns?.map(({ name }) => name)).toEqual(seen);
        }
      }),
      { numRuns },
    );
  });

  it("gets no section from a role that does not grant the card", async () => {
    const roles: Record<string, RoleRights> = {
      short: { details: true, sections: ["description"] },
      elsewhere: { details: { tags: ["c"] } },
    };
    const catalog = await catalogWith({ roles });
    const principal = { roles: ["short", "elsewhere"] };
    const { items } = await catalog.details(["res:t0", "res:t2"], { principal });
    expect(items.map(sectionsIn)).toEqual([["description"], sections]);
  });

  it("gets the sections that it requests and may see", async () => {
    const catalog = await catalogWith({
      roles: { r: { details: true, sections: ["columns", "quality"] } },
    });
    const asked = { principal: { roles: ["r"] }, sections: ["quality", "access"] as const };
    const { items } = await catalog.details(["res:t0"], asked);
    expect(items.map(sectionsIn)).toEqual([["quality"]]);
  });
});

describe("a rule", () => {
  const broken = (): never => {
    throw new Error("no");
  };
  it.each<[string, RoleRights["details"], string[]]>([
    ["ids", { ids: ["res:t1"] }, ["res:t1"]],
    ["a prefix of ids", { ids: ["res:*"] }, ["res:t0", "res:t1", "res:t2"]],
    ["a prefix of no id", { ids: ["t*", "res:t"] }, []],
    ["kinds", { kinds: ["tabular"] }, ["res:t0", "res:t1", "res:t2"]],
    ["other kinds", { kinds: ["api"] }, []],
    ["tags", { tags: ["a", "c"] }, ["res:t0", "res:t2"]],
    ["policies", { policies: ["rbac:shop"] }, ["res:t0", "res:t1", "res:t2"]],
    ["other policies", { policies: ["rbac:hr"] }, []],
    ["several fields", { ids: ["res:t0", "res:t1"], tags: ["b", "c"] }, ["res:t1"]],
    ["nothing", {}, ["res:t0", "res:t1", "res:t2"]],
    ["a function", ({ id }, { id: who }) => who === "p" && id === "res:t1", ["res:t1"]],
    ["a function that throws", broken, []],
    ["a function that does not return a boolean", () => JSON.parse("1"), []],
    ["a rule of a wrong type", JSON.parse('"all"'), []],
    ["a rule that is null", JSON.parse("null"), []],
  ])("grants the cards that match %s", async (_, details, expected) => {
    const catalog = await catalogWith({ roles: { r: { details } } });
    const principal = { id: "p", roles: ["r"] };
    const { items } = await catalog.details(["res:t0", "res:t1", "res:t2"], { principal });
    expect(items.map(({ id }) => id)).toEqual(expected);
  });

  it.each<[string, string[], boolean]>([
    ["a role without a grant", ["none"], false],
    ["a role without an overview", ["blind"], false],
    ["a rule that fails", ["broken"], false],
    ["a rule that fails, and a role without a grant", ["broken", "none"], false],
    ["a rule that fails, and a role that grants it", ["broken", "all"], true],
  ])("decides whether a card is shown to %s", async (_, roles, isShown) => {
    const catalog = await catalogWith({
      roles: {
        none: {},
        blind: { overview: false, details: true },
        broken: { details: broken },
        all: { details: true },
      },
    });
    const { items } = await catalog.details(["res:t0"], { principal: { roles } });
    expect(items.length).toBe(isShown ? 1 : 0);
  });

  it("for columns hides each column for which it does not return true", async () => {
    const columns = ({ name }: { name: string }): boolean => {
      if (name === "note") throw new Error("no");
      return name === "order_id" || JSON.parse("1");
    };
    const catalog = await catalogWith({ roles: { r: { details: true, pii: true, columns } } });
    const { items } = await catalog.details(["res:t0"], { principal: { roles: ["r"] } });
    expect(items[0]?.columns?.map(({ name }) => name)).toEqual(["order_id"]);
  });
});

describe("a call without a principal", () => {
  const idsOf = async (access: AccessOptions | undefined, principal?: { roles: string[] }) => {
    const catalog = await catalogWith(access);
    const { items } = await catalog.overview({ principal });
    const { items: cards } = await catalog.details(["res:t0"], { principal });
    return [items.length, cards.length];
  };

  it.each<[string, AccessOptions | undefined, number[], number[]]>([
    ["no rules", undefined, [3, 1], [0, 0]],
    ["rules without the role public", { roles: {} }, [3, 0], [3, 0]],
    ["rules for the role public", { roles: { public: { details: true } } }, [3, 1], [3, 1]],
    ["rules that deny the role public", { roles: { public: { overview: false } } }, [0, 0], [0, 0]],
  ])("has the role public in a catalog with %s", async (_, access, without, asPublic) => {
    expect(await idsOf(access)).toEqual(without);
    expect(await idsOf(access, { roles: ["public"] })).toEqual(asPublic);
  });

  it("grants nothing to roles that are not a list of names", async () => {
    const roles: string[] = JSON.parse('"public"');
    expect(await idsOf({ roles: { public: { details: true } } }, { roles })).toEqual([0, 0]);
    const catalog = await catalogWith({ roles: { 1: { details: true } } });
    const totalFor = async (given: string[]): Promise<number> =>
      (await catalog.overview({ principal: { roles: given } })).pageInfo.total;
    expect([await totalFor(["1"]), await totalFor(JSON.parse("[1, null]"))]).toEqual([3, 0]);
  });
});

describe("the cached visibility of a principal", () => {
  const idsFor = async (catalog: Awaited<ReturnType<typeof catalogWith>>, ...roles: string[]) =>
    (await catalog.overview({ principal: { roles } })).items.map(({ id }) => id);

  it("is dropped when the catalog changes, and is never cached if a rule is a function", async () => {
    let isOpen = false;
    const catalog = await catalogWith({
      roles: { a: { overview: { tags: ["a"] } }, moody: { overview: () => isOpen } },
    });
    expect(await idsFor(catalog, "a")).toEqual(["res:t0"]);
    expect(await idsFor(catalog, "moody")).toEqual([]);
    isOpen = true;
    expect(await idsFor(catalog, "moody")).toHaveLength(3);
    await catalog.register([resourceOf(7, "a")]);
    expect(await idsFor(catalog, "a")).toEqual(["res:t0", "res:t7"]);
  });

  it("belongs to the principal's own roles, however many combinations there are", async () => {
    const roles = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [`r${at}`, { overview: { tags: [`t${at}`] } }]),
    );
    const given = Array.from({ length: 7 }, (_, at) => resourceOf(at, `t${at}`));
    const catalog = await catalogWith({ roles }, given);
    for (let bits = 0; bits < 128; bits++) {
      const own = given.map((_, at) => at).filter((at) => (bits & (1 << at)) !== 0);
      const expected = own.map((at) => `res:t${at}`);
      expect(await idsFor(catalog, ...own.map((at) => `r${at}`))).toEqual(expected);
      expect(await idsFor(catalog, ...own.map((at) => `r${at}`).toReversed())).toEqual(expected);
    }
  });
});
