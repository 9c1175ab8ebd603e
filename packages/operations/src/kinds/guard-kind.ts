import { z } from "zod";
import { valueAt } from "@ccl/core/json";

import { writeArtifactShape } from "../effects/effect-shape.ts";
import type { WriteArtifactParams } from "../effects/operation-effect.ts";
import { type Kind, createKind } from "./kind.ts";
import { type MessageView, messageView, viewedMessage } from "../liquid/message-view.ts";
import type { OperationCondition, OperationContext } from "../operation/operation-definition.ts";
import { valuesByTag } from "./template-scope-of.ts";

/** A value that a comparison can use. */
type GuardScalar = string | number | boolean | null;

/**
 * Tests one value. Every given field must match. A missing value passes only `exists: false`, or a comparison inside
 * `not`.
 */
export interface GuardComparison {
  /**
   * One of: `art.<tag>` with optional keys after it; `chatHistory`, `userMessages` or `assistantMessages`, optionally
   * with `first`, `last` or an index, and then `content`, `role` or `id`; `main.text`, `main.finishReason` or
   * `main.partial`; `trigger`; `hook`.
   */
  ref: string;
  /** For a list, considers only the last `last` items. */
  last?: number | undefined;
  /** Tests the size instead of the value: the number of items, keys or characters. */
  count?: boolean | undefined;
  exists?: boolean | undefined;
  equals?: GuardScalar | undefined;
  oneOf?: GuardScalar[] | undefined;
  greaterThan?: number | undefined;
  atLeast?: number | undefined;
  lessThan?: number | undefined;
  atMost?: number | undefined;
  /** For a string, a substring. For a list, an equal item, or text contained in a message's content. */
  contains?: string | number | boolean | undefined;
  startsWith?: string | undefined;
  endsWith?: string | undefined;
  /** Applies to strings. Defaults to false. */
  ignoreCase?: boolean | undefined;
}

/** A declarative condition. An empty `all` is true; an empty `any` is false. */
export type GuardCondition =
  | GuardComparison
  | { all: GuardCondition[] }
  | { any: GuardCondition[] }
  | { not: GuardCondition };

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const refPattern =
  /^(art(\.[^.\s]{1,200}){1,32}|(chatHistory|userMessages|assistantMessages)(\.(first|last|\d{1,6})(\.(content|role|id))?)?|main\.(text|finishReason|partial)|trigger|hook)$/;

const options = z.strictObject({
  last: z.int().min(1),
  count: z.boolean(),
  exists: z.boolean(),
  equals: scalar,
  oneOf: z.array(scalar),
  greaterThan: z.number(),
  atLeast: z.number(),
  lessThan: z.number(),
  atMost: z.number(),
  contains: z.union([z.string(), z.number(), z.boolean()]),
  startsWith: z.string(),
  endsWith: z.string(),
  ignoreCase: z.boolean(),
});
const comparison: z.ZodType<GuardComparison> = z.strictObject({
  ref: z.string().regex(refPattern),
  ...options.exactPartial().shape,
});

/** Validates a guard's condition. */
const guardConditionSchema: z.ZodType<GuardCondition> = z.lazy(() =>
  z.union([
    comparison,
    z.strictObject({ all: z.array(guardConditionSchema) }),
    z.strictObject({ any: z.array(guardConditionSchema) }),
    z.strictObject({ not: guardConditionSchema }),
  ]),
);

/** The values that conditions can refer to. */
type GuardScope = Readonly<Record<string, unknown>>;

/** Creates the scope shared by all of a guard's conditions. The pattern of `ref` limits what they can read of it. */
function guardScope({ artifacts, chatHistory, main, trigger, hook }: OperationContext): GuardScope {
  const views = chatHistory.map(messageView);
  const withRole = (role: string): MessageView[] => views.filter((view) => view.role === role);
  return {
    art: valuesByTag(artifacts),
    chatHistory: views,
    userMessages: withRole("user"),
    assistantMessages: withRole("assistant"),
    main,
    trigger,
    hook,
  };
}

