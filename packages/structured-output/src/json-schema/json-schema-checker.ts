import { success } from "@ccl/core";

import { StructuredOutputError } from "../structured-output-error.ts";
import { compileWithAjv } from "./compile-with-ajv.ts";
import { explainViolation, type Violation } from "./explain-violation.ts";
import { interpretSchema } from "./interpret-schema.ts";
import type { JsonSchema, JsonSchemaChecker } from "./json-schema.ts";
import { metaSchema } from "./meta-schema.ts";
import { type PreparedSchema, prepareSchema } from "./prepare-schema.ts";
import { type BrokenRule, schemaIssues, withinStack } from "./schema-issue.ts";

type FindViolations = (value: unknown) => Violation[];

const interpreted = new WeakMap<JsonSchema, FindViolations>();
const compiled = new WeakMap<JsonSchema, Promise<FindViolations>>();

/**
 * A check of a JSON Schema that works in every runtime and is ready at once: for a value or a few. Prepared once for each
 * schema object, which must not be changed afterwards; `T` is the caller's claim.
 * @throws StructuredOutputError `schema_invalid`, `schema_unsupported`
 */
export function createJsonSchemaChecker<T = unknown>(schema: JsonSchema): JsonSchemaChecker<T> {
  const find = interpreted.get(schema) ?? usable(() => interpretSchema(prepare(schema, false)));
  interpreted.set(schema, find);
  return createChecker(find);
}

/**
 * A check with the same answers that ajv has compiled: for many or large values. ajv is loaded on first use; where the
 * runtime forbids generated code, as edge workers do, it is `createJsonSchemaChecker`.
 * @throws StructuredOutputError `schema_invalid`, `schema_unsupported`
 */
export async function loadJsonSchemaChecker<T = unknown>(
  schema: JsonSchema,
): Promise<JsonSchemaChecker<T>> {
  if (!canGenerateCode()) return createJsonSchemaChecker(schema);
  const find = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, find);
  return createChecker(await find);
}

async function compile(schema: JsonSchema): Promise<FindViolations> {
  const prepared = usable(() => prepare(schema, true));
  return compileWithAjv(prepared).catch((error: unknown) => {
    throw unusable(error);
  });
}

let isCodeAllowed: boolean | undefined;

function canGenerateCode(): boolean {
  try {
    isCodeAllowed ??= typeof new Function("") === "function";
  } catch {
    isCodeAllowed = false;
  }
  return isCodeAllowed;
}

const metaFinders = new Map<boolean, FindViolations>();

function prepare(schema: JsonSchema, isDynamic: boolean): PreparedSchema {
  const prepared = prepareSchema(schema, isDynamic);
  const { isDraft7 } = prepared;
  const find =
    metaFinders.get(isDraft7) ?? interpretSchema({ isDraft7, schema: metaSchema(isDraft7) });
  metaFinders.set(isDraft7, find);
  const result = createChecker(find)(prepared.schema);
  if (result.ok) return prepared;
  const reasons = result.issues
    .slice(0, 3)
    .map(({ path, message }) => `/${path.join("/")} ${message}`);
  throw new Error(reasons.join("; "));
}

function usable<T>(prepare: () => T): T {
  try {
    return prepare();
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): StructuredOutputError {
  if (StructuredOutputError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const message = `The JSON Schema does not compile: ${reason}.`;
  return new StructuredOutputError("schema_invalid", message, { cause: error });
}

function createChecker<T>(find: FindViolations): JsonSchemaChecker<T> {
  return (value) =>
    withinStack(() => {
      const violations = find(value);
      if (fits<T>(value, violations)) return success(value);
      return { ok: false, issues: schemaIssues(sortedRules(violations, value)) };
    });
}

function fits<T>(_value: unknown, violations: readonly Violation[]): _value is T {
  return violations.length === 0;
}

/** Each broken rule once, by path: the engines find them in different orders. */
function sortedRules(violations: readonly Violation[], value: unknown): BrokenRule[] {
  const rules = new Map<string, BrokenRule>();
  for (const broken of violations.flatMap((violation) => explainViolation(violation, value))) {
    rules.set(JSON.stringify([broken.path, broken.rule, broken.reason]), broken);
  }
  return [...rules.values()].sort(
    (a, b) =>
      comparePaths(a.path, b.path) ||
      compareTexts(`${a.rule}: ${a.reason}`, `${b.rule}: ${b.reason}`),
  );
}

function comparePaths(a: BrokenRule["path"], b: BrokenRule["path"]): number {
  for (const [index, step] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const areIndexes = typeof step === "number" && typeof other === "number";
    const order = areIndexes ? step - other : compareTexts(String(step), String(other));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
