import { paddedParts, type SqlSpelling } from "./sql-functions.ts";

/**
 * Macros by function, operator or cast name, with one form per argument count. An aggregate's form accepts every
 * type.
 */
type Macros = Readonly<Record<string, readonly string[]>>;

/** In macros, `own."x"` calls DuckDB's built-in function even if a macro has the same name. */
const own = (name: string, ...parts: readonly string[]): string =>
  `own."${name}"(${parts.join(", ")})`;

/** Limits the length, because DuckDB builds a string in one step that cannot be interrupted. */
const bounded = (characters: string, value: string): string =>
  `CASE WHEN ${characters} > 1000000 THEN CAST(error('a string of more than a million characters') AS INTEGER) ELSE CAST(${value} AS INTEGER) END`;

/** Extracts characters of x from 0-based position `from` up to `to`. Either may be outside x. */
const characters = (from: string, to: string): string => {
  const start = `greatest(${from}, 0)`;
  const cut = own("substr", "CAST(x AS VARCHAR)", `${start} + 1`, `greatest(${to} - ${start}, 0)`);
  return `CASE WHEN (${from}) + (${to}) IS NOT NULL THEN ${cut} END`;
};

/** Applies a modifier of SQLite's date functions. */
const shifted = (value: string, modifier: string): string => {
  const isStart = `starts_with(${modifier}, 'start of ')`;
  const start = `CASE WHEN ${isStart} THEN ${own("substr", modifier, "10")} ELSE 'day' END`;
  const weekday = `(coalesce(TRY_CAST(${own("substr", modifier, "9")} AS INTEGER), 0) - dayofweek(${value}) + 7)`;
  // In SQLite, one month after January 31 is March 2 or 3. In DuckDB, it is the last day of February.
  const month = own("date_trunc", "'month'", value);
  const added = `${month} + TRY_CAST(ltrim(${modifier}, '+') AS INTERVAL) + (${value} - ${month})`;
  return `CASE WHEN ${isStart} THEN ${own("date_trunc", start, value)} WHEN starts_with(${modifier}, 'weekday ') THEN ${value} + to_days(CAST(${own("%", weekday, "7")} AS INTEGER)) WHEN ${modifier} IN ('utc', 'localtime', 'auto') THEN ${value} ELSE ${added} END`;
};
const moment = (value: string): string =>
  `CASE WHEN CAST(${value} AS VARCHAR) = 'now' THEN CAST(now() AS TIMESTAMP) ELSE TRY_CAST(nullif(CAST(${value} AS VARCHAR), 'now') AS TIMESTAMP) END`;

/** Defines DuckDB macros for a SQLite function of a time and up to three modifiers. */
function sqliteTime(before: readonly string[], write: (value: string) => string): string[] {
  let value = moment("x");
  const forms = [`(${[...before, "x"].join(", ")}) AS ${write(value)}`];
  const names = ["m1", "m2", "m3"];
  for (const [index, name] of names.entries()) {
    value = shifted(value, name);
    const parameters = [...before, "x", ...names.slice(0, index + 1)];
    forms.push(`(${parameters.join(", ")}) AS ${write(value)}`);
  }
  return before.length === 0 ? [`() AS ${write("CAST(now() AS TIMESTAMP)")}`, ...forms] : forms;
}

/** Fills in the parts of a formatted time that `strftime` lacks. */
const filledParts = [
  [paddedParts.month, own("rpad", own("monthname", "x"), "9", "' '")],
  [paddedParts.day, own("rpad", own("dayname", "x"), "9", "' '")],
  [paddedParts.quarter, `CAST(${own("quarter", "x")} AS VARCHAR)`],
].reduce(
  (text, [part = "", value = ""]) => own("replace", text, `'${part}'`, value),
  own("strftime", "CAST(x AS TIMESTAMP)", "f"),
);

/** Defines a text function that also accepts other types, such as times and numbers. */
const ofText = (name: string, more = ""): string =>
  `(x${more}) AS ${own(name, `CAST(x AS VARCHAR)${more}`)}`;
