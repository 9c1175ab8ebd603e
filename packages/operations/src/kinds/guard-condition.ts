import { valueAt } from "@ccl/core/json";
import { z } from "zod";

import { type MessageView, messageView, viewedMessage } from "../liquid/message-view.ts";
import type { OperationContext } from "../operation/operation-context.ts";
import { valuesByTag } from "./template-scope-of.ts";

/** What a value is compared with. */
type GuardScalar = string | number | boolean | null;

/** One look at a value; all that is said of it has to hold. What does not exist fits `exists: false` and `not` only. */
export interface GuardComparison {
  /**
   * `art.<tag>` and keys, `chatHistory`, `userMessages`, `assistantMessages` (with `first`, `last` or an index, then
   * `content` or `role`), `main.text`, `main.finishReason`, `trigger`, `hook`.
   */
  ref: string;
  /** Of a list: only this many of its last items. */
  last?: number | undefined;
  /** Looks at the number of items of a list, keys of an object or characters of a text instead. */
  count?: boolean | undefined;
  exists?: boolean | undefined;
  equals?: GuardScalar | undefined;
  oneOf?: GuardScalar[] | undefined;
  greaterThan?: number | undefined;
  atLeast?: number | undefined;
  lessThan?: number | undefined;
  atMost?: number | undefined;
  /** A text in a text; in a list, an equal item or a message whose content has it. */
  contains?: string | number | boolean | undefined;
  startsWith?: string | undefined;
  endsWith?: string | undefined;
  /** For texts; default false. */
  ignoreCase?: boolean | undefined;
}

/** A condition without code. Empty `all` holds, empty `any` does not. */
export type GuardCondition =
  | GuardComparison
  | { all: GuardCondition[] }
  | { any: GuardCondition[] }
  | { not: GuardCondition };

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const refPattern =
  /^(art(\.[^.\s]{1,200}){1,32}|(chatHistory|userMessages|assistantMessages)(\.(first|last|\d{1,6})(\.(content|role|id))?)?|main\.(text|finishReason|partial)|trigger|hook)$/;

const comparison: z.ZodType<GuardComparison> = z.strictObject({
  ref: z.string().regex(refPattern),
  last: z.exactOptional(z.int().min(1)),
  count: z.exactOptional(z.boolean()),
  exists: z.exactOptional(z.boolean()),
  equals: z.exactOptional(scalar),
  oneOf: z.exactOptional(z.array(scalar)),
  greaterThan: z.exactOptional(z.number()),
  atLeast: z.exactOptional(z.number()),
  lessThan: z.exactOptional(z.number()),
  atMost: z.exactOptional(z.number()),
  contains: z.exactOptional(z.union([z.string(), z.number(), z.boolean()])),
  startsWith: z.exactOptional(z.string()),
  endsWith: z.exactOptional(z.string()),
  ignoreCase: z.exactOptional(z.boolean()),
});

/** Checks a condition of a guard. */
export const guardConditionSchema: z.ZodType<GuardCondition> = z.lazy(() =>
  z.union([
    comparison,
    z.strictObject({ all: z.array(guardConditionSchema) }),
    z.strictObject({ any: z.array(guardConditionSchema) }),
    z.strictObject({ not: guardConditionSchema }),
  ]),
);

/** What conditions look at. */
export type GuardScope = Readonly<Record<string, unknown>>;

/** The scope of a context, shared by all of its conditions. */
export function guardScope({
  artifacts,
  chatHistory,
  main,
  trigger,
  hook,
}: OperationContext): GuardScope {
  const views = chatHistory.map(messageView);
  const withRole = (role: string): MessageView[] => views.filter((view) => view.role === role);
  const seen =
    main === undefined
      ? {}
      : { main: { text: main.text, finishReason: main.finishReason, partial: main.partial } };
  return {
    art: valuesByTag(artifacts),
    chatHistory: views,
    userMessages: withRole("user"),
    assistantMessages: withRole("assistant"),
    ...seen,
    trigger,
    hook,
  };
}

/** Whether a condition holds. Runs nothing, searches by plain comparison, and reads own properties only. */
export function guardHolds(condition: GuardCondition, scope: GuardScope): boolean {
  if ("all" in condition) return condition.all.every((part) => guardHolds(part, scope));
  if ("any" in condition) return condition.any.some((part) => guardHolds(part, scope));
  if ("not" in condition) return !guardHolds(condition.not, scope);
  return comparisonHolds(condition, scope);
}

function comparisonHolds(condition: GuardComparison, scope: GuardScope): boolean {
  const { exists, count = false, last } = condition;
  let value = valueOf(condition.ref, scope);
  if (last !== undefined && Array.isArray(value)) value = value.slice(-last);
  if (count) value = sizeOf(value);
  const isThere = value !== undefined;
  if (exists !== undefined) {
    if (exists !== isThere) return false;
    if (!exists) return true;
  }
  if (!isThere) return false;
  const tests = testsOf(condition);
  // Nothing said but the reference: the value itself has to be true.
  return tests.length === 0
    ? exists === true || value === true
    : tests.every((test) => test(value));
}

type ValueTest = (value: unknown) => boolean;

function testsOf(condition: GuardComparison): ValueTest[] {
  const { equals, oneOf, greaterThan, atLeast, lessThan, atMost, contains, startsWith, endsWith } =
    condition;
  const isCaseless = condition.ignoreCase === true;
  const folded = <Value>(value: Value): Value | string =>
    isCaseless && typeof value === "string" ? value.toLowerCase() : value;
  const text = (wanted: string, test: (value: string, wanted: string) => boolean): ValueTest => {
    return (value) =>
      typeof value === "string" && test(String(folded(value)), String(folded(wanted)));
  };
  const number = (test: (value: number) => boolean): ValueTest => {
    return (value) => typeof value === "number" && test(value);
  };
  const tests: ValueTest[] = [];
  if (equals !== undefined) tests.push((value) => folded(value) === folded(equals));
  if (oneOf !== undefined)
    tests.push((value) => oneOf.some((item) => folded(item) === folded(value)));
  if (greaterThan !== undefined) tests.push(number((value) => value > greaterThan));
  if (atLeast !== undefined) tests.push(number((value) => value >= atLeast));
  if (lessThan !== undefined) tests.push(number((value) => value < lessThan));
  if (atMost !== undefined) tests.push(number((value) => value <= atMost));
  if (startsWith !== undefined)
    tests.push(text(startsWith, (value, wanted) => value.startsWith(wanted)));
  if (endsWith !== undefined) tests.push(text(endsWith, (value, wanted) => value.endsWith(wanted)));
  if (contains !== undefined) tests.push((value) => holdsIn(value, contains, folded));
  return tests;
}

function holdsIn(
  value: unknown,
  wanted: string | number | boolean,
  folded: (value: unknown) => unknown,
): boolean {
  if (typeof value === "string")
    return String(folded(value)).includes(String(folded(String(wanted))));
  if (!Array.isArray(value)) return false;
  return value.some((item) => {
    const content = viewedMessage(item) === undefined ? undefined : valueAt(item, ["content"]);
    return content === undefined
      ? folded(item) === folded(wanted)
      : holdsIn(content, wanted, folded);
  });
}

function valueOf(ref: string, scope: GuardScope): unknown {
  let value: unknown = scope;
  for (const key of ref.split(".")) {
    if (!Array.isArray(value) || (key !== "first" && key !== "last")) value = valueAt(value, [key]);
    else value = key === "first" ? value[0] : value.at(-1);
  }
  return value;
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : undefined;
}
