import { canonicalJson } from "@ccl/core";
import { canonicalDate } from "../plan/canonical-value.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { decimalText, exactInt, timeText, type ValueDecoder } from "../sql/decode-value.ts";

/** Digits that every number of JSON keeps when it is read as a double. */
const exactDigits = 15;

/**
 * Values of parsed JSON as the plan's. A text column whose catalogued type is no text (`any`, `object`, a list) takes every
 * value as its JSON; all others take only what is of their type.
 */
export function jsonDecoder({ type }: PlanColumn, declared: string | undefined): ValueDecoder {
  switch (type.kind) {
    case "int":
      return exactInt;
    case "decimal":
      return (value) =>
        decimalText(typeof value === "number" ? exactNumber(value) : String(value), type.scale);
    case "float":
      return (value) =>
        typeof value === "number" && Number.isFinite(value) ? value + 0 : undefined;
    case "bool":
      return (value) => (typeof value === "boolean" ? value : undefined);
    case "date":
      return (value) => (typeof value === "string" ? canonicalDate(value) : undefined);
    case "timestamp":
      return (value) => timeText(value, "timestamp");
    case "timestamptz":
      return (value) => timeText(value, "timestamptz");
    case "text": {
      const isOpen = /^(?:any|object|unknown|json|array.*|.*[|].*)$/.test(
        (declared ?? "text").toLowerCase(),
      );
      return (value) => (typeof value === "string" ? value : isOpen ? jsonText(value) : undefined);
    }
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
