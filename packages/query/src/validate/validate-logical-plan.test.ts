import type { ResourceDetails } from "@ccl/catalog";
import { describe, expect, it } from "vitest";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { typeName } from "../plan/data-type.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { warningCodes, type PlanIssueCode } from "./plan-issue.ts";
import { planScans } from "../scans/plan-scans.ts";
import { validateLogicalPlan, validPlan, type ValidateOptions } from "./validate-logical-plan.ts";

const orders: ResourceDetails = {
  id: "res:db.pg.main.public.orders",
  uri: "ada://any/db/pg:main/public.orders",
  kind: "tabular",
  title: "orders",
  columns: [
    { name: "id", type: "int", nn: true, pk: true },
    { name: "user_id", type: "int", fk: "public.users.id" },
    { name: "created_at", type: "timestamptz" },
    { name: "amount", type: "numeric(12,2)", unit: "USD" },
    { name: "fee", type: "numeric(12,2)", unit: "EUR" },
    { name: "status", type: "text" },
    { name: "email", type: "text", tags: ["pii"] },
  ],
  shape: { rows_est: "1e7" },
};
const users: ResourceDetails = {
  id: "res:users",
  uri: "ada://any/db/pg:main/public.users",
  kind: "tabular",
  title: "users",
  columns: [
    { name: "uid", type: "int", pk: true },
    { name: "id", type: "int", pk: true },
    { name: "city", type: "text" },
  ],
};
const strict: ResourceDetails = {
  ...users,
  id: "res:strict",
  usage: { anti_patterns: ["select *"] },
};
const large: ResourceDetails = {
  ...orders,
  id: "res:large",
  usage: { anti_patterns: ["без лимита > 1e6 строк"] },
};
const filtered: ResourceDetails = {
  ...users,
  id: "res:filtered",
  usage: { anti_patterns: ["full table scan"] },
};
const odd: ResourceDetails = {
  ...users,
  id: "res:odd",
  usage: { anti_patterns: ["joining on city at night"] },
};
const bus: ResourceDetails = { ...users, id: "res:bus", cap: ["publish"] };
const weather: ResourceDetails = {
  id: "res:weather",
  kind: "skill",
  title: "weather",
  cap: ["call"],
  columns: [
    { name: "place", type: "string", in: "input", nn: true },
    { name: "model", type: "string", in: "input" },
    { name: "day", type: "date", in: "output", nn: true },
    { name: "celsius", type: "number", in: "output" },
  ],
};
const details = [weather, orders, users, strict, large, filtered, odd, bus];

function planOf(text: string | object): LogicalPlan {
  const plan = parseLogicalPlan(text);
  if (!plan.ok) throw new Error(JSON.stringify(plan.issues));
  return plan.value;
}

function issuesOf(
  text: string | object,
  options: Partial<ValidateOptions> = {},
): { code: string; message: string; severity?: string | undefined }[] {
  const result = validateLogicalPlan(planOf(text), { details, ...options });
  return result.ok ? result.value.warnings : result.issues;
}

const o = "scan(res:db.pg.main.public.orders, id, user_id, created_at, amount, fee, status)";
const filterBy = (where: string): string => `${o} -> filter(${where})`;

