import { isPlainPattern, isSafeIntegerBound, isSmallEnum, wireFormats } from "./wire-rules.ts";
import {
  asItIs,
  type Converted,
  type Position,
  type WireContext,
  type WireNode,
} from "./wire-context.ts";
import { dropConstraints } from "./drop-constraints.ts";

const numberKeywords = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/** Converts a node of type string, number, integer, boolean or null. */
export function convertScalar(node: WireNode, position: Position, context: WireContext): Converted {
  const { type } = node;
  const kept =
    type === "string"
      ? stringKeywords(node)
      : type === "number" || type === "integer"
        ? numberLimits(node)
        : {};
  const schema = dropConstraints({ type, ...kept }, node, { position, context });
  return { schema, decode: asItIs };
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

/** Converts a closed list of values to one enum per type, since strict schemas must name the type. */
export function convertEnum(
  values: readonly unknown[],
  position: Position,
  context: WireContext,
): Converted | undefined {
  if (values.length === 0 || values.some((value) => typeof value === "object" && value !== null))
    return undefined;
  const unique = [...new Set(values)];
  const branches = ["string", "number", "boolean", "null"].flatMap((type) => {
    const ofType = unique.filter((value) => (value === null ? "null" : typeof value) === type);
    return ofType.length === 0 ? [] : [enumOfType(type, ofType, { position, context })];
  });
  const [only, ...others] = branches;
  if (only === undefined) return undefined;
  return { schema: others.length === 0 ? only : { anyOf: branches }, decode: asItIs };
}

function enumOfType(
  type: string,
  values: readonly unknown[],
  { position, context }: { position: Position; context: WireContext },
): WireNode {
  if (type === "null" || (type === "boolean" && values.length === 2)) return { type };
  if (values.length > context.enumValuesLeft || !isSmallEnum(values)) {
    context.note(
      "wire_constraint_dropped",
      position,
      `An enum of ${values.length} values is more than strict schemas take.`,
    );
    return { type };
  }
  context.enumValuesLeft -= values.length;
  return { type, enum: values };
}
