import fc, { type Arbitrary } from "fast-check";
import type { Expression, LiteralExpression } from "../plan/expression.ts";
import { functionNames, functionOf, isFunctionName } from "../plan/functions.ts";
import type { LogicalPlan, PlanStep } from "../plan/logical-plan.ts";
import { literalOf } from "../parse/literal-value.ts";

/** Names that are hard to quote: quotes, keywords, Unicode, control words of SQL and YAML. */
export const hostileNames: readonly string[] = [
  "id",
  'a"b',
  "a'b",
  "select",
  "null",
  "Größe",
  "日付",
  "x; drop table t --",
  "- a: b",
  "{}",
  "a  b",
  "*a",
  "%s",
  "🎉",
  "true",
];

/** Texts that are hard to write as literals. */
export const hostileTexts: readonly string[] = [
  "",
  "'",
  "''",
  "'; drop table t; --",
  "%",
  "_",
  "\\",
  "100%",
  "$1",
  "?",
  "é",
  "e\u0301",
  "🎉",
  "\uE000",
  "\n",
  '"',
  "Ж",
];

const aName = (): Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...hostileNames),
    fc.string({ unit: "binary", minLength: 1, maxLength: 12 }).filter((name) => !/[\p{Cc}\p{Cs}]/u.test(name)),
  );

const aText = (): Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...hostileTexts),
    fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replaceAll("\u0000", "")),
  );

/** Any literal in its canonical form. */
export function aLiteral(): Arbitrary<LiteralExpression> {
  const day = fc
    .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString());
  return fc.oneof(
    fc.boolean().map((value) => literalOf("bool", value)),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((value) => literalOf("int", String(value))),
    fc.integer().map((value) => literalOf("int", value)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => literalOf("float", value)),
    fc
      .tuple(fc.integer(), fc.stringMatching(/^\d{1,9}$/))
      .map(([whole, fraction]) => literalOf("decimal", `${whole}.${fraction}`)),
    aText()
      .filter((text) => !/\p{Cs}/u.test(text))
      .map((value) => literalOf("text", value)),
    day.map((value) => literalOf("date", value.slice(0, 10))),
    day.map((value) => literalOf("timestamp", value.slice(0, -1))),
    day.map((value) => literalOf("timestamptz", value)),
  );
}

/** Any expression, typed or not. */
export function anExpression(): Arbitrary<Expression> {
  const names = functionNames.filter((name) => isFunctionName(name));
  const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
    expression: fc.oneof(
      { depthSize: "small", maxDepth: 5 },
      aName().map((name): Expression => ({ op: "column", name })),
      aLiteral(),
      fc.constant<Expression>({ op: "literal", type: "null", value: null }),
      fc.constantFrom(...names).chain((name) => {
        const { min, max } = functionOf(name);
        const length = { minLength: min, maxLength: Math.min(max, min + 2) };
        return fc
          .array(tie("expression"), length)
          .map((parts): Expression => ({ op: "call", function: name, arguments: parts }));
      }),
      fc
        .tuple(
          fc.array(fc.record({ when: tie("expression"), value: tie("expression") }), { minLength: 1, maxLength: 2 }),
          fc.option(tie("expression"), { nil: undefined }),
        )
        .map(([branches, otherwise]): Expression => ({ op: "case", branches, otherwise })),
      fc
        .record({ value: tie("expression"), list: fc.array(aLiteral(), { minLength: 1, maxLength: 3 }) })
        .map((parts): Expression => ({ op: "in", ...parts })),
      fc
        .record({ value: tie("expression"), type: fc.constantFrom("int", "text", "decimal(12,2)", "timestamptz") })
        .map((parts): Expression => ({ op: "cast", ...parts })),
    ),
  }));
  return expression;
}

/** Any plan that parses, valid or not. */
export function aPlan(): Arbitrary<LogicalPlan> {
  const named = fc.record({ name: aName(), value: anExpression() });
  const counted = fc.record({ name: aName() }).map((one) => ({ ...one, function: "count" as const }));
  const summed = fc.record({
    name: aName(),
    function: fc.constantFrom("sum" as const, "count_distinct" as const),
    argument: anExpression(),
  });
  const key = fc.record({
    column: aName(),
    direction: fc.constantFrom("asc" as const, "desc" as const),
    nulls: fc.constantFrom("first" as const, "last" as const),
  });
  const step: Arbitrary<PlanStep> = fc.oneof(
    fc.record({
      name: aName(),
      op: fc.constant("scan" as const),
      resource: aName(),
      columns: fc.array(aName(), { maxLength: 3 }),
    }),
    fc.record({ name: aName(), op: fc.constant("scan" as const), resource: aName() }),
    fc.record({ name: aName(), op: fc.constant("filter" as const), from: aName(), where: anExpression() }),
    fc.record({
      name: aName(),
      op: fc.constant("project" as const),
      from: aName(),
      columns: fc.array(named, { maxLength: 3 }),
    }),
    fc.record({
      name: aName(),
      op: fc.constant("join" as const),
      kind: fc.constantFrom("inner" as const, "left" as const, "semi" as const, "anti" as const),
      left: aName(),
      right: aName(),
      on: fc.array(fc.record({ left: aName(), right: aName() }), { minLength: 1, maxLength: 2 }),
      prefix: aName(),
    }),
    fc.record({
      name: aName(),
      op: fc.constant("aggregate" as const),
      from: aName(),
      by: fc.array(named, { maxLength: 2 }),
      aggregates: fc.array(fc.oneof(counted, summed), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      name: aName(),
      op: fc.constant("sort" as const),
      from: aName(),
      by: fc.array(key, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ name: aName(), op: fc.constant("limit" as const), from: aName(), count: fc.nat(), offset: fc.nat() }),
    fc.record({
      name: aName(),
      op: fc.constant("union" as const),
      from: fc.array(aName(), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ name: aName(), op: fc.constant("distinct" as const), from: aName() }),
  );
  return fc.array(step, { minLength: 1, maxLength: 8 }).map((steps) => ({ version: 1, steps }));
}
