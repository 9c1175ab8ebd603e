import { paddedParts, type SqlSpelling } from "./sql-functions.ts";

/** Macros by function, operator or cast name, with one form per argument count. */
type Macros = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a table of DuckDB macros: on each line, `names(parameters) AS body`, or a comment after `--`. In a body,
 * `own."x"` calls DuckDB's built-in function even if a macro has the same name. An aggregate's form accepts every type.
 */
function macroTable(lines: TemplateStringsArray, ...parts: readonly string[]): Macros {
  const table = new Map<string, string[]>();
  const forms = String.raw(lines, ...parts).matchAll(/^ *(?!--)([^\s(]+)(\(.*)$/gm);
  for (const [, names = "", form = ""] of forms)
    for (const name of names.split(",")) table.set(name, [...(table.get(name) ?? []), form]);
  return table;
}

/** Limits the length, because DuckDB builds a string in one step that cannot be interrupted. */
const bounded = (characters: string): string =>
  `CASE WHEN ${characters} > 1000000 THEN CAST(error('a string of more than a million characters') AS INTEGER) ELSE CAST(n AS INTEGER) END`;
const padding = bounded("n");

/** Extracts characters of x from 0-based position `from` up to `to`. Either may be outside x. */
const characters = (from: string, to: string): string =>
  `CASE WHEN (${from}) + (${to}) IS NOT NULL THEN own."substr"(CAST(x AS VARCHAR), greatest(${from}, 0) + 1, greatest(${to} - greatest(${from}, 0), 0)) END`;

/** Applies a modifier of SQLite's date functions. */
const shifted = (value: string, modifier: string): string => {
  const isStart = `starts_with(${modifier}, 'start of ')`;
  const start = `CASE WHEN ${isStart} THEN own."substr"(${modifier}, 10) ELSE 'day' END`;
  const weekday = `(coalesce(TRY_CAST(own."substr"(${modifier}, 9) AS INTEGER), 0) - dayofweek(${value}) + 7)`;
  // In SQLite, one month after January 31 is March 2 or 3. In DuckDB, it is the last day of February.
  const month = `own."date_trunc"('month', ${value})`;
  const added = `${month} + TRY_CAST(ltrim(${modifier}, '+') AS INTERVAL) + (${value} - ${month})`;
  return `CASE WHEN ${isStart} THEN own."date_trunc"(${start}, ${value}) WHEN starts_with(${modifier}, 'weekday ') THEN ${value} + to_days(CAST(own."%"(${weekday}, 7) AS INTEGER)) WHEN ${modifier} IN ('utc', 'localtime', 'auto') THEN ${value} ELSE ${added} END`;
};
const moment =
  "CASE WHEN CAST(x AS VARCHAR) = 'now' THEN CAST(now() AS TIMESTAMP) ELSE TRY_CAST(nullif(CAST(x AS VARCHAR), 'now') AS TIMESTAMP) END";

/**
 * Defines a SQLite function of a time and up to three modifiers. `@` in the body is the time. A function whose
 * parameters begin with another one needs a time.
 */
function sqliteTime(name: string, body: string, before = ""): string {
  const form = (parameters: string, time: string): string =>
    `${name}(${parameters}) AS ${body.replaceAll("@", time)}`;
  let parameters = `${before}x`;
  let time = moment;
  const forms = [form(parameters, time)];
  for (const modifier of ["m1", "m2", "m3"]) {
    parameters += `, ${modifier}`;
    time = shifted(time, modifier);
    forms.push(form(parameters, time));
  }
  if (before === "") forms.unshift(form("", "CAST(now() AS TIMESTAMP)"));
  return forms.join("\n");
}

/** Functions that DuckDB lacks, or supports for fewer types. */
const everywhere = macroTable`
  btrim(x) AS trim(x)
  btrim(x, c) AS trim(x, c)
  initcap(x) AS array_to_string(list_transform(regexp_extract_all(own."lower"(x), '[\p{L}\p{N}]+|[^\p{L}\p{N}]+'), lambda w: own."concat"(upper(w[1]), w[2:])), '')
  regexp_like(x, p) AS regexp_matches(x, p)
  regexp_count(x, p) AS len(regexp_extract_all(x, p))
  regexp_substr(x, p) AS nullif(regexp_extract(x, p), '')
  repeat(x, n) AS own."repeat"(x, ${bounded('n * own."length"(x)')})
  lpad(x, n, c) AS own."lpad"(x, ${padding}, c)
  lpad(x, n) AS own."lpad"(x, ${padding}, ' ')
  rpad(x, n, c) AS own."rpad"(x, ${padding}, c)
  rpad(x, n) AS own."rpad"(x, ${padding}, ' ')
  every(x) AS bool_and(x)
  to_date(x, f) AS CAST(strptime(x, f) AS DATE)
  -- Fills in the parts of a formatted time that strftime lacks.
  to_char(x, f) AS own."replace"(own."replace"(own."replace"(own."strftime"(CAST(x AS TIMESTAMP), f), '${paddedParts.month}', own."rpad"(own."monthname"(x), 9, ' ')), '${paddedParts.day}', own."rpad"(own."dayname"(x), 9, ' ')), '${paddedParts.quarter}', CAST(own."quarter"(x) AS VARCHAR))
  total(x) AS coalesce(CAST(sum(x) AS DOUBLE), 0.0)
  char(x) AS chr(x)
  char(x, y) AS concat(chr(x), chr(y))
  likely,unlikely(x) AS x
  sole_value(x) AS CASE WHEN min(x) IS DISTINCT FROM max(x) OR count(x) NOT IN (0, count(*)) THEN error('a column outside GROUP BY has several values in one group; group by it too, or write max(column)') ELSE min(x) END
  iif(c, a, b) AS CASE WHEN c THEN a ELSE b END
  ${sqliteTime("julianday", "julian(@) - 0.5")}
  ${sqliteTime("unixepoch", "CAST(epoch(@) AS BIGINT)")}
  ${sqliteTime("datetime", `own."strftime"(@, '%Y-%m-%d %H:%M:%S')`)}
  ${sqliteTime("time", `own."strftime"(@, '%H:%M:%S')`)}
  date_diff(u, a, b) AS own."date_diff"(u, CAST(a AS TIMESTAMP), CAST(b AS TIMESTAMP))
  age(a) AS own."age"(CAST(a AS TIMESTAMP))
  age(a, b) AS own."age"(CAST(a AS TIMESTAMP), CAST(b AS TIMESTAMP))
  strftime(x, f) AS own."strftime"(CAST(x AS TIMESTAMP), f)
  -- Functions of text also accept other types, such as times and numbers.
  lower(x) AS own."lower"(CAST(x AS VARCHAR))
  upper(x) AS own."upper"(CAST(x AS VARCHAR))
  left(x, n) AS own."left"(CAST(x AS VARCHAR), n)
  right(x, n) AS own."right"(CAST(x AS VARCHAR), n)
  octet_length(x) AS strlen(CAST(x AS VARCHAR))
  substr(x, a) AS own."substr"(CAST(x AS VARCHAR), a)
  substr(x, a, b) AS own."substr"(CAST(x AS VARCHAR), a, b)
`;

const isSimilar = `own."regexp_full_match"(x, replace(replace(p, '%', '.*'), '_', '.'), 's')`;
const wholeNumber = (type: string): string =>
  String.raw`CASE WHEN own."typeof"(x) = 'VARCHAR' AND NOT own."regexp_full_match"(CAST(x AS VARCHAR), '\s*[+-]?\d+\s*') THEN error('invalid input syntax for an integer') ELSE CAST(x AS ${type}) END`;
const isComplexPower = `x < 0 AND y <> own."floor"(y)`;
const power = `own."pow"(x, y)`;

const postgresql = macroTable`
  power,pow(x, y) AS CASE WHEN x = 0 AND y < 0 THEN error('zero raised to a negative power is undefined') WHEN ${isComplexPower} THEN error('a negative number raised to a non-integer power yields a complex result') WHEN isinf(${power}) AND NOT isinf(CAST(x AS DOUBLE)) AND NOT isinf(CAST(y AS DOUBLE)) THEN error('value out of range: overflow') WHEN ${power} = 0 AND x <> 0 AND NOT isinf(CAST(y AS DOUBLE)) THEN error('value out of range: underflow') ELSE ${power} END
  -- DuckDB would convert ß to the capital ẞ.
  upper(x) AS own."replace"(own."upper"(own."replace"(CAST(x AS VARCHAR), 'ß', chr(57344))), chr(57344), 'ß')
  -- PostgreSQL divides floats exactly and truncates whole-number division toward zero.
  /(a, b) AS CASE WHEN b = 0 THEN error('division by zero') ELSE own."//"(a, b) END
  %(a, b) AS CASE WHEN 'DOUBLE' IN (own."typeof"(a), own."typeof"(b)) THEN error('operator does not exist: double precision % double precision; write mod(a::numeric, b::numeric)') ELSE CASE WHEN b = 0 THEN error('division by zero') ELSE own."%"(a, b) END END
  mod(a, b) AS CASE WHEN b = 0 THEN error('division by zero') ELSE own."%"(a, b) END
  ~~(x, p) AS like_escape(x, p, '\')
  !~~(x, p) AS NOT like_escape(x, p, '\')
  ~~*(x, p) AS ilike_escape(x, p, '\')
  !~~*(x, p) AS NOT ilike_escape(x, p, '\')
  -- DuckDB's parser calls this for the operator ~.
  regexp_full_match(x, p) AS regexp_matches(x, p, 's')
  -- SIMILAR TO
  ~~~(x, p) AS ${isSimilar}
  !~~~(x, p) AS NOT ${isSimilar}
  ~*(x, p) AS regexp_matches(x, p, 'si')
  !~*(x, p) AS NOT regexp_matches(x, p, 'si')
  substr,substring(x, a) AS own."substr"(CAST(x AS VARCHAR), CASE WHEN a < 1 THEN 1 ELSE a END)
  substr,substring(x, a, n) AS CASE WHEN n < 0 THEN error('negative substring length not allowed') ELSE ${characters("a - 1", "a - 1 + n")} END
  round(x) AS CASE WHEN own."typeof"(x) = 'DOUBLE' THEN round_even(x, 0) ELSE own."round"(x) END
  -- Rounds every type like a numeric, keeping all digits.
  round(x, n) AS own."round"(CAST(x AS DECIMAL(32, 12)), n)
  round_numeric(x) AS own."round"(x)
  split_part(x, d, n) AS CASE WHEN n = 0 THEN error('field position must not be zero') WHEN n IS NOT NULL THEN own."split_part"(x, d, n) END
  exp(x) AS CASE WHEN x > 709.78 THEN error('value out of range: overflow') WHEN x < -745 THEN error('value out of range: underflow') ELSE own."exp"(x) END
  cast_smallint(x) AS ${wholeNumber("SMALLINT")}
  cast_integer(x) AS ${wholeNumber("INTEGER")}
  cast_bigint(x) AS ${wholeNumber("BIGINT")}
  cast_numeric(x) AS CAST(x AS DOUBLE)
  shown_digits(x) AS CASE WHEN own."typeof"(x) = 'DOUBLE' THEN own."printf"('%.15g', x) ELSE CAST(x AS VARCHAR) END
  cast_json(x) AS CAST(x AS JSON)
  -- PostgreSQL writes the months of an interval as mons, and a plus sign after a negative part: -1 mons +2 days.
  cast_text(x) AS CASE WHEN own."typeof"(x) = 'DOUBLE' THEN regexp_replace(CAST(x AS VARCHAR), '\.0$', '') WHEN own."typeof"(x) = 'INTERVAL' THEN regexp_replace(regexp_replace(regexp_replace(CAST(x AS VARCHAR), 'month', 'mon', 'g'), '(-1 (?:year|mon|day))( |$)', '\1s\2', 'g'), '(-\d+ \w+) (\d)', '\1 +\2', 'g') WHEN ends_with(own."typeof"(x), ']') THEN error('the text of an array is not supported here; write array_to_string(x, '', '')') ELSE CAST(x AS VARCHAR) END
`;

/** Returns the number that a text begins with. */
const leading = (pattern: string, type: string): string =>
  String.raw`CASE WHEN x IS NOT NULL THEN coalesce(TRY_CAST(regexp_extract(CAST(x AS VARCHAR), '^\s*(${pattern})', 1) AS ${type}), 0) END`;
const sqliteFrom = `CASE WHEN a < 0 THEN own."length"(cast_text(x)) + a WHEN a > 0 THEN a - 1 WHEN a IS NULL THEN NULL WHEN n > 0 THEN -1 ELSE 0 END`;
const sqliteSlice = characters(
  `${sqliteFrom} + least(n, 0)`,
  `${sqliteFrom} + CASE WHEN n < 0 THEN 0 ELSE n END`,
);

const isReal = `regexp_matches(own."typeof"(x), '^(?:DOUBLE|DECIMAL)')`;
/** SQLite prints negative zero without a sign. Adding 0 removes it. */
const unsignedZero = "(TRY_CAST(CAST(x AS VARCHAR) AS DOUBLE) + 0.0)";
/**
 * Moves x away from zero if it lies exactly between two decimals of n digits, because SQLite rounds such a number away
 * from zero, and C to the even digit. Both round any other number by its binary value.
 */
const untied = (x: string, n: string): string =>
  `(${x} + CASE WHEN own."%"(abs(${x}) * own."pow"(2, ${n} + 1), 2) = 1 THEN sign(${x}) * own."pow"(10, - ${n}) / 4 ELSE 0 END)`;
const printedFixed = String.raw`%[-+ 0]*[0-9]*(?:\.([0-9]+))?f`;
const fixedDigits = `coalesce(TRY_CAST(regexp_extract(f, '${printedFixed}', 1) AS INTEGER), 6)`;
const printable = `CASE WHEN regexp_matches(f, '${printedFixed}') THEN ${untied(unsignedZero, fixedDigits)} WHEN ${unsignedZero} * 1048576 = trunc(${unsignedZero} * 1048576) THEN ${unsignedZero} * 1.0000000000000004 ELSE ${unsignedZero} END`;

const sqlite = macroTable`
  -- Infinity times 0 is NULL in SQLite, but NaN in DuckDB, which sorts above all numbers.
  power,pow(x, y) AS CASE WHEN ${isComplexPower} THEN NULL WHEN isinf(${power}) THEN error('a power that is infinite is not supported here') ELSE ${power} END
  exp(x) AS CASE WHEN x > 709.78 THEN error('an exponential that is infinite is not supported here') ELSE own."exp"(x) END
  /(a, b) AS own."//"(a, nullif(b, 0))
  %(a, b) AS CASE WHEN own."greatest"(abs(a), abs(b)) >= 9223372036854775807 THEN error('the remainder of a number of 19 digits or more is not supported here') ELSE own."%"(trunc(a), nullif(trunc(b), 0)) END
  mod(a, b) AS CASE WHEN isfinite(CAST(a AS DOUBLE)) THEN own."%"(CAST(a AS DOUBLE), nullif(CAST(b AS DOUBLE), 0)) END
  ||(a, b) AS own."||"(cast_text(a), cast_text(b))
  ~~(x, p) AS own."~~"(lower(x), lower(p))
  !~~(x, p) AS NOT own."~~"(lower(x), lower(p))
  like_escape(x, p, e) AS own."like_escape"(lower(x), lower(p), e)
  not_like_escape(x, p, e) AS NOT own."like_escape"(lower(x), lower(p), e)
  lower(x) AS translate(cast_text(x), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
  upper(x) AS translate(cast_text(x), 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
  replace(x, a, b) AS CASE WHEN cast_text(a) = '' THEN cast_text(x) ELSE own."replace"(cast_text(x), cast_text(a), cast_text(b)) END
  substr,substring(x, a, n) AS ${sqliteSlice}
  substr,substring(x, a) AS own."substr"(cast_text(x), CASE WHEN a < 0 THEN greatest(own."length"(cast_text(x)) + a, 0) + 1 WHEN a = 0 THEN 1 ELSE a END)
  ${sqliteTime("sqlite_date", `own."strftime"(@, '%Y-%m-%d')`)}
  ${sqliteTime("strftime", `own."strftime"(@, f)`, "f, ")}
  -- strftime with %s, which DuckDB lacks
  ${sqliteTime("strftime_seconds", "CAST(CAST(epoch(@) AS BIGINT) AS VARCHAR)", "f, ")}
  greatest(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE own."greatest"(a, b) END
  greatest(a, b, c) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL THEN NULL ELSE own."greatest"(a, b, c) END
  greatest(a, b, c, d) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL THEN NULL ELSE own."greatest"(a, b, c, d) END
  least(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE own."least"(a, b) END
  least(a, b, c) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL THEN NULL ELSE own."least"(a, b, c) END
  least(a, b, c, d) AS CASE WHEN a IS NULL OR b IS NULL OR c IS NULL OR d IS NULL THEN NULL ELSE own."least"(a, b, c, d) END
  sqrt(x) AS CASE WHEN x >= 0 THEN own."sqrt"(x) END
  ln(x) AS CASE WHEN x > 0 THEN own."ln"(x) END
  log(x) AS CASE WHEN x > 0 THEN own."log10"(x) END
  round(x) AS own."round"(CAST(x AS DOUBLE))
  round(x, n) AS CASE WHEN n IS NOT NULL THEN CAST(own."printf"(own."concat"('%.', CAST(own."greatest"(n, 0) AS INTEGER), 'f'), ${untied("CAST(x AS DOUBLE)", 'own."greatest"(n, 0)')}) AS DOUBLE) END
  typeof(x) AS CASE WHEN x IS NULL THEN 'null' WHEN regexp_matches(own."typeof"(x), '^(?:VARCHAR|DATE|TIME)') THEN 'text' WHEN ${isReal} THEN 'real' ELSE 'integer' END
  hex(x) AS coalesce(own."hex"(cast_text(x)), '')
  unicode(x) AS own."unicode"(nullif(x, ''))
  printf(f) AS f
  printf(f, x) AS CASE WHEN x IS NULL THEN error('printf of a null is not supported here; write coalesce(x, 0)') WHEN abs(${unsignedZero}) >= 1e15 AND regexp_matches(f, '%[-+ 0]*[0-9.]*f') THEN error('printf of a number of 16 digits or more is not supported here; write %e, or cast(x as text)') WHEN ${isReal} OR regexp_matches(f, '%[-+ 0]*[0-9.]*[eEfgG]') THEN own."printf"(f, ${printable}) ELSE own."printf"(f, x) END
  cast_integer(x) AS CASE own."typeof"(x) WHEN 'DOUBLE' THEN CAST(trunc(TRY_CAST(CAST(x AS VARCHAR) AS DOUBLE)) AS BIGINT) WHEN 'BOOLEAN' THEN CAST(CAST(x AS VARCHAR) = 'true' AS INTEGER) ELSE ${leading(String.raw`[+-]?\d+`, "BIGINT")} END
  cast_real(x) AS ${leading(String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`, "DOUBLE")}
  -- DuckDB rejects this for text, because it cannot know beforehand whether the result is an integer.
  cast_numeric(x) AS x + 0
  cast_text(x) AS CASE WHEN own."typeof"(x) = 'DOUBLE' THEN regexp_replace(regexp_replace(own."printf"('%.15g', ${unsignedZero}), '^(-?\d+)(e|$)', '\1.0\2'), '^(-?)inf', '\1Inf') WHEN own."typeof"(x) = 'BOOLEAN' THEN CASE CAST(x AS VARCHAR) WHEN 'true' THEN '1' WHEN 'false' THEN '0' END ELSE CAST(x AS VARCHAR) END