const cases: [PlanIssueCode, string | object, Partial<ValidateOptions>?][] = [
  ["resource_unknown", "scan(res:user)"],
  ["column_unknown", "scan(res:users, citty)"],
  ["column_unknown", filterBy("amout > 1")],
  ["column_unknown", `${o} -> sort(revenue)`],
  [
    "step_unknown",
    {
      steps: [
        { op: "scan", resource: "res:users" },
        { op: "limit", from: "scan2", count: 1 },
      ],
    },
  ],
  [
    "step_duplicate",
    {
      steps: [
        { name: "a", op: "scan", resource: "res:users" },
        { name: "a", op: "limit", from: "a", count: 1 },
      ],
    },
  ],
  ["column_duplicate", `${o} -> project(id, amount as id)`],
  ["column_duplicate", `${o} -> join(res:users, user_id = id)`],
  ["type_mismatch", filterBy("amount = 'x'")],
  ["type_mismatch", filterBy("created_at > timestamp '2026-01-01T00:00:00'")],
  ["type_mismatch", filterBy("status")],
  ["type_mismatch", `${o} -> agg(sum(status))`],
  ["type_mismatch", `${o} -> join(res:users, created_at = uid) -> project(created_at)`],
  [
    "type_mismatch",
    filterBy("cast(amount as decimal(38,20)) * cast(amount as decimal(38,20)) > 1"),
  ],
  ["cast_invalid", filterBy("cast(status as int) = 1")],
  ["argument_invalid", filterBy("status like status")],
  ["argument_invalid", `${o} -> project(date_trunc('fortnight', created_at) as x)`],
  ["argument_invalid", `${o} -> project(substring(status, 0, 1) as x)`],
  ["zone_unknown", `${o} -> project(date(created_at, 'Europe/Berlinn') as day)`],
  ["zone_unknown", `${o} -> project(date(created_at, '+02:00') as day)`],
  ["union_mismatch", `${o} -> union(scan(res:users))`],
  ["scan_unsupported", "scan(res:bus)"],
  ["parameter_missing", "scan(res:weather, place, day, celsius)"],
  ["parameter_missing", "scan(res:weather, day, celsius) -> filter(celsius > 1)"],
  ["parameter_missing", "scan(res:weather, place, day) -> limit(3) -> filter(place = 'Ulm')"],
  [
    "parameter_misused",
    "scan(res:weather, place, model) -> filter(place = 'Ulm' and model like 'a%')",
  ],
  [
    "parameter_misused",
    {
      steps: [
        { name: "w", op: "scan", resource: "res:weather", columns: ["place", "day"] },
        { name: "a", op: "filter", from: "w", where: "place = 'Ulm'" },
        { name: "b", op: "filter", from: "w", where: "place = 'Bonn'" },
        { op: "union", from: ["a", "b"] },
      ],
    },
  ],
  ["select_star", "scan(res:strict) -> filter(city = 'Ulm')"],
  ["limit_missing", "scan(res:large, id) -> filter(id = 1)"],
  ["filter_missing", "scan(res:filtered) -> limit(5)"],
  [
    "step_unused",
    {
      steps: [
        { name: "a", op: "scan", resource: "res:users" },
        { name: "b", op: "scan", resource: "res:users" },
      ],
    },
  ],
  [
    "join_not_on_keys",
    `${o} -> join(res:users, status = city, id = uid) -> project(amount)`
      .replace(", id = uid", "")
      .replace("res:users", "scan(res:users, city)"),
  ],
  ["unit_mismatch", filterBy("amount > fee")],
  ["order_lost", `${o} -> sort(id) -> distinct`],
  ["anti_pattern", "scan(res:odd, city)"],
];

