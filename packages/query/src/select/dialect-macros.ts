import type { SqlSpelling } from "./sql-functions.ts";

/** By the name of a function, an operator or a cast: its forms, the narrowest types of arguments first. */
type Macros = Readonly<Record<string, readonly string[]>>;

/** DuckDB's own function, where a macro has taken its name. */
const own = (name: string, ...parts: readonly string[]): string =>
  `system.main."${name}"(${parts.join(", ")})`;
const failing = (reason: string): string => `error('${reason}')`;
const time = (value: string): string => `CAST(${value} AS TIMESTAMP)`;
const texts = (value: string): string => `CAST(${value} AS VARCHAR)`;

/** DuckDB makes a text in one go, which nothing interrupts. */
const bounded = (characters: string, value: string): string =>
  `CASE WHEN ${characters} > 1000000 THEN CAST(error('a text of more than a million characters') AS INTEGER) ELSE CAST(${value} AS INTEGER) END`;

/** The characters of x from the 0-based place `from` up to `to`, where either may lie outside of it. */
const characters = (from: string, to: string): string => {
  const start = `greatest(${from}, 0)`;
  const cut = own("substr", texts("x"), `${start} + 1`, `greatest(${to} - ${start}, 0)`);
  return `CASE WHEN (${from}) + (${to}) IS NOT NULL THEN ${cut} END`;
};

/** A modifier of SQLite's date functions. */
const shifted = (value: string, modifier: string): string => {
  const isStart = `starts_with(${modifier}, 'start of ')`;
  const start = `CASE WHEN ${isStart} THEN ${own("substr", modifier, "10")} ELSE 'day' END`;
  const weekday = `(coalesce(TRY_CAST(${own("substr", modifier, "9")} AS INTEGER), 0) - dayofweek(${value}) + 7)`;
  // A month after January 31st is March 2nd or 3rd to SQLite, and the last of February to DuckDB.
  const month = own("date_trunc", "'month'", value);
  const added = `${month} + TRY_CAST(ltrim(${modifier}, '+') AS INTERVAL) + (${value} - ${month})`;
  return `CASE WHEN ${isStart} THEN ${own("date_trunc", start, value)} WHEN starts_with(${modifier}, 'weekday ') THEN ${value} + to_days(CAST(${own("%", weekday, "7")} AS INTEGER)) WHEN ${modifier} IN ('utc', 'localtime', 'auto') THEN ${value} ELSE ${added} END`;
};
const moment = (value: string): string =>
  `CASE WHEN ${texts(value)} = 'now' THEN CAST(now() AS TIMESTAMP) ELSE TRY_CAST(nullif(${texts(value)}, 'now') AS TIMESTAMP) END`;

/** A function of SQLite's over a moment and up to three modifiers, in DuckDB's words. */
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

/** Of values that are stored as something else: moments as texts, numbers where a text is wanted. */
const ofText = (name: string, more = ""): string =>
  `(x${more}) AS ${own(name, `${texts("x")}${more}`)}`;
const ofTime = (name: string): string[] => [
  `(u, x VARCHAR) AS ${own(name, "u", time("x"))}`,
  `(u, x) AS ${own(name, "u", "x")}`,
];