`;

const macrosOf: Readonly<Record<SqlSpelling, Macros>> = {
  postgresql: new Map([...everywhere, ...postgresql]),
  sqlite: new Map([...everywhere, ...sqlite]),
  duckdb: everywhere,
};

/** Used only if DuckDB rejects a statement without them: times stored as text, and lengths of other types. */
const lenient = macroTable`
  date_trunc(u, x) AS own."date_trunc"(u, CAST(x AS TIMESTAMP))
  date_part(u, x) AS own."date_part"(u, CAST(x AS TIMESTAMP))
  length(x) AS own."length"(CAST(x AS VARCHAR))
`;

/** How nulls sort if ORDER BY does not specify it. */
const nullOrders: Readonly<Record<SqlSpelling, string>> = {
  postgresql: "NULLS_LAST_ON_ASC_FIRST_ON_DESC",
  sqlite: "NULLS_FIRST_ON_ASC_LAST_ON_DESC",
  duckdb: "NULLS_LAST",
};

/** Keywords for which DuckDB's parser calls a macro with another name. */
const words: Readonly<Record<string, string>> = {
  date_part: "extract|date_part",
  "~~": "like",
  "!~~": "like",
  like_escape: "like",
  not_like_escape: "like",
  "~~*": "ilike",
  "!~~*": "ilike",
  regexp_full_match: "~",
};

/** Returns the macros and null order that make DuckDB run a statement as its own dialect would. */
export function dialectMeaning(
  dialect: SqlSpelling,
  text: string,
): { macros: string[][]; nullOrder: string; isPostgresText: boolean } {
  const usual = macrosOf[dialect];
  const macros = [usual, new Map([...usual, ...lenient])].map((table) => macrosIn(text, table));
  const isPostgresText = dialect === "postgresql";
  return { macros, nullOrder: nullOrders[dialect], isPostgresText };
}

/** Returns the macros that the text calls, in dependency order. */
function macrosIn(text: string, table: Macros): string[] {
  const found = new Set<string>();
  const create: string[] = [];
  const collect = (within: string): void => {
    for (const [name, forms] of table) {
      if (found.has(name) || !isNamed(words[name] ?? name, within)) continue;
      found.add(name);
      const body = forms.join(", ");
      collect(body);
      create.push(
        `CREATE OR REPLACE TEMP MACRO "${name}" ${body.replaceAll("own.", "system.main.")}`,
      );
    }
  };
  collect(text);
  return create;
}

function isNamed(name: string, text: string): boolean {
  if (!/^\w/.test(name)) return text.includes(name);
  return new RegExp(`(?<!own\\.")\\b(?:${name})\\b`, "i").test(text);
}
