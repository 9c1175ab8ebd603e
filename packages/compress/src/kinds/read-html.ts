const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/**
 * Reads the text of a page, with one block per line and cells between bars. For more than that,
 * pass another converter to `compress`.
 */
export function readHtml(html: string): string {
  return html
    .replace(/<!--[^]*?(?:-->|$)/g, "")
    .replace(/<(script|style|svg|noscript|template)\b[^>]*>[^]*?(?:<\/\1\s*>|$)/gi, "")
    .replace(/\s+/g, " ")
    .replace(/<h([1-6])\b[^>]*>/gi, (_, level: string) => `\n${"#".repeat(Number(level))} `)
    .replace(/<\/t[dh]>\s*(?=<t[dh]\b)/gi, " | ")
    .replace(/<li\b[^>]*>/gi, "\n- ")
    .replace(
      /<(?:br|\/?(?:p|div|section|article|header|footer|nav|main|ul|ol|table|tr|h[1-6]|pre|blockquote|title|form|dl|dt|dd))\b[^>]*>/gi,
      "\n",
    )
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi, (all, decimal, hex, name) =>
      decodeEntity(all, decimal, hex, name),
    )
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "-")
    .join("\n");
}

function decodeEntity(all: string, decimal?: string, hex?: string, name?: string): string {
  const code =
    decimal === undefined
      ? hex === undefined
        ? undefined
        : Number.parseInt(hex, 16)
      : Number(decimal);
  if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  return entities[name?.toLowerCase() ?? ""] ?? all;
}
