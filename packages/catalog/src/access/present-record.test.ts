import { describe, expect, it } from "vitest";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import type { AccessOptions } from "./access-options.ts";

const orders: ResourceInput = {
  id: "res:db.orders",
  kind: "tabular",
  title: "orders",
  description: "Orders by person and coupon.",
  tags: ["shop"],
  shape: { rows_est: 10, cols: 4 },
  schema_digest: ["order_id:int", "coupon:text"],
  examples: [{ task: "orders a day" }, { task: "orders with a coupon" }],
  columns: [
    { name: "order_id", type: "int" },
    { name: "person", type: "int", fk: "people.id", description: "Who pays with the coupon." },
    { name: "coupon", type: "text" },
    { name: "email", type: "text", tags: ["pii"] },
  ],
  constraints: { unique: ["order_id", "coupon"], coupon: "not null" },
  quality: { null_rate: { coupon: 0.5, person: 0 } },
  usage: {
    snippets: [
      { engine: "sql", title: "By coupon", code: "select 1" },
      { engine: "sql", code: "select coupon" },
      { engine: "sql", code: "select 2" },
    ],
    anti_patterns: ["join on coupon", "select *"],
  },
  steward: { coupon: "anna", other: "bert" },
};
const people: ResourceInput = {
  id: "res:db.people",
  kind: "tabular",
  title: "people",
  tags: ["hr"],
};
const access: AccessOptions = {
  roles: {
    all: { details: true, pii: true },
    impersonal: { details: true },
    cheap: { details: true, pii: true, columns: ({ name }) => name !== "coupon" },
    shop: { overview: { tags: ["shop"] }, details: true, pii: true },
    both: { overview: { tags: ["shop", "hr"] }, details: true, pii: true },
  },
};

const open = async () => {
  const catalog = createCatalog({ access, clock: { now: () => 0 } });
  expect((await catalog.register([orders, people])).ok).toBe(true);
  const seenBy = async (role: string) => {
    const principal = { roles: [role] };
    const window = { columnLimit: 100, snippetLimit: 100 };
    const { items } = await catalog.details([orders.id], { principal, ...window });
    const overview = (await catalog.overview({ principal })).items.find(
      ({ id }) => id === orders.id,
    );
    return { card: items[0], overview, history: await catalog.history(orders.id, { principal }) };
  };
  return { catalog, seenBy };
};

describe("a card", () => {
  it("is complete for a principal that may see all of it", async () => {
    const { seenBy } = await open();
    const { card, overview } = await seenBy("all");
    const { tags, schema_digest, examples, ...details } = orders;
    expect(card).toMatchObject(details);
    expect(overview).toMatchObject({ tags, schema_digest, examples, shape: orders.shape, rev: 1 });
  });

  it("names a hidden column in no section, and keeps the rest of each section", async () => {
    const { seenBy } = await open();
    const { card, overview } = await seenBy("cheap");
    expect(JSON.stringify([card, overview])).not.toContain("coupon");
    expect(card).toMatchObject({
      description: "Orders by person and [hidden].",
      shape: { rows_est: 10, cols: 3 },
      columns: [
        { name: "order_id" },
        { name: "person", type: "int", fk: "people.id" },
        { name: "email" },
      ],
      constraints: { unique: ["order_id"] },
      quality: { null_rate: { person: 0 } },
      usage: { snippets: [{ code: "select 2" }], anti_patterns: ["select *"] },
      steward: { other: "bert" },
    });
    expect(overview).toMatchObject({
      shape: { cols: 3 },
      schema_digest: ["order_id:int"],
      examples: [{ task: "orders a day" }],
    });
  });

  it("shows a key to a visible table to a principal that does not see every table", async () => {
    const { seenBy } = await open();
    expect((await seenBy("both")).card?.columns?.[1]).toMatchObject({ fk: "people.id" });
  });

  it("omits a key to a hidden table but shows the column", async () => {
    const { seenBy } = await open();
    const { card } = await seenBy("shop");
    const [, person] = card?.columns ?? [];
    expect(person).toEqual({
      name: "person",
      type: "int",
      description: "Who pays with the coupon.",
    });
  });
});

describe("an overview", () => {
  const [id, person, coupon, email] = orders.columns ?? [];
  it.each([
    [
      "a column",
      [id, person, { name: "coupon", type: "int" }, email],
      ["all", "impersonal", "shop", "both"],
    ],
    [
      "a personal column",
      [id, person, coupon, { ...email, name: "email", type: "int" }],
      ["all", "cheap", "shop", "both"],
    ],
    [
      "a key",
      [id, { ...person, name: "person", fk: "staff.id" }, coupon, email],
      ["all", "impersonal", "cheap", "both"],
    ],
  ])("reveals that %s changed only to principals that see it", async (_, columns, expected) => {
    const { catalog, seenBy } = await open();
    const roles = Object.keys(access.roles);
    const factsOf = async (role: string): Promise<string> => {
      const { overview, history } = await seenBy(role);
      return JSON.stringify([overview, history]);
    };
    const before = await Promise.all(roles.map(factsOf));
    await catalog.register([{ ...orders, columns: columns.filter((one) => one !== undefined) }]);
    const after = await Promise.all(roles.map(factsOf));
    expect(roles.filter((_role, at) => after[at] !== before[at])).toEqual(expected);
  });
});
