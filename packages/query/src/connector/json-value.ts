import { canonicalJson } from "@ccl/core";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { decimalText, postgresDecoder, type ValueDecoder } from "./decode-value.ts";

/** Number of digits that every JSON number keeps when read as a double. */
const exactDigits = 15;

/**
 * Creates a decoder from parsed JSON to plan values. A text column with another catalogued type (`any`, `object`,
 * a list) accepts any value, as JSON text. Other columns accept only values of their type.
 */
export function jsonDecoder({ type }: PlanColumn, declared: string | undefined): ValueDecoder {
  switch (type.kind) {
    case "decimal":
      return (value) =>
        decimalText(typeof value === "number" ? exactNumber(value) : String(value), type.scale);
    case "float":
      return (value) =>
        typeof value === "number" && Number.isFinite(value) ? value + 0 : undefined;
    case "text": {
      const isOpen = /^(?:any|object|unknown|json|array.*|.*[|].*)$/.test(
        (declared ?? "text").toLowerCase(),
      );
      return (value) => (typeof value === "string" ? value : isOpen ? jsonText(value) : undefined);
    }
    default:
      return postgresDecoder(type);
  }
}

function exactNumber(value: number): string {
  const text = String(value);
  return text.replace(/[-.]/g, "").replace(/^0+/, "").length > exactDigits ? "" : text;
}

function jsonText(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}
