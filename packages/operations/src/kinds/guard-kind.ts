import { z } from "zod";
import { valueAt } from "@ccl/core/json";

import { writeArtifactShape } from "../effects/effect-shape.ts";
import type { WriteArtifactParams } from "../effects/operation-effect.ts";
import { type Kind, createKind } from "./kind.ts";
import { type MessageView, messageView, viewedMessage } from "../liquid/message-view.ts";
import type { OperationCondition, OperationContext } from "../operation/operation-definition.ts";
import { valuesByTag } from "./template-scope-of.ts";

/** Values to compare with. */
type GuardScalar = string | number | boolean | null;

/** Tests one value. All fields must hold. A value that does not exist passes only `exists: false` and `not`. */
export interface GuardComparison {
  /**
   * `art.<tag>` and keys, `chatHistory`, `userMessages`, `assistantMessages` (with `first`, `last` or an index, then
   * `content` or `role`), `main.text`, `main.finishReason`, `trigger`, `hook`.
   */
  ref: string;
  /** Considers only this many of the last items of a list. */
  last?: number | undefined;
  /** Tests a count instead: items of a list, keys of an object or characters of a string. */
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

/** A condition without code. An empty `all` holds. An empty `any` does not. */
export type GuardCondition =
  | GuardComparison
  | { all: GuardCondition[] }
  | { any: GuardCondition[] }
  | { not: GuardCondition };

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const refPattern =
  /^(art(\.[^.\s]{1,200}){1,32}|(chatHistory|userMessages|assistantMessages)(\.(first|last|\d{1,6})(\.(content|role|id))?)?|main\.(text|finishReason|partial)|trigger|hook)$/;

const comparison: z.ZodType<GuardComparison> = z
  .strictObject({ ref: z.string().regex(refPattern) })
  .extend(
    z
      .strictObject({
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
      })
      .exactPartial().shape,
  );

/** Validates a condition of a guard. */
const guardConditionSchema: z.ZodType<GuardCondition> = z.lazy(() =>
  z.union([
    comparison,
    z.strictObject({ all: z.array(guardConditionSchema) }),
    z.strictObject({ any: z.array(guardConditionSchema) }),
    z.strictObject({ not: guardConditionSchema }),
  ]),
);

/** Values that conditions refer to. */
type GuardScope = Readonly<Record<string, unknown>>;

/** Creates the scope of a context. All of its conditions share it. */
function guardScope({
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

/** True if a condition holds. Runs no code, searches by plain comparison, and reads own properties only. */
function guardHolds(condition: GuardCondition, scope: GuardScope): boolean {
  if ("all" in condition) return condition.all.every((part) => guardHolds(part, scope));
  if ("any" in condition) return condition.any.some((part) => guardHolds(part, scope));
  if ("not" in condition) return !guardHolds(condition.not, scope);
  const { ref, exists, count = false, last, ignoreCase = false, ...said } = condition;
  let value = valueOf(ref, scope);
  if (last !== undefined && Array.isArray(value)) value = value.slice(-last);
  if (count) value = sizeOf(value);
  if (value === undefined || exists === false) return value === undefined && exists === false;
  const fold: Fold = ignoreCase ? withoutCase : (given) => given;
  const wanted = Object.entries(said).filter(([, operand]) => operand !== undefined);
  // Without a test, the value itself must be true.
  if (wanted.length === 0) return exists === true || value === true;
  return wanted.every(([name, operand]) => tests[name]?.(fold(value), fold(operand), fold));
}

/** True if all conditions of a profile hold. If the value does not exist, a condition holds only with `not`. */
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

const numbers =
  (test: (value: number, wanted: number) => boolean): Test =>
  (value, wanted) =>
    typeof value === "number" && typeof wanted === "number" && test(value, wanted);

const texts =
  (test: (value: string, wanted: string) => boolean): Test =>
  (value, wanted) =>
    typeof value === "string" && typeof wanted === "string" && test(value, wanted);

/** Tests by comparison field. */
const tests: Readonly<Record<string, Test>> = {
  equals: (value, wanted) => value === wanted,
  oneOf: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  greaterThan: numbers((value, wanted) => value > wanted),
  atLeast: numbers((value, wanted) => value >= wanted),
  lessThan: numbers((value, wanted) => value < wanted),
  atMost: numbers((value, wanted) => value <= wanted),
  startsWith: texts((value, wanted) => value.startsWith(wanted)),
  endsWith: texts((value, wanted) => value.endsWith(wanted)),
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

function withoutCase(value: unknown): unknown {
  if (typeof value === "string") return value.toLowerCase();
  return Array.isArray(value) ? value.map(withoutCase) : value;
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

/** Parameters of the kind `guard`. One condition yields a boolean. Several named ones yield an object of booleans. */
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
      z.record(z.string().regex(/^[^.\s]{1,100}$/), guardConditionSchema),
    ),
    writeArtifact: writeArtifactShape,
  })
  .refine(({ condition, conditions }) => (condition === undefined) !== (conditions === undefined), {
    message: "Give either condition or conditions",
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
