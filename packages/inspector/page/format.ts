const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Formats a count, like 12,345. */
export function count(number: number): string {
  return whole.format(Math.round(number));
}

/** Formats a count, like 12.3K. */
export function brief(number: number): string {
  return short.format(number);
}

/** Formats an amount, like $1.23, with more digits for small amounts. */
export function money(usd: number): string {
  if (usd === 0) return "$0";
  const digits = Math.abs(usd) >= 1 ? 2 : 4;
  return `${usd < 0 ? "-" : ""}$${Math.abs(usd).toFixed(digits)}`;
}

/** Formats a share, like 41 %. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** Formats a time in the reader's time zone. */
export function moment(timeMs: number | undefined): string {
  return timeMs === undefined || timeMs === 0 ? "" : moments.format(timeMs);
}

/** Formats a duration, like 1.2 s or 12 ms. */
export function duration(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`;
}

/** Escapes characters that would hide or reverse the text around them. */
export function visible(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
