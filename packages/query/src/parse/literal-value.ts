import type { LiteralExpression } from "../plan/expression.ts";
import { PlanSyntaxError, quoted } from "./parse-issue.ts";
import { canonicalDecimal, canonicalTime } from "../plan/canonical-value.ts";

type LiteralType = LiteralExpression["type"];

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;

/** Creates a literal in canonical form: integers as numbers if exact, decimals and times as text. */
export function literalOf(type: LiteralType, value: unknown): LiteralExpression {
  const canonical = canonicalOf(type, value);
  if (canonical === undefined) {
    throw new PlanSyntaxError(
      "literal_invalid",
      `${quoted(value)} is not of type ${type}${hints[type] ?? ""}.`,
    );
  }
  return { op: "literal", type, value: canonical };
}

const hints: Partial<Record<LiteralType, string>> = {
  int: " (64 bits; larger than a JSON number as digits in text)",
  decimal: ' (digits in text, at most 38, like "12.50")',
  date: " (like 2026-01-31)",
  timestamp: " (like 2026-01-31T10:00:00, without a zone)",
  timestamptz: " (like 2026-01-31T10:00:00Z)",
};

function canonicalOf(type: LiteralType, value: unknown): LiteralExpression["value"] | undefined {
  switch (type) {
    case "null":
      return value === null || value === undefined ? null : undefined;
    case "bool":
      return typeof value === "boolean" ? value : undefined;
    case "int":
      return intOf(value);
    case "float":
      return typeof value === "number" && Number.isFinite(value) ? value + 0 : undefined;
    case "decimal":
      return typeof value === "string" ? canonicalDecimal(value) : undefined;
    case "text":
      return typeof value === "string" && isStorable(value) ? value : undefined;
    default:
      return typeof value === "string" ? canonicalTime(value, type) : undefined;
  }
}

function intOf(value: unknown): number | string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value + 0 : undefined;
  if (typeof value !== "string" || !/^-?\d{1,19}$/.test(value)) return undefined;
  const exact = BigInt(value);
  if (exact < minInt || exact > maxInt) return undefined;
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : String(exact);
}

/**
 * Returns false for text with U+0000, which PostgreSQL cannot store and SQLite drivers truncate, or with a lone
 * surrogate, which has no UTF-8 form.
 */
function isStorable(text: string): boolean {
  return !text.includes("\u0000") && !/\p{Cs}/u.test(text);
}