/** Functions that DuckDB lacks, or supports for fewer types. */
const everywhere: Macros = {
  btrim: ["(x) AS trim(x)", "(x, c) AS trim(x, c)"],
  initcap: [
    `(x) AS array_to_string(list_transform(regexp_extract_all(own."lower"(x), '[\\p{L}\\p{N}]+|[^\\p{L}\\p{N}]+'), lambda w: own."concat"(upper(w[1]), w[2:])), '')`,
  ],
  regexp_like: ["(x, p) AS regexp_matches(x, p)"],
  regexp_count: ["(x, p) AS len(regexp_extract_all(x, p))"],
  regexp_substr: ["(x, p) AS nullif(regexp_extract(x, p), '')"],
  repeat: [`(x, n) AS own."repeat"(x, ${bounded('n * own."length"(x)', "n")})`],
  lpad: padded("lpad"),
  rpad: padded("rpad"),
  every: ["(x) AS bool_and(x)"],
  to_date: ["(x, f) AS CAST(strptime(x, f) AS DATE)"],
  to_char: [`(x, f) AS ${filledParts}`],
  total: ["(x) AS coalesce(CAST(sum(x) AS DOUBLE), 0.0)"],
  char: ["(x) AS chr(x)", "(x, y) AS concat(chr(x), chr(y))"],
  likely: ["(x) AS x"],
  unlikely: ["(x) AS x"],
  sole_value: [
    "(x) AS CASE WHEN min(x) IS DISTINCT FROM max(x) OR count(x) NOT IN (0, count(*)) THEN error('a column outside GROUP BY has several values in one group; group by it too, or write max(column)') ELSE min(x) END",
  ],
  iif: ["(c, a, b) AS CASE WHEN c THEN a ELSE b END"],
  julianday: sqliteTime([], (value) => `julian(${value}) - 0.5`),
  unixepoch: sqliteTime([], (value) => `CAST(epoch(${value}) AS BIGINT)`),
  datetime: sqliteTime([], (value) => own("strftime", value, "'%Y-%m-%d %H:%M:%S'")),
  time: sqliteTime([], (value) => own("strftime", value, "'%H:%M:%S'")),
  date_diff: [`(u, a, b) AS own."date_diff"(u, CAST(a AS TIMESTAMP), CAST(b AS TIMESTAMP))`],
  age: [
    `(a) AS own."age"(CAST(a AS TIMESTAMP))`,
    `(a, b) AS own."age"(CAST(a AS TIMESTAMP), CAST(b AS TIMESTAMP))`,
  ],
  strftime: [`(x, f) AS own."strftime"(CAST(x AS TIMESTAMP), f)`],
  lower: [ofText("lower")],
  upper: [ofText("upper")],
  left: [ofText("left", ", n")],
  right: [ofText("right", ", n")],
  octet_length: [`(x) AS strlen(CAST(x AS VARCHAR))`],
  substr: [ofText("substr", ", a"), ofText("substr", ", a, b")],
};

function padded(name: string): string[] {
  const size = bounded("n", "n");
  return [`(x, n, c) AS ${own(name, "x", size, "c")}`, `(x, n) AS ${own(name, "x", size, "' '")}`];
}

const matching = (flags: string): string[] => [`(x, p) AS regexp_matches(x, p, '${flags}')`];
const postgresSlice = [
  `(x, a) AS own."substr"(CAST(x AS VARCHAR), CASE WHEN a < 1 THEN 1 ELSE a END)`,
  `(x, a, n) AS CASE WHEN n < 0 THEN error('negative substring length not allowed') ELSE ${characters("a - 1", "a - 1 + n")} END`,
];
const similar = `own."regexp_full_match"(x, replace(replace(p, '%', '.*'), '_', '.'), 's')`;
const wholeNumber = (type: string): string[] => [
  `(x) AS CASE WHEN own."typeof"(x) = 'VARCHAR' AND NOT own."regexp_full_match"(CAST(x AS VARCHAR), '\\s*[+-]?\\d+\\s*') THEN error('invalid input syntax for an integer') ELSE CAST(x AS ${type}) END`,
];

const powers = (body: string): Macros =>
  Object.fromEntries(["power", "pow"].map((name) => [name, [`(x, y) AS ${body}`]]));
const isComplexPower = `x < 0 AND y <> own."floor"(y)`;
const power = own("pow", "x", "y");

/** PostgreSQL writes `mons`, and a plus sign after a negative part: `-1 mons +2 days`. */
const intervalText = [
  ["month", "mon"],
  ["(-1 (?:year|mon|day))( |$)", "\\1s\\2"],
  ["(-\\d+ \\w+) (\\d)", "\\1 +\\2"],
].reduce(
  (text, [from = "", to = ""]) => `regexp_replace(${text}, '${from}', '${to}', 'g')`,
  "CAST(x AS VARCHAR)",
);

