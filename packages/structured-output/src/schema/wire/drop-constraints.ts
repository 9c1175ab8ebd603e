import { annotations } from "./merge-nodes.ts";
import { isSafeIntegerBound } from "./wire-rules.ts";
import type { Position, WireContext, WireNode } from "./wire-context.ts";

const maxShownCharacters = 200;
// Said by the wire form itself, or by another keyword that is kept.
const structural: ReadonlySet<string> = new Set(
  (
    "type properties required additionalProperties propertyNames patternProperties items prefixItems " +
    "additionalItems anyOf oneOf enum const $ref allOf"
  ).split(" "),
);

/**
 * The wire node with the description of its domain node, and what the wire cannot say appended to it for the model to
 * read: local validation still checks it.
 */
export function dropConstraints(
  wire: WireNode,
  node: WireNode,
  { position, context }: { position: Position; context: WireContext },
): WireNode {
  const dropped = Object.entries(node).filter(
    ([keyword, value]) =>
      !structural.has(keyword) &&
      !annotations.has(keyword) &&
      !(keyword in wire) &&
      !isSafeIntegerBound(keyword, value),
  );
  // The format says what a library's pattern for it says.
  const described = dropped.filter(
    ([keyword]) => !(keyword === "pattern" && "format" in wire) && !/^x[-_]/.test(keyword),
  );
  const parts = described.map(([keyword, value]) => `${keyword} ${JSON.stringify(value)}`);
  for (const part of parts)
    context.note("wire_constraint_dropped", position, `Only checked locally: ${shortened(part)}.`);
  const given = node["description"] ?? node["title"];
  const description = [
    ...(typeof given === "string" && given !== "" ? [given] : []),
    ...(parts.length > 0 ? [`(${parts.map((part) => shortened(part)).join(", ")})`] : []),
  ].join(" ");
  return description === "" ? wire : { ...wire, description };
}

function shortened(text: string): string {
  const left = text.length - maxShownCharacters;
  return left <= 0 ? text : `${text.slice(0, maxShownCharacters)}...[TRUNCATED ${left} chars]...`;
}