/** What DuckDB lacks, or does of fewer types. */
const everywhere: Macros = {
  btrim: ["(x) AS trim(x)", "(x, c) AS trim(x, c)"],
  initcap: [
    `(x) AS array_to_string(list_transform(regexp_extract_all(${own("lower", "x")}, '[\\p{L}\\p{N}]+|[^\\p{L}\\p{N}]+'), lambda w: ${own("concat", own("upper", "w[1]"), "w[2:]")}), '')`,
  ],
  regexp_like: ["(x, p) AS regexp_matches(x, p)"],
  regexp_count: ["(x, p) AS len(regexp_extract_all(x, p))"],
  regexp_substr: ["(x, p) AS nullif(regexp_extract(x, p), '')"],
  repeat: [`(x, n) AS ${own("repeat", "x", bounded(`n * ${own("length", "x")}`, "n"))}`],
  lpad: padded("lpad"),
  rpad: padded("rpad"),
  every: ["(x) AS bool_and(x)"],
  to_date: ["(x, f) AS CAST(strptime(x, f) AS DATE)"],
  to_char: [`(x, f) AS ${own("strftime", time("x"), "f")}`],
  total: ["(x) AS coalesce(CAST(sum(x) AS DOUBLE), 0.0)"],
  char: ["(x) AS chr(x)", "(x, y) AS concat(chr(x), chr(y))"],
  likely: ["(x) AS x"],
  unlikely: ["(x) AS x"],
  iif: ["(c, a, b) AS CASE WHEN c THEN a ELSE b END"],
  julianday: sqliteTime([], (value) => `julian(${value}) - 0.5`),
  unixepoch: sqliteTime([], (value) => `CAST(epoch(${value}) AS BIGINT)`),
  datetime: sqliteTime([], (value) => own("strftime", value, "'%Y-%m-%d %H:%M:%S'")),
  time: sqliteTime([], (value) => own("strftime", value, "'%H:%M:%S'")),
  date_trunc: ofTime("date_trunc"),
  date_part: ofTime("date_part"),
  date_diff: [
    `(u, a VARCHAR, b) AS ${own("date_diff", "u", time("a"), time("b"))}`,
    `(u, a, b VARCHAR) AS ${own("date_diff", "u", time("a"), time("b"))}`,
    `(u, a, b) AS ${own("date_diff", "u", "a", "b")}`,
  ],
  age: [`(a) AS ${own("age", time("a"))}`, `(a, b) AS ${own("age", time("a"), time("b"))}`],
  lower: [ofText("lower")],
  upper: [ofText("upper")],
  left: [ofText("left", ", n")],
  right: [ofText("right", ", n")],
  // Of lists, too.
  length: ["BIGINT", "DOUBLE"]
    .map((type) => `(x ${type}) AS ${own("length", texts("x"))}`)
    .concat(["(x VARCHAR)", "(x)"].map((form) => `${form} AS ${own("length", "x")}`)),
  octet_length: [`(x) AS strlen(${texts("x")})`],
  substr: [ofText("substr", ", a"), ofText("substr", ", a, b")],
};

function padded(name: string): string[] {
  const size = bounded("n", "n");
  return [`(x, n, c) AS ${own(name, "x", size, "c")}`, `(x, n) AS ${own(name, "x", size, "' '")}`];
}

const typeOf = (value: string): string => own("typeof", value);
const noZero = (write: (a: string, b: string) => string): string =>
  `CASE WHEN b = 0 THEN ${failing("division by zero")} ELSE ${write("a", "b")} END`;
const matching = (flags: string): string[] => [`(x, p) AS regexp_matches(x, p, '${flags}')`];
const postgresSlice = (name: string): Macros => ({
  [name]: [
    `(x, a) AS ${own("substr", texts("x"), "CASE WHEN a < 1 THEN 1 ELSE a END")}`,
    `(x, a, n) AS CASE WHEN n < 0 THEN ${failing("negative substring length not allowed")} ELSE ${characters("a - 1", "a - 1 + n")} END`,
  ],
});
const wholeNumber = (type: string): string[] => [
  `(x) AS CASE WHEN ${typeOf("x")} = 'VARCHAR' AND NOT ${own("regexp_full_match", texts("x"), "'\\s*[+-]?\\d+\\s*'")} THEN ${failing("invalid input syntax for an integer")} ELSE CAST(x AS ${type}) END`,
];

