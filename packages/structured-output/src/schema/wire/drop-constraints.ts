import { annotations } from "./merge-nodes.ts";
import { type Place, warn, type WireNode } from "./wire-context.ts";
import { isSafeIntegerBound } from "./wire-rules.ts";

const maxShownCharacters = 200;
// Keywords that the wire schema expresses directly or through another keyword.
const structural: ReadonlySet<string> = new Set(
  (
    "type properties required additionalProperties propertyNames patternProperties items prefixItems " +
    "additionalItems anyOf oneOf enum const $ref allOf"
  ).split(" "),
);

/**
 * Adds the domain node's description to the wire node, followed by constraints that the wire cannot express. The model
 * can read them, and local validation checks them.
 */
export function dropConstraints(wire: WireNode, node: WireNode, place: Place): WireNode {
  const dropped = Object.entries(node).filter(
    ([keyword, value]) =>
      !structural.has(keyword) &&
      !annotations.has(keyword) &&
      !(keyword in wire) &&
      !isSafeIntegerBound(keyword, value) &&
      // A library's pattern for a format repeats the format.
      !(keyword === "pattern" && "format" in wire) &&
      !/^x[-_]/.test(keyword),
  );
  const parts = dropped.map(([keyword, value]) => shortened(`${keyword} ${JSON.stringify(value)}`));
  for (const part of parts)
    warn(place, "wire_constraint_dropped", `Only checked locally: ${part}.`);
  const given = node["description"] ?? node["title"];
  const description = [
    ...(typeof given === "string" && given !== "" ? [given] : []),
    ...(parts.length > 0 ? [`(${parts.join(", ")})`] : []),
  ].join(" ");
  return description === "" ? wire : { ...wire, description };
}

function shortened(text: string): string {
  const left = text.length - maxShownCharacters;
  return left <= 0 ? text : `${text.slice(0, maxShownCharacters)}...[TRUNCATED ${left} chars]...`;
}