/** Returns true if a condition holds. Evaluates no user code, compares plain values, and reads only own properties. */
function guardHolds(condition: GuardCondition, scope: GuardScope): boolean {
  if ("all" in condition) return condition.all.every((part) => guardHolds(part, scope));
  if ("any" in condition) return condition.any.some((part) => guardHolds(part, scope));
  if ("not" in condition) return !guardHolds(condition.not, scope);
  const { ref, exists, count = false, last, ignoreCase = false, ...operands } = condition;
  let value = valueOf(ref, scope);
  if (last !== undefined && Array.isArray(value)) value = value.slice(-last);
  if (count) value = sizeOf(value);
  if (value === undefined) return exists === false;
  if (exists === false) return false;
  const fold: Fold = ignoreCase ? lowerCased : (given) => given;
  const requested = Object.entries(operands).filter(([, operand]) => operand !== undefined);
  // With no comparison, the value itself must be `true`.
  if (requested.length === 0) return exists === true || value === true;
  return requested.every(([name, operand]) => tests[name]?.(fold(value), fold(operand), fold));
}

/** Returns true if all of an operation's `when` conditions hold. A condition on a missing value holds only with `not`. */
export function conditionsHold(
  conditions: readonly OperationCondition[],
  artifacts: Readonly<Record<string, { value: unknown }>>,
): boolean {
  const scope = { art: valuesByTag(artifacts) };
  return conditions.every(
    ({ ref, equals = true, not = false }) => guardHolds({ ref, equals }, scope) !== not,
  );
}

type Fold = (value: unknown) => unknown;
type Test = (value: unknown, wanted: unknown, fold: Fold) => boolean;

/** Compares a number with a number. NaN, and therefore false, for any other value. */
const difference = (value: unknown, wanted: unknown): number =>
  typeof value === "number" ? value - Number(wanted) : Number.NaN;

/** The test for each comparison field. The schema fixes the type of `wanted`. */
const tests: Readonly<Record<string, Test>> = {
  equals: (value, wanted) => value === wanted,
  oneOf: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  greaterThan: (value, wanted) => difference(value, wanted) > 0,
  atLeast: (value, wanted) => difference(value, wanted) >= 0,
  lessThan: (value, wanted) => difference(value, wanted) < 0,
  atMost: (value, wanted) => difference(value, wanted) <= 0,
  startsWith: (value, wanted) => typeof value === "string" && value.startsWith(String(wanted)),
  endsWith: (value, wanted) => typeof value === "string" && value.endsWith(String(wanted)),
  contains(value, wanted, fold) {
    if (typeof value === "string") return value.includes(String(wanted));
    if (!Array.isArray(value)) return false;
    return value.some((item) =>
      viewedMessage(item) === undefined
        ? item === wanted
        : String(fold(valueAt(item, ["content"]))).includes(String(wanted)),
    );
  },
};

function lowerCased(value: unknown): unknown {
  if (typeof value === "string") return value.toLowerCase();
  return Array.isArray(value) ? value.map(lowerCased) : value;
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

/**
 * Parameters of the `guard` kind. `condition` produces a boolean; `conditions` produces an object of booleans by name.
 */
interface GuardParams {
  /** Other operations refer to it in `when` as `art.<tag>`. */
  condition?: GuardCondition | undefined;
  /** Other operations refer to them in `when` as `art.<tag>.<name>`. */
  conditions?: Record<string, GuardCondition> | undefined;
  writeArtifact: WriteArtifactParams;
}

const params: z.ZodType<GuardParams> = z
  .strictObject({
    condition: z.exactOptional(guardConditionSchema),
    conditions: z.exactOptional(
      // Any other name could not be part of a `when`.
      z.record(
        z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "1 to 100 letters, digits, _ or -"),
        guardConditionSchema,
      ),
    ),
    writeArtifact: writeArtifactShape,
  })
  .refine(({ condition, conditions }) => (condition === undefined) !== (conditions === undefined), {
    message: "Pass either `condition` or `conditions`, but not both",
  });

/** Evaluates conditions to booleans. */
export const guardKind: Kind = createKind(
  params,
  () =>
    async ({ context, params: { condition, conditions = {} }, debug }) => {
      const scope = guardScope(context);
      const holds = (part: GuardCondition): boolean => guardHolds(part, scope);
      const named = Object.entries(conditions).map(([name, part]) => [name, holds(part)]);
      const value = condition === undefined ? Object.fromEntries(named) : holds(condition);
      debug.outputsSummary["value"] = value;
      return { value, text: String(value) };
    },
);