const postgresql: Macros = {
  "/": [
    `(a HUGEINT, b HUGEINT) AS ${noZero((a, b) => `${a} // ${b}`)}`,
    `(a INTERVAL, b) AS ${own("/", "a", "b")}`,
    `(a, b) AS ${noZero((a, b) => own("/", a, b))}`,
  ],
  "%": [
    `(a, b) AS CASE WHEN 'DOUBLE' IN (${typeOf("a")}, ${typeOf("b")}) THEN ${failing("operator does not exist: double precision % double precision; write mod(a::numeric, b::numeric)")} ELSE ${noZero((a, b) => own("%", a, b))} END`,
  ],
  mod: [`(a, b) AS ${noZero((a, b) => own("%", a, b))}`],
  "~~": [`(x, p) AS like_escape(x, p, '\\')`],
  "!~~": [`(x, p) AS NOT like_escape(x, p, '\\')`],
  "~~*": [`(x, p) AS ilike_escape(x, p, '\\')`],
  "!~~*": [`(x, p) AS NOT ilike_escape(x, p, '\\')`],
  // DuckDB's parser calls it for `~`.
  regexp_full_match: matching("s"),
  "~*": matching("si"),
  "!~*": [`(x, p) AS NOT regexp_matches(x, p, 'si')`],
  ...postgresSlice("substr"),
  ...postgresSlice("substring"),
  round: [
    `(x) AS CASE WHEN ${typeOf("x")} = 'DOUBLE' THEN round_even(x, 0) ELSE ${own("round", "x")} END`,
    `(x DOUBLE, n) AS CAST(${own("round", "CAST(x AS DECIMAL(36, 15))", "n")} AS DOUBLE)`,
    `(x DECIMAL, n) AS ${own("round", "x", "n")}`,
    `(x, n) AS ${own("round", "x", "n")}`,
  ],
  split_part: [
    `(x, d, n) AS CASE WHEN n = 0 THEN ${failing("field position must not be zero")} WHEN n IS NOT NULL THEN ${own("split_part", "x", "d", "n")} END`,
  ],
  overlay: [
    `(x, y, a) AS concat(${characters("0", "a - 1")}, y, ${own("substr", "x", `a + ${own("length", "y")}`)})`,
    `(x, y, a, n) AS concat(${characters("0", "a - 1")}, y, ${own("substr", "x", "a + n")})`,
  ],
  exp: [
    `(x) AS CASE WHEN x > 709.78 THEN ${failing("value out of range: overflow")} WHEN x < -745 THEN ${failing("value out of range: underflow")} ELSE ${own("exp", "x")} END`,
  ],
  cast_smallint: wholeNumber("SMALLINT"),
  cast_integer: wholeNumber("INTEGER"),
  cast_bigint: wholeNumber("BIGINT"),
  cast_numeric: [`(x) AS CAST(x AS DOUBLE)`],
  cast_text: [
    `(x) AS CASE WHEN ${typeOf("x")} = 'DOUBLE' THEN regexp_replace(${texts("x")}, '\\.0$', '') ELSE ${texts("x")} END`,
  ],
};

const leading = (pattern: string, type: string): string =>
  `CASE WHEN x IS NOT NULL THEN coalesce(TRY_CAST(regexp_extract(x, '^\\s*(${pattern})', 1) AS ${type}), 0) END`;
const realPattern = "[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?";
const sqliteFrom = `CASE WHEN a < 0 THEN ${own("length", "cast_text(x)")} + a WHEN a > 0 THEN a - 1 WHEN n > 0 THEN -1 WHEN a = 0 THEN 0 END`;
const sqliteSlice: readonly string[] = [
  `(x, a, n) AS ${characters(`${sqliteFrom} + least(n, 0)`, `${sqliteFrom} + CASE WHEN n < 0 THEN 0 ELSE n END`)}`,
  `(x, a) AS ${own("substr", "cast_text(x)", `CASE WHEN a < 0 THEN greatest(${own("length", "cast_text(x)")} + a, 0) + 1 WHEN a = 0 THEN 1 ELSE a END`)}`,
];
const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const asciiCase = (from: string, to: string): string[] => [
  `(x) AS translate(cast_text(x), '${from}', '${to}')`,
];
const folded = (call: (x: string, p: string) => string): string => call("lower(x)", "lower(p)");
const noNulls = (name: string): string[] =>
  [2, 3, 4, 5, 6].map((count) => {
    const names = [..."abcdef"].slice(0, count);
    const isNull = names.map((each) => `${each} IS NULL`).join(" OR ");
    return `(${names.join(", ")}) AS CASE WHEN ${isNull} THEN NULL ELSE ${own(name, ...names)} END`;
  });

