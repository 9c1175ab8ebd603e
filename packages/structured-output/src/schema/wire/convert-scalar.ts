import { dropConstraints } from "./drop-constraints.ts";
import { identity, type Converted, type Place, warn, type WireNode } from "./wire-context.ts";
import { isPlainPattern, isSafeIntegerBound, isSmallEnum, wireFormats } from "./wire-rules.ts";

const numberKeywords = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/** Converts a node of type string, number, integer, boolean or null. */
export function convertScalar(node: WireNode, place: Place): Converted {
  const { type } = node;
  const kept =
    type === "string"
      ? stringKeywords(node)
      : type === "number" || type === "integer"
        ? numberLimits(node)
        : {};
  return { schema: dropConstraints({ type, ...kept }, node, place), decode: identity };
}

function stringKeywords({ format, pattern }: WireNode): WireNode {
  if (typeof format === "string" && wireFormats.has(format)) return { format };
  return typeof pattern === "string" && isPlainPattern(pattern) ? { pattern } : {};
}

function numberLimits(node: WireNode): WireNode {
  const limits = numberKeywords.filter(
    (keyword) => typeof node[keyword] === "number" && !isSafeIntegerBound(keyword, node[keyword]),
  );
  return Object.fromEntries(limits.map((keyword) => [keyword, node[keyword]]));
}

/** Converts a closed list of scalars to one enum per type, since strict schemas must state the type. */
export function convertEnum(node: WireNode, place: Place): Converted | undefined {
  const listed: unknown[] = "const" in node ? [node["const"]] : [node["enum"]].flat();
  const valuesOf = (type: string): unknown[] =>
    [...new Set(listed)].filter((value) => (value === null ? "null" : typeof value) === type);
  if (listed.length === 0 || valuesOf("object").length > 0) return undefined;
  const branches = ["string", "number", "boolean", "null"]
    .map((type): [string, unknown[]] => [type, valuesOf(type)])
    .filter(([, values]) => values.length > 0)
    .map(([type, values]) => enumOfType(type, values, place));
  const schema = branches.length === 1 ? branches[0] : undefined;
  return { schema: dropConstraints(schema ?? { anyOf: branches }, node, place), decode: identity };
}

function enumOfType(type: string, values: readonly unknown[], place: Place): WireNode {
  if (type === "null" || (type === "boolean" && values.length === 2)) return { type };
  const { context } = place;
  if (values.length > context.enumValuesLeft || !isSmallEnum(values)) {
    const message = `An enum of ${values.length} values exceeds the limit of strict schemas.`;
    warn(place, "wire_constraint_dropped", message);
    return { type: values.every(Number.isInteger) ? "integer" : type };
  }
  context.enumValuesLeft -= values.length;
  return { type, enum: values };
}
