/** A rule to check snippets against. */
export interface AntiPatternRule {
  rule:
    | "select_star"
    | "missing_limit"
    | "cross_join"
    | "leading_wildcard"
    | "order_by_random"
    | "missing_where"
    | "offset";
  /** Row count from which `missing_limit` applies. If undefined, it applies to any number. */
  rows?: number | undefined;
  /** The rule as the resource words it. */
  text: string;
}

const wordings: readonly [AntiPatternRule["rule"], RegExp][] = [
  ["select_star", /\bselect\s{0,5}\*|\ball columns\b|все колонки/i],
  ["missing_limit", /(?:\b(?:no|without|missing)|без|нет)\s(?:an?\s|any\s)?(?:limit|лимит)/i],
  ["cross_join", /cross[\s-]join|cartesian|декартов/i],
  [
    "leading_wildcard",
    /leading (?:wildcard|%)|\blike\s{0,3}['"]?%|ведущ\S{0,5} (?:процент|%|шаблон)/i,
  ],
  ["order_by_random", /order by rand/i],
  [
    "missing_where",
    /(?:\b(?:no|without|missing)|без)\s(?:a\s|any\s)?(?:where|filter|condition|фильтр|услови)|full (?:table )?scan|полн\S{0,4} скан/i,
  ],
  ["offset", /\boffset\b|глубок\S{0,4} пагинац/i],
];

/**
 * Finds known rules in a resource's anti-patterns, which are free text in English or Russian. One string may state
 * several rules.
 */
export function rulesOf(antiPatterns: readonly string[]): AntiPatternRule[] {
  return antiPatterns.flatMap((text) => {
    const cut = text.slice(0, 500);
    const found = wordings.filter(([, pattern]) => pattern.test(cut)).map(([rule]) => rule);
    return found.map((rule) => {
      const rows = rule === "missing_limit" ? rowsIn(cut) : undefined;
      return { rule, text, rows };
    });
  });
}

const factors: Readonly<Record<string, number>> = {
  k: 1e3,
  тыс: 1e3,
  m: 1e6,
  млн: 1e6,
  million: 1e6,
  b: 1e9,
  млрд: 1e9,
};

function rowsIn(text: string): number | undefined {
  const found =
    /(?<![\p{L}\p{N}_])(\d[\d_, \u00A0]{0,20}(?:\.\d{1,6})?(?:e\d{1,2})?)\s?(?:(million|тыс|млн|млрд|k|m|b)(?!\p{L}))?/iu.exec(
      text,
    );
  if (found === null) return undefined;
  const rows =
    Number((found[1] ?? "").replace(/[_, \u00A0]/g, "")) *
    (factors[(found[2] ?? "").toLowerCase()] ?? 1);
  return Number.isFinite(rows) ? rows : undefined;
}

/** Parses a row count as written in catalogs: 1000000, `1e7`, `>100000`, `~5k`. */
export function rowsOf(estimate: string | number | undefined): number | undefined {
  return estimate === undefined ? undefined : rowsIn(String(estimate));
}