const postgresql: Macros = {
  ...powers(
    `CASE WHEN x = 0 AND y < 0 THEN error('zero raised to a negative power is undefined') WHEN ${isComplexPower} THEN error('a negative number raised to a non-integer power yields a complex result') WHEN isinf(${power}) AND NOT isinf(CAST(x AS DOUBLE)) AND NOT isinf(CAST(y AS DOUBLE)) THEN error('value out of range: overflow') WHEN ${power} = 0 AND x <> 0 AND NOT isinf(CAST(y AS DOUBLE)) THEN error('value out of range: underflow') ELSE ${power} END`,
  ),
  // DuckDB would convert ß to the capital ẞ.
  upper: [
    `(x) AS ${own("replace", own("upper", own("replace", "CAST(x AS VARCHAR)", "'ß'", "chr(57344)")), "chr(57344)", "'ß'")}`,
  ],
  // PostgreSQL divides floats exactly and truncates whole-number division toward zero.
  "/": [`(a, b) AS CASE WHEN b = 0 THEN error('division by zero') ELSE own."//"(a, b) END`],
  "%": [
    `(a, b) AS CASE WHEN 'DOUBLE' IN (own."typeof"(a), own."typeof"(b)) THEN error('operator does not exist: double precision % double precision; write mod(a::numeric, b::numeric)') ELSE CASE WHEN b = 0 THEN error('division by zero') ELSE own."%"(a, b) END END`,
  ],
  mod: [`(a, b) AS CASE WHEN b = 0 THEN error('division by zero') ELSE own."%"(a, b) END`],
  "~~": [`(x, p) AS like_escape(x, p, '\\')`],
  "!~~": [`(x, p) AS NOT like_escape(x, p, '\\')`],
  "~~*": [`(x, p) AS ilike_escape(x, p, '\\')`],
  "!~~*": [`(x, p) AS NOT ilike_escape(x, p, '\\')`],
  // DuckDB's parser calls this for `~`.
  regexp_full_match: matching("s"),
  // SIMILAR TO
  "~~~": [`(x, p) AS ${similar}`],
  "!~~~": [`(x, p) AS NOT ${similar}`],
  "~*": matching("si"),
  "!~*": [`(x, p) AS NOT regexp_matches(x, p, 'si')`],
  substr: postgresSlice,
  substring: postgresSlice,
  round: [
    `(x) AS CASE WHEN own."typeof"(x) = 'DOUBLE' THEN round_even(x, 0) ELSE own."round"(x) END`,
    // Rounds every type like a numeric, keeping all digits.
    `(x, n) AS own."round"(CAST(x AS DECIMAL(32, 12)), n)`,
  ],
  round_numeric: [`(x) AS own."round"(x)`],
  split_part: [
    `(x, d, n) AS CASE WHEN n = 0 THEN error('field position must not be zero') WHEN n IS NOT NULL THEN own."split_part"(x, d, n) END`,
  ],
  exp: [
    `(x) AS CASE WHEN x > 709.78 THEN error('value out of range: overflow') WHEN x < -745 THEN error('value out of range: underflow') ELSE own."exp"(x) END`,
  ],
  cast_smallint: wholeNumber("SMALLINT"),
  cast_integer: wholeNumber("INTEGER"),
  cast_bigint: wholeNumber("BIGINT"),
  cast_numeric: [`(x) AS CAST(x AS DOUBLE)`],
  shown_digits: [
    `(x) AS CASE WHEN own."typeof"(x) = 'DOUBLE' THEN own."printf"('%.15g', x) ELSE CAST(x AS VARCHAR) END`,
  ],
  cast_json: ["(x) AS CAST(x AS JSON)"],
  cast_text: [
    `(x) AS CASE WHEN own."typeof"(x) = 'DOUBLE' THEN regexp_replace(CAST(x AS VARCHAR), '\\.0$', '') WHEN own."typeof"(x) = 'INTERVAL' THEN ${intervalText} WHEN ends_with(own."typeof"(x), ']') THEN error('the text of an array is not supported here; write array_to_string(x, '', '')') ELSE CAST(x AS VARCHAR) END`,
  ],
};

const leading = (pattern: string, type: string): string =>
  `CASE WHEN x IS NOT NULL THEN coalesce(TRY_CAST(regexp_extract(CAST(x AS VARCHAR), '^\\s*(${pattern})', 1) AS ${type}), 0) END`;
