import { canonicalDate } from "../plan/canonical-value.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { decimalText, exactInt, timeText, type ValueDecoder } from "../connector/decode-value.ts";

const nullTexts = /^(?:|null|NULL|NA|N\/A|n\/a|NaN|nan|None|\\N)$/;

/**
 * Creates a decoder from cells to plan values. Numbers use a decimal point and no thousands separator. Dates are
 * ISO, `2026/1/31`, `2026.1.31` or `31.1.2026`. Ambiguous dates are invalid. An empty cell is null, even in a text
 * column.
 */
export function textDecoderOf({ type }: PlanColumn): ValueDecoder {
  if (type.kind === "text")
    return (value) => (value === "" ? null : typeof value === "string" ? value : undefined);
  const decode = trimmedDecoder(type);
  return (value) => {
    const text = typeof value === "string" ? value.trim() : "";
    return nullTexts.test(text) ? null : decode(text);
  };
}

function trimmedDecoder(type: PlanColumn["type"]): (text: string) => ReturnType<ValueDecoder> {
  switch (type.kind) {
    case "int":
      return (text) => exactInt(text.replace(/^\+/, ""));
    case "decimal":
      return (text) => decimalText(text, type.scale);
    case "float":
      return (text) =>
        /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? finite(Number(text)) : undefined;
    case "bool":
      return (text) => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined);
    case "date":
      return isoDate;
    case "timestamp":
    case "timestamptz": {
      const { kind } = type;
      return (text) =>
        timeText(isoDate(text) ?? text.replace(/^(\d{4})[/.](\d\d)[/.](\d\d)/, "$1-$2-$3"), kind);
    }
    default:
      return (text) => text;
  }
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value + 0 : undefined;
}

function isoDate(text: string): string | undefined {
  if (!/^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4})$/.test(text))
    return canonicalDate(text);
  const parts = text.split(/[-/.]/).map((part) => part.padStart(2, "0"));
  return canonicalDate((parts[0]?.length === 4 ? parts : parts.toReversed()).join("-"));
}