describe("validateLogicalPlan", () => {
  it.each(cases)("reports %s", (code, plan, options) => {
    const issues = issuesOf(plan, options);
    expect(issues.map((issue) => issue.code)).toEqual([code]);
    expect(issues[0]?.severity === "warning").toBe(warningCodes.has(code));
  });

  it("has a test case for every issue code", () => {
    const all: Record<PlanIssueCode, true> = {
      resource_unknown: true,
      column_unknown: true,
      step_unknown: true,
      step_duplicate: true,
      column_duplicate: true,
      type_mismatch: true,
      cast_invalid: true,
      argument_invalid: true,
      zone_unknown: true,
      union_mismatch: true,
      scan_unsupported: true,
      parameter_missing: true,
      parameter_misused: true,
      limit_exceeded: true,
      select_star: true,
      limit_missing: true,
      filter_missing: true,
      step_unused: true,
      join_not_on_keys: true,
      unit_mismatch: true,
      order_lost: true,
      anti_pattern: true,
    };
    expect(new Set([...cases.map(([code]) => code), "limit_exceeded"])).toEqual(
      new Set(Object.keys(all)),
    );
  });

  it("types every column from the scans up, and propagates units", () => {
    const plan = planOf(
      `${o} -> left_join(scan(res:users, id, city), user_id = id as u_) -> agg(date(created_at, 'Europe/Berlin') as day, u_city, ` +
        "sum(amount) as revenue, avg(fee) as fee, count() as n, max(amount * 2) as twice, sum(user_id / 2) as half)",
    );
    const result = validateLogicalPlan(plan, { details });
    const columns = result.ok ? result.value.columns : [];
    expect(columns.map(({ name, type, unit }) => `${name}: ${typeName(type)} ${unit ?? ""}`))
      .toMatchInlineSnapshot(`
      [
        "day: date ",
        "u_city: text ",
        "revenue: decimal(24,2) USD",
        "fee: float EUR",
        "n: int ",
        "twice: decimal(13,2) USD",
        "half: float ",
      ]
    `);
    expect(result.ok && result.value.warnings).toEqual([]);
  });

  it.each([
    ["select * where a project follows", "scan(res:strict) -> project(city)"],
    ["a scan without a limit before an aggregate", "scan(res:large, id) -> agg(count())"],
    ["a scan without a limit before a limit", "scan(res:large, id) -> limit(10)"],
    [
      "a text that is a time",
      filterBy("created_at >= '2026-01-01' and created_at < '2026-02-01T00:00:00+01:00'"),
    ],
    ["whole numbers beside decimals", filterBy("amount > 10 and amount in (1, 2.5)")],
    ["a foreign key", `${o} -> semi_join(res:users, user_id = id)`],
  ])("accepts %s", (_, plan) => {
    expect(issuesOf(plan)).toEqual([]);
  });

  it("suggests the nearest column", () => {
    expect(issuesOf(filterBy("amout > 1"))[0]?.message).toBe(
      'Step "scan1" has no column "amout". Did you mean "amount"?',
    );
  });

  describe("with access rules", () => {
    const access = {
      canRead: ({
        column,
        principal,
      }: {
        column?: { tags?: string[] | undefined } | undefined;
        principal: { roles?: readonly string[] | undefined } | undefined;
      }): boolean =>
        column?.tags?.includes("pii") !== true || principal?.roles?.includes("dpo") === true,
    };
    const plan = "scan(res:db.pg.main.public.orders, email)";

    it("treats a hidden column exactly like a missing one", () => {
      const hidden = issuesOf(plan, { access });
      const bare = {
        ...orders,
        columns: (orders.columns ?? []).filter(({ name }) => name !== "email"),
      };
      expect(hidden).toEqual(issuesOf(plan, { details: [bare] }));
      expect(hidden[0]?.code).toBe("column_unknown");
      expect(issuesOf(plan, { access, principal: { roles: ["dpo"] } })).toEqual([]);
    });

    it("leaves hidden columns out of a scan of all columns", () => {
      const result = validateLogicalPlan(planOf("scan(res:db.pg.main.public.orders)"), {
        details,
        access,
      });
      expect(result.ok && result.value.columns.map(({ name }) => name)).not.toContain("email");
    });

    it.each([
      [
        "throws",
        {
          canRead: () => {
            throw new Error("no");
          },
        },
      ],
      ["returns something other than a bool", { canRead: () => JSON.parse('"yes"') }],
      ["denies", { canRead: () => false }],
    ])("denies access if a rule %s", (_, rule) => {
      expect(issuesOf(plan, { access: rule }).map(({ code }) => code)).toEqual([
        "resource_unknown",
      ]);
    });
  });

  it("refuses more than 200 steps", () => {
    const steps = Array.from({ length: 201 }, (_, at) => ({
      name: `s${at}`,
      op: "scan" as const,
      resource: "res:users",
    }));
    const checked = validateLogicalPlan({ version: 1, steps }, { details });
    expect(checked.ok ? [] : checked.issues.map(({ code }) => code)).toEqual(["limit_exceeded"]);
  });

  it("accepts nested calls of round, and prints each of them once", () => {
    const nested = `${"round(".repeat(12)}fee / 2${", 2)".repeat(12)}`;
    const plan = planOf(`${o} -> project(${nested} as x)`);
    expect(planScans(validPlan(plan, { details })).text.length).toBeLessThan(500);
  });
});