const realPattern = "[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?";
const sqliteFrom = `CASE WHEN a < 0 THEN own."length"(cast_text(x)) + a WHEN a > 0 THEN a - 1 WHEN a IS NULL THEN NULL WHEN n > 0 THEN -1 ELSE 0 END`;
const sqliteSlice: readonly string[] = [
  `(x, a, n) AS ${characters(`${sqliteFrom} + least(n, 0)`, `${sqliteFrom} + CASE WHEN n < 0 THEN 0 ELSE n END`)}`,
  `(x, a) AS own."substr"(cast_text(x), CASE WHEN a < 0 THEN greatest(own."length"(cast_text(x)) + a, 0) + 1 WHEN a = 0 THEN 1 ELSE a END)`,
];
const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const asciiCase = (from: string, to: string): string[] => [
  `(x) AS translate(cast_text(x), '${from}', '${to}')`,
];
const like = 'own."~~"(lower(x), lower(p))';
const likeEscape = 'own."like_escape"(lower(x), lower(p), e)';
const noNulls = (name: string): string[] =>
  [2, 3, 4].map((count) => {
    const names = [..."abcdef"].slice(0, count);
    const isNull = names.map((each) => `${each} IS NULL`).join(" OR ");
    return `(${names.join(", ")}) AS CASE WHEN ${isNull} THEN NULL ELSE ${own(name, ...names)} END`;
  });

const isReal = `regexp_matches(own."typeof"(x), '^(?:DOUBLE|DECIMAL)')`;
/** SQLite prints negative zero without a sign. Adding 0 removes it. */
const unsignedZero = "(TRY_CAST(CAST(x AS VARCHAR) AS DOUBLE) + 0.0)";
/**
 * Moves x away from zero if it lies exactly between two decimals of n digits, because SQLite rounds such a number away
 * from zero, and C to the even digit. Both round any other number by its binary value.
 */
const untied = (x: string, n: string): string =>
  `(${x} + CASE WHEN own."%"(abs(${x}) * own."pow"(2, ${n} + 1), 2) = 1 THEN sign(${x}) * own."pow"(10, - ${n}) / 4 ELSE 0 END)`;
const printedFixed = "%[-+ 0]*[0-9]*(?:\\.([0-9]+))?f";
const fixedDigits = `coalesce(TRY_CAST(regexp_extract(f, '${printedFixed}', 1) AS INTEGER), 6)`;
const printable = `CASE WHEN regexp_matches(f, '${printedFixed}') THEN ${untied(unsignedZero, fixedDigits)} WHEN ${unsignedZero} * 1048576 = trunc(${unsignedZero} * 1048576) THEN ${unsignedZero} * 1.0000000000000004 ELSE ${unsignedZero} END`;

