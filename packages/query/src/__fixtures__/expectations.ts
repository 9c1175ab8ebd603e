import type { PlanValue } from "../connector/column-batch.ts";

/** A plan over the sample data and the rows that it must return. */
export interface Expectation {
  name: string;
  plan: string;
  rows: PlanValue[][];
  /** Runs over the empty tables. */
  isEmpty?: boolean | undefined;
}

const orders = "scan(res:ccl_orders)";
const valueOf = (expression: string, where = "id = 1"): string =>
  `${orders} -> filter(${where}) -> project(${expression} as x)`;
const idsWhere = (where: string): string =>
  `${orders} -> filter(${where}) -> sort(id) -> project(id)`;
const ids = (...values: number[]): PlanValue[][] => values.map((id) => [id]);

/** The meaning of every step and function by example, over `sampleResources`. */
export const expectations: readonly Expectation[] = [
  {
    name: "values come in the plan's own forms",
    plan: `${orders} -> filter(id = 1)`,
    rows: [
      [1, 1, "10.50", 0.5, "a", true, "2026-01-31", "2026-01-01T10:00:00", "2026-01-01T23:30:00Z"],
    ],
  },
  {
    name: "nulls come as nulls",
    plan: `${orders} -> filter(id = 4) -> project(customer, amount, weight, note)`,
    rows: [[null, null, null, null]],
  },
  {
    name: "a condition that is null keeps no row",
    plan: idsWhere("amount <> 0.10"),
    rows: ids(1, 2, 5, 6, 7),
  },
  {
    name: "null is in no list, and not outside of it",
    plan: idsWhere("not customer in (1, 2)"),
    rows: ids(5, 6),
  },
  {
    name: "nulls sort last, whatever the direction",
    plan: `${orders} -> sort(customer desc, id) -> project(id)`,
    rows: ids(6, 5, 3, 7, 1, 2, 4),
  },
  {
    name: "nulls sort first where asked",
    plan: `${orders} -> sort(customer nulls first, id) -> project(id)`,
    rows: ids(4, 1, 2, 3, 7, 5, 6),
  },
  {
    name: "text sorts by code points",
    plan: `${orders} -> sort(note) -> project(id)`,
    rows: ids(5, 3, 7, 2, 1, 6, 4),
  },
  { name: "text compares by code points", plan: idsWhere("note < 'a'"), rows: ids(2, 3, 5, 7) },
  { name: "text is equal with its case", plan: idsWhere("note = 'b' or note in ('A')"), rows: [] },
  { name: "a division is never whole", plan: valueOf("7 / 2"), rows: [[3.5]] },
  { name: "a division by zero is null", plan: valueOf("id / (id - 1)"), rows: [[null]] },
  {
    name: "a whole division goes toward zero",
    plan: `${orders} -> filter(id = 2) -> project(int_divide(-7, id) as x, -7 % id as y, int_divide(id, 0) as z)`,
    rows: [[-3, -1, null]],
  },
  {
    name: "small integers do not overflow",
    plan: valueOf("id * 3000000000"),
    rows: [[3_000_000_000]],
  },
  {
    name: "decimals add exactly",
    plan: `${orders} -> filter(id = 3 or id = 6) -> agg(sum(amount) as s, count() as n)`,
    rows: [["0.30", 2]],
  },
  {
    name: "decimals multiply exactly",
    plan: valueOf("amount * 0.1", "id = 5"),
    rows: [["9999999.999"]],
  },
  {
    name: "decimals compare as numbers",
    plan: idsWhere("amount >= 10.5 and amount < 11"),
    rows: ids(1, 7),
  },
  {
    name: "a half is rounded away from zero",
    plan: `${orders} -> filter(id = 2 or id = 3) -> sort(id) -> project(round(weight) as x, round(amount, 1) as y, cast(weight as int) as z)`,
    rows: [
      [3, "-0.1", 3],
      [-3, "0.1", -3],
    ],
  },
  {
    name: "an average is a float",
    plan: `${orders} -> filter(customer = 1) -> agg(avg(id) as x, avg(amount) as y)`,
    rows: [[1.5, 5.225]],
  },
  {
    name: "aggregates of nothing are null, counts 0",
    plan: `${orders} -> agg(count() as a, count(note) as b, count(distinct note) as c, sum(id) as d, avg(id) as e, min(note) as f, sum(amount) as g)`,
    rows: [[0, 0, 0, null, null, null, null]],
    isEmpty: true,
  },
  {
    name: "groups of nothing are none",
    plan: `${orders} -> agg(customer, count())`,
    rows: [],
    isEmpty: true,
  },
  {
    name: "nulls are one group, and aggregates leave them out",
    plan: `${orders} -> agg(customer, count() as n, count(amount) as m, max(note) as o) -> sort(customer)`,
    rows: [
      [1, 2, 2, "a"],
      [2, 2, 2, "A_b"],
      [3, 1, 1, "'; drop table ccl_orders; --"],
      [9, 1, 1, "\u{1F389} é"],
      [null, 1, 0, null],
    ],
  },
  {
    name: "distinct values count nulls as equal",
    plan: `${orders} -> project(paid) -> distinct -> agg(count() as n)`,
    rows: [[3]],
  },
  {
    name: "LIKE knows % and _, with the case",
    plan: idsWhere("note like 'A__' or note like '%drop%'"),
    rows: ids(5, 7),
  },
  {
    name: "LIKE takes \\ before a wildcard for itself",
    plan: idsWhere("note like '%\\%' or note like 'A\\_b'"),
    rows: ids(3, 7),
  },
  {
    name: "contains and its likes know no wildcards",
    plan: idsWhere("contains(note, '%') or starts_with(note, 'A_') or ends_with(note, '_b')"),
    rows: ids(3, 7),
  },
  {
    name: "an empty text is in every text",
    plan: idsWhere(
      "contains(note, '') and starts_with(note, '') and ends_with(note, '') and id < 3",
    ),
    rows: ids(1, 2),
  },
  {
    name: "text is counted and cut by code points",
    plan: `${orders} -> filter(id = 6) -> project(length(note) as a, substring(note, 1, 1) as b, note || '!' as c)`,
    rows: [[3, "\u{1F389}", "\u{1F389} é!"]],
  },
  {
    name: "lower and upper know all of Unicode",
    plan: valueOf("upper(note) || lower('ÄЖ')", "id = 6"),
    rows: [["\u{1F389} Éäж"]],
  },
  {
    name: "quotes in a literal are text",
    plan: idsWhere("note = '''; drop table ccl_orders; --'"),
    rows: ids(5),
  },
  { name: "a day in UTC", plan: valueOf("date(seen)"), rows: [["2026-01-01"]] },
  { name: "a day in a zone", plan: valueOf("date(seen, 'Europe/Berlin')"), rows: [["2026-01-02"]] },
  {
    name: "a clock in a zone follows its summer time",
    plan: `${orders} -> filter(id = 4) -> project(local(seen, 'Europe/Berlin') as x, extract('hour', seen, 'Asia/Kolkata') as y)`,
    rows: [["2026-07-01T00:15:00", 3]],
  },
  {
    name: "times are cut at their units",
    plan: `${orders} -> filter(id = 4) -> project(date_trunc('hour', placed) as a, date_trunc('month', placed) as b, date_trunc('week', due) as c)`,
    rows: [["2026-01-02T12:00:00", "2026-01-01T00:00:00", "2025-12-29T00:00:00"]],
  },
  {
    name: "parts of a time are whole numbers",
    plan: `${orders} -> filter(id = 5) -> project(extract('year', placed) as a, extract('quarter', placed) as b, extract('weekday', placed) as c, extract('second', placed) as d, extract('day', due) as e)`,
    rows: [[2025, 2, 1, 59, 31]],
  },
  {
    name: "a month more ends within the month",
    plan: `${orders} -> filter(id = 1) -> project(date_add(due, 1, 'month') as a, date_add(due, 1, 'day') as b, days_between(date '2026-01-01', due) as c)`,
    rows: [["2026-02-28", "2026-02-01", 30]],
  },
  {
    name: "times compare as times",
    plan: idsWhere("seen >= '2026-01-01T23:00:00Z' and placed < timestamp '2026-01-02T00:00:00'"),
    rows: ids(1, 7),
  },
  {
    name: "bools are conditions, and null is neither",
    plan: idsWhere("not paid"),
    rows: ids(2, 5),
  },
  {
    name: "a case takes the first branch that is true",
    plan: `${orders} -> filter(id < 5) -> sort(id) -> project(case when amount > 5 then 'high' when amount < 0 then 'low' end as x)`,
    rows: [["high"], ["low"], [null], [null]],
  },
  {
    name: "between compares with each bound by itself: beside a float whole numbers lose digits",
    plan: valueOf("id + 9007199254740992 between weight and 9007199254740992", "id = 1"),
    rows: [[false]],
  },
  {
    name: "coalesce takes the first value, null_if takes one away",
    plan: `${orders} -> filter(id = 4) -> project(coalesce(note, 'none') as x, null_if(id, 4) as y)`,
    rows: [["none", null]],
  },
  {
    name: "an inner join keeps pairs only; null equals nothing",
    plan: `${orders} -> join(res:ccl_customers, customer = key) -> sort(id) -> project(id, city)`,
    rows: [
      [1, "Ulm"],
      [2, "Ulm"],
      [3, null],
      [5, "Köln"],
      [7, null],
    ],
  },
  {
    name: "a left join keeps every left row",
    plan: `${orders} -> left_join(res:ccl_customers, customer = key as c_) -> sort(id) -> project(id, c_key)`,
    rows: [
      [1, 1],
      [2, 1],
      [3, 2],
      [4, null],
      [5, 3],
      [6, null],
      [7, 2],
    ],
  },
  {
    name: "a semi join keeps each left row once",
    plan: "scan(res:ccl_customers) -> semi_join(res:ccl_orders, key = customer) -> sort(key) -> project(key)",
    rows: ids(1, 2, 3),
  },
  {
    name: "an anti join keeps rows without a partner, null keys too",
    plan: `${orders} -> anti_join(res:ccl_customers, customer = key) -> sort(id) -> project(id)`,
    rows: ids(4, 6),
  },
  {
    name: "a condition after a left join looks at the joined rows",
    plan: `${orders} -> left_join(res:ccl_customers, customer = key) -> filter(city is null) -> sort(id) -> project(id)`,
    rows: ids(3, 4, 6, 7),
  },
  {
    name: "a union keeps duplicates and widens types",
    plan: "scan(res:ccl_customers, key) -> project(key as x) -> union(scan(res:ccl_orders, amount, id) -> filter(id = 1) -> project(amount as x)) -> sort(x)",
    rows: [["1.00"], ["2.00"], ["3.00"], ["4.00"], ["10.50"]],
  },
  {
    name: "a limit takes the first rows of the order, and project keeps it",
    plan: `${orders} -> sort(amount desc, id) -> limit(2, 1) -> project(id)`,
    rows: ids(1, 7),
  },
  {
    name: "an order outlives filters and limits, though its column is gone",
    plan: `${orders} -> sort(id desc) -> limit(4) -> filter(id <> 6) -> project(note)`,
    rows: [["A_b"], ["'; drop table ccl_orders; --"], [null]],
  },
  { name: "a limit of none gives none", plan: `${orders} -> limit(0)`, rows: [] },
];