const isReal = (value: string): string =>
  `(${typeOf(value)} = 'DOUBLE' OR starts_with(${typeOf(value)}, 'DECIMAL'))`;
const noFormat = failing(
  "printf of nulls and of several numbers with fractions is not taken here; write round(x, 2) and coalesce(x, 0)",
);
/** SQLite rounds the decimal digits that it shows, C the binary number. */
const roundedUp = (value: string): string =>
  `TRY_CAST(${texts(value)} AS DOUBLE) * 1.0000000000000004`;

const sqlite: Macros = {
  "/": [
    `(a HUGEINT, b HUGEINT) AS a // nullif(b, 0)`,
    `(a, b) AS ${own("/", "a", "nullif(b, 0)")}`,
  ],
  "%": [
    `(a BIGINT, b BIGINT) AS ${own("%", "a", "nullif(b, 0)")}`,
    `(a, b) AS CAST(${own("%", "CAST(trunc(a) AS BIGINT)", "nullif(CAST(trunc(b) AS BIGINT), 0)")} AS DOUBLE)`,
  ],
  mod: [
    `(a, b) AS CASE WHEN isfinite(CAST(a AS DOUBLE)) THEN ${own("%", "CAST(a AS DOUBLE)", "nullif(CAST(b AS DOUBLE), 0)")} END`,
  ],
  "||": [`(a, b) AS ${own("||", "cast_text(a)", "cast_text(b)")}`],
  "~~": [`(x, p) AS ${folded((x, p) => own("~~", x, p))}`],
  "!~~": [`(x, p) AS NOT ${folded((x, p) => own("~~", x, p))}`],
  like_escape: [`(x, p, e) AS ${own("like_escape", "lower(x)", "lower(p)", "e")}`],
  not_like_escape: [`(x, p, e) AS NOT ${own("like_escape", "lower(x)", "lower(p)", "e")}`],
  lower: asciiCase(capitals, capitals.toLowerCase()),
  upper: asciiCase(capitals.toLowerCase(), capitals),
  substr: sqliteSlice,
  substring: sqliteSlice,
  sqlite_date: sqliteTime([], (value) => own("strftime", value, "'%Y-%m-%d'")),
  strftime: sqliteTime(["f"], (value) => own("strftime", value, "f")),
  greatest: noNulls("greatest"),
  least: noNulls("least"),
  sqrt: [`(x) AS CASE WHEN x >= 0 THEN ${own("sqrt", "x")} END`],
  ln: [`(x) AS CASE WHEN x > 0 THEN ${own("ln", "x")} END`],
  log: [`(x) AS CASE WHEN x > 0 THEN ${own("log10", "x")} END`],
  round: [
    `(x) AS ${own("round", "CAST(x AS DOUBLE)")}`,
    `(x, n) AS ${own("round", "CAST(x AS DOUBLE)", "CAST(greatest(n, 0) AS INTEGER)")}`,
  ],
  typeof: [
    `(x) AS CASE WHEN x IS NULL THEN 'null' WHEN ${typeOf("x")} = 'VARCHAR' THEN 'text' WHEN ${isReal("x")} THEN 'real' ELSE 'integer' END`,
  ],
  hex: [`(x) AS coalesce(${own("hex", "cast_text(x)")}, '')`],
  unicode: [`(x) AS ${own("unicode", "nullif(x, '')")}`],
  printf: [
    "(f) AS f",
    `(f, x) AS CASE WHEN x IS NULL THEN ${noFormat} WHEN ${isReal("x")} OR regexp_matches(f, '%[-+ 0]*[0-9.]*[eEfgG]') THEN ${own("printf", "f", roundedUp("x"))} ELSE ${own("printf", "f", "x")} END`,
    ...["(f, x, y)", "(f, x, y, z)"].map((form) => {
      const values = form.slice(1, -1).split(", ");
      const isOther = values.slice(1).map((each) => `${each} IS NULL OR ${isReal(each)}`);
      return `${form} AS CASE WHEN ${isOther.join(" OR ")} THEN ${noFormat} ELSE ${own("printf", ...values)} END`;
    }),
  ],
  cast_integer: [
    `(x VARCHAR) AS ${leading("[+-]?\\d+", "BIGINT")}`,
    `(x BIGINT) AS x`,
    `(x) AS CAST(trunc(CAST(x AS DOUBLE)) AS BIGINT)`,
  ],
  cast_real: [`(x VARCHAR) AS ${leading(realPattern, "DOUBLE")}`, `(x) AS CAST(x AS DOUBLE)`],
  cast_numeric: [`(x VARCHAR) AS ${leading(realPattern, "DOUBLE")}`, `(x) AS x`],
  cast_text: [
    `(x) AS CASE WHEN ${typeOf("x")} = 'DOUBLE' THEN regexp_replace(regexp_replace(${own("printf", "'%.15g'", `TRY_CAST(${texts("x")} AS DOUBLE)`)}, '^(-?\\d+)(e|$)', '\\1.0\\2'), '^(-?)inf', '\\1Inf') WHEN ${typeOf("x")} = 'BOOLEAN' THEN CASE ${texts("x")} WHEN 'true' THEN '1' WHEN 'false' THEN '0' END ELSE ${texts("x")} END`,
  ],
};

