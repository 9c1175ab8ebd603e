import { isRecord, valueAt } from "@ccl/core/json";
import { type BrokenRule } from "./schema-issue.ts";

/** Where a value breaks a schema, as either engine found it. */
export interface Violation {
  keyword: string;
  /** The schema that has the keyword. */
  schema: Record<string, unknown>;
  /** Of the value; of the property for a name or a property that must not be there. */
  path: (string | number)[];
  /** The offending name under `propertyNames`, and which of `then` and `else` does not hold under `if`. */
  detail?: string | undefined;
}

const listed = 20;
const limits: Record<string, string> = {
  minimum: ">=",
  maximum: "<=",
  exclusiveMinimum: ">",
  exclusiveMaximum: "<",
};
const sizes: Record<string, [bound: string, unit: string]> = {
  minLength: ["fewer", "characters"],
  maxLength: ["more", "characters"],
  minItems: ["fewer", "items"],
  maxItems: ["more", "items"],
  minProperties: ["fewer", "properties"],
  maxProperties: ["more", "properties"],
};

/** The broken rules in words, one for each missing property. */
export function explainViolation(violation: Violation, root: unknown): BrokenRule[] {
  const { keyword, schema, path, detail } = violation;
  const value = valueAt(root, path);
  const missing = missingProperties(keyword, schema[keyword], value);
  if (missing !== undefined) {
    const reason = "is required";
    return missing.map((name) => ({ rule: keyword, path: [...path, name], reason }));
  }
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    return [{ rule: keyword, path, reason: "is not a property of the schema; leave it out" }];
  }
  const shown = keyword !== "if" && detail !== undefined ? detail : value;
  return [{ rule: keyword, path, reason: reasonOf(violation, value), value: { shown } }];
}

function missingProperties(keyword: string, rule: unknown, value: unknown): string[] | undefined {
  if (keyword !== "required" && keyword !== "dependentRequired" && keyword !== "dependencies") {
    return undefined;
  }
  const has = (name: string): boolean => isRecord(value) && Object.hasOwn(value, name);
  const required: unknown[] = isRecord(rule)
    ? Object.entries(rule).flatMap(([name, names]) =>
        has(name) && Array.isArray(names) ? names : [],
      )
    : Array.isArray(rule)
      ? rule
      : [];
  return required.map(String).filter((name) => !has(name));
}

function reasonOf({ keyword, schema, detail }: Violation, value: unknown): string {
  const rule = schema[keyword];
  if (keyword in limits) return `must be ${limits[keyword]} ${String(rule)}`;
  const size = sizes[keyword];
  if (size !== undefined) return `must NOT have ${size[0]} than ${String(rule)} ${size[1]}`;
  switch (keyword) {
    case "type":
      return `must be ${String(rule)}`;
    case "const":
      return `must be equal to constant${choices([rule])}`;
    case "enum":
      return `must be equal to one of the allowed values${choices(rule)}`;
    case "pattern":
      return `must match pattern "${String(rule)}"`;
    case "multipleOf":
      return `must be multiple of ${String(rule)}`;
    case "uniqueItems":
      return `must NOT have duplicate items${duplicates(value)}`;
    case "contains":
      return containsReason(schema);
    case "anyOf":
      return "must match a schema in anyOf";
    case "oneOf":
      return "must match exactly one schema in oneOf";
    case "if":
      return `must match "${detail}" schema`;
    case "not":
      return "must NOT be valid";
    case "propertyNames":
      return "property name must be valid";
    case "items":
      return `must NOT have more than ${lengthOf(schema["prefixItems"])} items`;
    case "additionalItems":
      return `must NOT have more than ${lengthOf(schema["items"])} items`;
    case "unevaluatedItems":
      return "must NOT have unevaluated items";
    case "json":
      return "is not a JSON value, or has a property name that is not well-formed Unicode";
    default:
      return "boolean schema is false";
  }
}

function choices(allowed: unknown): string {
  if (!Array.isArray(allowed)) return "";
  const shown = allowed.slice(0, listed).map((item) => JSON.stringify(item));
  const left = allowed.length - shown.length;
  return ` (${shown.join(", ")}${left > 0 ? ` and ${left} more` : ""})`;
}

function duplicates(value: unknown): string {
  const seen = new Map<string, number>();
  for (const [index, item] of (Array.isArray(value) ? value : []).entries()) {
    const text = JSON.stringify(item);
    const first = seen.get(text);
    if (first !== undefined) return ` (items ${first} and ${index} are identical)`;
    seen.set(text, index);
  }
  return "";
}

function containsReason({ minContains = 1, maxContains }: Record<string, unknown>): string {
  const upTo = maxContains === undefined ? "" : ` and no more than ${String(maxContains)}`;
  return `must contain at least ${String(minContains)}${upTo} valid item(s)`;
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
