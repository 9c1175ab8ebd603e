import { quoteIdentifier } from "@ccl/sql";
import type { ResourceDetails } from "@ccl/catalog";
import { conditionSigns, simpleConditions } from "../connector/simple-condition.ts";
import { rowRule, type AccessOptions } from "../validate/visible-resources.ts";
import { quoteText } from "../sql/print-expression.ts";
import { typedRule } from "../validate/row-rules.ts";

/**
 * Returns the resource's row policy as SQL. Returns undefined if there is none, `unknown` if SQL cannot express
 * it.
 */
export function rowCondition(
  resource: ResourceDetails,
  options: AccessOptions & { details: Iterable<ResourceDetails>; dialect: "postgresql" | "sqlite" },
): string | undefined {
  const original = [...options.details].find(({ id }) => id === resource.id) ?? resource;
  const rule = rowRule(original, options);
  if (rule === undefined) return undefined;
  const conditions = simpleConditions(typedRule(original, rule).where);
  if (conditions === undefined) return "unknown";
  const parts = conditions.map(({ column, operator, type, values }) => {
    const literals = values.map((value) =>
      typeof value === "string" && type.kind === "text"
        ? quoteText(value)
        : typeof value === "number" && type.kind === "int"
          ? String(value)
          : undefined,
    );
    if (
      literals.includes(undefined) ||
      (operator !== "eq" && operator !== "in" && type.kind === "text")
    )
      return undefined;
    const exact = type.kind === "text" && options.dialect === "sqlite" ? " COLLATE BINARY" : "";
    return `${quoteIdentifier(column)}${exact} ${conditionSigns[operator]} (${literals.join(", ")})`;
  });
  return parts.includes(undefined) ? "unknown" : parts.join(" AND ");
}
