import { isRecord } from "@ccl/core/json";

import { safeText } from "./safe-text.ts";

/** How much of a summary to keep. */
export interface SummaryLimits {
  /** Maximum length of the summary as JSON. */
  maxChars: number;
  /** Maximum length of a string that has no limit of its own. */
  maxTextChars: number;
}

/** Maximum length of an operation's summary as JSON. */
export const maxSummaryChars: number = 4_096;

const textLimits = new Map([
  ["rawTextPreview", 1_024],
  ["parseErrorMessage", 512],
  ["stop", 120],
]);
const hiddenKeys = new Set(["credentialRef", "apiKey", "authorization"]);
const maxItems = 50;
const maxStops = 10;
const maxDepth = 4;

interface Bounding {
  limits: SummaryLimits;
  leftChars: number;
}

/** Masks and truncates what a handler reports about its work. Removes credential references. */
export function boundSummary(
  summary: unknown,
  limits: SummaryLimits,
): Record<string, unknown> | undefined {
  if (!isRecord(summary)) return undefined;
  return boundRecord(summary, { limits, leftChars: limits.maxChars }, 0);
}

function boundRecord(record: object, bounding: Bounding, depth: number): Record<string, unknown> {
  const bounded: Record<string, unknown> = {};
  const entries = Object.entries(record);
  for (const [key, value] of entries.slice(0, maxItems)) {
    if (hiddenKeys.has(key) || value === undefined || key === "__proto__") continue;
    const name = safeText(key, 100);
    bounding.leftChars -= name.length + 4;
    if (bounding.leftChars <= 0) {
      bounded["truncated"] = true;
      break;
    }
    bounded[name] = boundValue(value, { bounding, depth: depth + 1, key });
  }
  if (entries.length > maxItems) bounded["truncated"] = true;
  return bounded;
}

function boundValue(
  value: unknown,
  { bounding, depth, key }: { bounding: Bounding; depth: number; key: string },
): unknown {
  if (typeof value === "string") {
    const max = Math.min(textLimits.get(key) ?? bounding.limits.maxTextChars, bounding.leftChars);
    const text = safeText(value, max);
    bounding.leftChars -= JSON.stringify(text).length;
    return text;
  }
  bounding.leftChars -= typeof value === "number" ? String(value).length + 1 : 6;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object" || depth >= maxDepth) return "[left out]";
  if (!Array.isArray(value)) return boundRecord(value, bounding, depth);
  return value
    .slice(0, key === "stop" ? maxStops : maxItems)
    .flatMap((item) =>
      bounding.leftChars > 0 ? [boundValue(item, { bounding, depth: depth + 1, key })] : [],
    );
}