const duckdb: Macros = {
  strftime: [
    `(x VARCHAR, f) AS ${own("strftime", time("x"), "f")}`,
    `(x, f) AS ${own("strftime", "x", "f")}`,
  ],
};

const macrosOf: Readonly<Record<SqlSpelling, Macros>> = {
  postgresql: { ...everywhere, ...postgresql },
  sqlite: { ...everywhere, ...sqlite },
  duckdb: { ...everywhere, ...duckdb },
};

/** Where nulls stand in an order that says nothing of them. */
const nullOrders: Readonly<Record<SqlSpelling, string>> = {
  postgresql: "NULLS_LAST_ON_ASC_FIRST_ON_DESC",
  sqlite: "NULLS_FIRST_ON_ASC_LAST_ON_DESC",
  duckdb: "NULLS_LAST",
};

/** Macros that DuckDB's parser calls for other words than their names. */
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

/** What gives the functions, operators and orders of a statement the meaning that they have in a dialect. */
export function dialectMeaning(
  dialect: SqlSpelling,
  text: string,
): { macros: string[]; nullOrder: string } {
  const known = Object.entries(macrosOf[dialect]);
  const found = new Set<string>();
  const create: string[] = [];
  const collect = (within: string): void => {
    for (const [name, forms] of known) {
      if (found.has(name) || !isNamed(words[name] ?? name, within)) continue;
      found.add(name);
      const body = forms.join(", ");
      collect(body);
      create.push(`CREATE OR REPLACE TEMP MACRO "${name}" ${body}`);
    }
  };
  collect(text);
  return { macros: create, nullOrder: nullOrders[dialect] };
}

function isNamed(name: string, text: string): boolean {
  if (!/^\w/.test(name)) return text.includes(name);
  return new RegExp(`(?<!main\\.")\\b(?:${name})\\b`, "i").test(text);
}