const sqlite: Macros = {
  // Infinity times 0 is NULL in SQLite, but NaN in DuckDB, which sorts above all numbers.
  ...powers(
    `CASE WHEN ${isComplexPower} THEN NULL WHEN isinf(${power}) THEN error('a power that is infinite is not supported here') ELSE ${power} END`,
  ),
  exp: [
    `(x) AS CASE WHEN x > 709.78 THEN error('an exponential that is infinite is not supported here') ELSE own."exp"(x) END`,
  ],
  "/": [`(a, b) AS own."//"(a, nullif(b, 0))`],
  "%": [
    `(a, b) AS CASE WHEN own."greatest"(abs(a), abs(b)) >= 9223372036854775807 THEN error('the remainder of a number of 19 digits or more is not supported here') ELSE own."%"(trunc(a), nullif(trunc(b), 0)) END`,
  ],
  mod: [
    `(a, b) AS CASE WHEN isfinite(CAST(a AS DOUBLE)) THEN own."%"(CAST(a AS DOUBLE), nullif(CAST(b AS DOUBLE), 0)) END`,
  ],
  "||": [`(a, b) AS own."||"(cast_text(a), cast_text(b))`],
  "~~": [`(x, p) AS ${like}`],
  "!~~": [`(x, p) AS NOT ${like}`],
  like_escape: [`(x, p, e) AS ${likeEscape}`],
  not_like_escape: [`(x, p, e) AS NOT ${likeEscape}`],
  lower: asciiCase(capitals, capitals.toLowerCase()),
  upper: asciiCase(capitals.toLowerCase(), capitals),
  replace: [
    `(x, a, b) AS CASE WHEN cast_text(a) = '' THEN cast_text(x) ELSE ${own("replace", "cast_text(x)", "cast_text(a)", "cast_text(b)")} END`,
  ],
  substr: sqliteSlice,
  substring: sqliteSlice,
  sqlite_date: sqliteTime([], (value) => own("strftime", value, "'%Y-%m-%d'")),
  strftime: sqliteTime(["f"], (value) => own("strftime", value, "f")),
  // `strftime` with %s, which DuckDB lacks
  strftime_seconds: sqliteTime(
    ["f"],
    (value) => `CAST(CAST(epoch(${value}) AS BIGINT) AS VARCHAR)`,
  ),
  greatest: noNulls("greatest"),
  least: noNulls("least"),
  sqrt: [`(x) AS CASE WHEN x >= 0 THEN own."sqrt"(x) END`],
  ln: [`(x) AS CASE WHEN x > 0 THEN own."ln"(x) END`],
  log: [`(x) AS CASE WHEN x > 0 THEN own."log10"(x) END`],
  round: [
    `(x) AS own."round"(CAST(x AS DOUBLE))`,
    `(x, n) AS CASE WHEN n IS NOT NULL THEN CAST(own."printf"(own."concat"('%.', CAST(own."greatest"(n, 0) AS INTEGER), 'f'), ${untied("CAST(x AS DOUBLE)", 'own."greatest"(n, 0)')}) AS DOUBLE) END`,
  ],
  typeof: [
    `(x) AS CASE WHEN x IS NULL THEN 'null' WHEN regexp_matches(own."typeof"(x), '^(?:VARCHAR|DATE|TIME)') THEN 'text' WHEN ${isReal} THEN 'real' ELSE 'integer' END`,
  ],
  hex: [`(x) AS coalesce(own."hex"(cast_text(x)), '')`],
  unicode: [`(x) AS own."unicode"(nullif(x, ''))`],
  printf: [
    "(f) AS f",
    `(f, x) AS CASE WHEN x IS NULL THEN error('printf of a null is not supported here; write coalesce(x, 0)') WHEN abs(${unsignedZero}) >= 1e15 AND regexp_matches(f, '%[-+ 0]*[0-9.]*f') THEN error('printf of a number of 16 digits or more is not supported here; write %e, or cast(x as text)') WHEN ${isReal} OR regexp_matches(f, '%[-+ 0]*[0-9.]*[eEfgG]') THEN own."printf"(f, ${printable}) ELSE own."printf"(f, x) END`,
  ],
  cast_integer: [
    `(x) AS CASE own."typeof"(x) WHEN 'DOUBLE' THEN CAST(trunc(TRY_CAST(CAST(x AS VARCHAR) AS DOUBLE)) AS BIGINT) WHEN 'BOOLEAN' THEN CAST(CAST(x AS VARCHAR) = 'true' AS INTEGER) ELSE ${leading("[+-]?\\d+", "BIGINT")} END`,
  ],
  cast_real: [`(x) AS ${leading(realPattern, "DOUBLE")}`],
  // DuckDB rejects this for text, because it cannot know beforehand whether the result is an
  // integer.
  cast_numeric: ["(x) AS x + 0"],
  cast_text: [
    `(x) AS CASE WHEN own."typeof"(x) = 'DOUBLE' THEN regexp_replace(regexp_replace(own."printf"('%.15g', ${unsignedZero}), '^(-?\\d+)(e|$)', '\\1.0\\2'), '^(-?)inf', '\\1Inf') WHEN own."typeof"(x) = 'BOOLEAN' THEN CASE CAST(x AS VARCHAR) WHEN 'true' THEN '1' WHEN 'false' THEN '0' END ELSE CAST(x AS VARCHAR) END`,
  ],
};

const macrosOf: Readonly<Record<SqlSpelling, Macros>> = {
  postgresql: { ...everywhere, ...postgresql },
  sqlite: { ...everywhere, ...sqlite },
  duckdb: everywhere,
};

/** Used only if DuckDB rejects a statement without them: times stored as text, and lengths of other types. */
const lenient: Macros = {
  date_trunc: [`(u, x) AS own."date_trunc"(u, CAST(x AS TIMESTAMP))`],
  date_part: [`(u, x) AS own."date_part"(u, CAST(x AS TIMESTAMP))`],
  length: [ofText("length")],
};

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
  const own = macrosOf[dialect];
  const macros = [own, { ...own, ...lenient }].map((table) => macrosIn(text, table));
  const isPostgresText = dialect === "postgresql";
  return { macros, nullOrder: nullOrders[dialect], isPostgresText };
}

/** Returns the macros that the text calls, in dependency order. */
function macrosIn(text: string, table: Macros): string[] {
  const found = new Set<string>();
  const create: string[] = [];
  const collect = (within: string): void => {
    for (const [name, forms] of Object.entries(table)) {
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
