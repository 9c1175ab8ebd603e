import type { TimeKind } from "./data-type.ts";

/**
 * Returns the decimal without leading zeros and with one or more digits after the point, or undefined if it is not
 * a decimal.
 */
export function canonicalDecimal(text: string): string | undefined {
  const parts = /^(-?)0*(\d*)(?:\.(\d+))?$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = "", whole = "", fraction] = parts;
  if (!/\d/.test(text)) return undefined;
  const digits = `${whole || "0"}.${fraction ?? "0"}`;
  if (digits.length > 39) return undefined;
  return /[1-9]/.test(digits) ? sign + digits : digits;
}

/** Returns a date in years 0001 to 9999 as `YYYY-MM-DD`, or undefined if the text is not one. */
export function canonicalDate(text: string): string | undefined {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  // A day that the month does not have is a day of the next month.
  const time = new Date(`${text}T00:00Z`);
  return time.getUTCDate() === Number(text.slice(8)) ? text : undefined;
}

const timestampPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Returns a date like `canonicalDate`, and a timestamp as `YYYY-MM-DDTHH:MM:SS`, any nonzero fraction of up to 6
 * digits, and `Z` for a `timestamptz`. Text without a zone counts as UTC for a `timestamptz`. Text with a zone is
 * not a `timestamp`. Returns undefined for any other text.
 */
export function canonicalTime(text: string, kind: TimeKind): string | undefined {
  if (kind === "date") return canonicalDate(text);
  const parts = timestampPattern.exec(text);
  const day = parts?.[1] === undefined ? undefined : canonicalDate(parts[1]);
  if (parts === null || day === undefined) return undefined;
  const [, , hour = "00", minute = "00", second = "00", fraction = "", zone] = parts;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (zone !== undefined && (kind === "timestamp" || parts[2] === undefined)) return undefined;
  const micros = fraction.slice(0, 6).replace(/0+$/, "");
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const clock = `${day}T${hour}:${minute}:${second}`;
  const seconds = offset === 0 ? clock : shifted(clock, -offset);
  if (seconds === undefined) return undefined;
  return `${seconds}${micros === "" ? "" : `.${micros}`}${kind === "timestamptz" ? "Z" : ""}`;
}

function shifted(clock: string, minutes: number): string | undefined {
  const text = new Date(Date.parse(`${clock}Z`) + minutes * 60_000).toISOString().slice(0, 19);
  return canonicalDate(text.slice(0, 10)) === undefined || text.length !== 19 ? undefined : text;
}

function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > 15 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
