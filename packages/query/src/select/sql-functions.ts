/** The databases whose spelling is known. */
export type SqlSpelling = "postgresql" | "sqlite" | "duckdb";

const everywhere = [
  "count sum avg min max abs round coalesce nullif lower upper length replace substr substring trim ltrim rtrim",
  "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value",
  "sqrt power pow exp ln log log10 floor ceil ceiling mod sign sin cos tan asin acos atan atan2 pi radians degrees trunc",
  "concat concat_ws random string_agg octet_length current_date current_time current_timestamp date",
].join(" ");
const postgresAndDuckDb = [
  "date_trunc date_part extract age to_timestamp make_date make_timestamp now localtimestamp localtime",
  "array_agg bool_and bool_or stddev stddev_samp stddev_pop variance var_samp var_pop corr covar_pop covar_samp",
  "regr_slope regr_intercept regr_r2 mode percentile_cont percentile_disc any_value grouping",
  "greatest least split_part left right lpad rpad strpos position starts_with reverse repeat translate ascii chr md5",
  "regexp_replace regexp_split_to_array char_length character_length bit_length bit_and bit_or",
  "cardinality array_length array_to_string string_to_array array_position gcd lcm cbrt factorial overlay",
  "generate_series unnest regexp_split_to_table",
].join(" ");
const sqliteAndDuckDb =
  "strftime instr printf group_concat typeof unicode hex ifnull log2 iif json_extract json_array_length";
const postgresOnly =
  "btrim every initcap regexp_like regexp_count regexp_substr regexp_match to_char to_date to_number json_agg jsonb_agg json_build_object";
const sqliteOnly =
  "datetime time julianday unixepoch total char likely unlikely timediff if glob json_group_array";
const duckDbOnly = [
  "datepart datediff date_diff datesub date_sub date_add list quantile quantile_cont quantile_disc median ends_with prefix",
  "suffix contains regexp_extract regexp_matches regexp_full_match range arg_max arg_min max_by min_by first last",
  "approx_count_distinct strptime year month day hour minute second quarter week weekday dayofweek isodow",
  "dayofyear dayname monthname last_day epoch epoch_ms string_split string_split_regex list_contains array_contains len product",
  "count_if countif lcase ucase levenshtein isnan even json_extract_string format if",
].join(" ");

/** Which databases have a function, by its name. Only what is listed may be called; none of these reads or writes anything. */
export const sqlFunctions: ReadonlyMap<string, ReadonlySet<SqlSpelling>> = functionTable([
  [everywhere, ["postgresql", "sqlite", "duckdb"]],
  [postgresAndDuckDb, ["postgresql", "duckdb"]],
  [sqliteAndDuckDb, ["sqlite", "duckdb"]],
  [postgresOnly, ["postgresql"]],
  [sqliteOnly, ["sqlite"]],
  [duckDbOnly, ["duckdb"]],
]);

function functionTable(
  groups: readonly (readonly [names: string, databases: readonly SqlSpelling[]])[],
): ReadonlyMap<string, ReadonlySet<SqlSpelling>> {
  const table = new Map<string, Set<SqlSpelling>>();
  for (const [names, databases] of groups)
    for (const name of names.split(" "))
      table.set(name, new Set([...(table.get(name) ?? []), ...databases]));
  return table;
}

/** Functions that stand in FROM, with the names of their columns; one column has the alias's name instead. */
export const tableFunctions: ReadonlyMap<string, readonly string[]> = new Map([
  ["generate_series", ["generate_series", "value"]],
  ["range", ["range"]],
  ["unnest", ["unnest"]],
  ["regexp_split_to_table", ["regexp_split_to_table"]],
]);

const time = (value: string): string => `CAST(${value} AS TIMESTAMP)`;
const texts = (value: string): string => `CAST(${value} AS VARCHAR)`;
/** A modifier of SQLite's date functions. */
const shifted = (value: string, modifier: string): string => {
  const start = `CASE WHEN ${modifier} LIKE 'start of %' THEN substr(${modifier}, 10) ELSE 'day' END`;
  const weekday = `(coalesce(TRY_CAST(substr(${modifier}, 9) AS INTEGER), 0) - dayofweek(${value}) + 7) % 7`;
  // A month after January 31st is March 2nd or 3rd to SQLite, and the last of February to DuckDB.
  const month = `date_trunc('month', ${value})`;
  const added = `${month} + TRY_CAST(ltrim(${modifier}, '+') AS INTERVAL) + (${value} - ${month})`;
  return `CASE WHEN ${modifier} LIKE 'start of %' THEN date_trunc(${start}, ${value}) WHEN ${modifier} LIKE 'weekday %' THEN ${value} + to_days(CAST(${weekday} AS INTEGER)) WHEN ${modifier} IN ('utc', 'localtime', 'auto') THEN ${value} ELSE ${added} END`;
};
const moment = (value: string): string =>
  `CASE WHEN ${texts(value)} = 'now' THEN CAST(now() AS TIMESTAMP) ELSE TRY_CAST(nullif(${texts(value)}, 'now') AS TIMESTAMP) END`;

/** DuckDB makes a text in one go, which nothing interrupts. */
const bounded = (characters: string, value: string): string =>
  `CASE WHEN ${characters} > 1000000 THEN CAST(error('a text of more than a million characters') AS INTEGER) ELSE CAST(${value} AS INTEGER) END`;

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

/** Functions that DuckDB lacks, or has by another name. */
const missing: Readonly<Record<string, readonly string[]>> = {
  btrim: ["(x) AS trim(x)", "(x, c) AS trim(x, c)"],
  initcap: [
    "(x) AS array_to_string(list_transform(regexp_extract_all(lower(x), '[a-z0-9]+|[^a-z0-9]+'), lambda w: upper(w[1]) || w[2:]), '')",
  ],
  regexp_like: ["(x, p) AS regexp_matches(x, p)"],
  regexp_count: ["(x, p) AS len(regexp_extract_all(x, p))"],
  regexp_substr: ["(x, p) AS nullif(regexp_extract(x, p), '')"],
  repeat: [`(x, n) AS repeat(x, ${bounded("n * length(x)", "n")})`],
  lpad: [
    `(x, n, c) AS lpad(x, ${bounded("n", "n")}, c)`,
    `(x, n) AS lpad(x, ${bounded("n", "n")}, ' ')`,
  ],
  rpad: [
    `(x, n, c) AS rpad(x, ${bounded("n", "n")}, c)`,
    `(x, n) AS rpad(x, ${bounded("n", "n")}, ' ')`,
  ],
  every: ["(x) AS bool_and(x)"],
  to_date: ["(x, f) AS CAST(strptime(x, f) AS DATE)"],
  to_char: [`(x, f) AS strftime(${time("x")}, f)`],
  total: ["(x) AS coalesce(CAST(sum(x) AS DOUBLE), 0.0)"],
  char: ["(x) AS chr(x)"],
  likely: ["(x) AS x"],
  unlikely: ["(x) AS x"],
  iif: ["(c, a, b) AS CASE WHEN c THEN a ELSE b END"],
  julianday: sqliteTime([], (value) => `julian(${value})`),
  unixepoch: sqliteTime([], (value) => `CAST(epoch(${value}) AS BIGINT)`),
  datetime: sqliteTime([], (value) => `strftime(${value}, '%Y-%m-%d %H:%M:%S')`),
  time: sqliteTime([], (value) => `strftime(${value}, '%H:%M:%S')`),
};

/** Functions that SQLite means otherwise than DuckDB. */
const ofSqlite: Readonly<Record<string, readonly string[]>> = {
  date: sqliteTime([], (value) => `strftime(${value}, '%Y-%m-%d')`),
  strftime: sqliteTime(["f"], (value) => `strftime(${value}, f)`),
  max: [
    "(x) AS max(x)",
    "(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE greatest(a, b) END",
  ],
  min: [
    "(x) AS min(x)",
    "(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE least(a, b) END",
  ],
};

/** Functions over texts and moments, of values that are stored as something else: dates as text, numbers where text is wanted. */
const lenient: Readonly<Record<string, readonly string[]>> = {
  date_trunc: [`(u, x) AS date_trunc(u, ${time("x")})`],
  date_part: [`(u, x) AS date_part(u, ${time("x")})`],
  date_diff: [`(u, a, b) AS date_diff(u, ${time("a")}, ${time("b")})`],
  age: [`(a, b) AS age(${time("a")}, ${time("b")})`],
  substr: [`(x, a) AS substr(${texts("x")}, a)`, `(x, a, b) AS substr(${texts("x")}, a, b)`],
  lower: [`(x) AS lower(${texts("x")})`],
  upper: [`(x) AS upper(${texts("x")})`],
  left: [`(x, n) AS left(${texts("x")}, n)`],
  right: [`(x, n) AS right(${texts("x")}, n)`],
  length: [`(x) AS length(${texts("x")})`],
  strftime: sqliteTime(["f"], (value) => `strftime(${value}, f)`),
};

/** A macro of DuckDB for a function: the name that it goes by, and the statement that makes it. */
export interface SqlMacro {
  name: string;
  create: string;
}

/** How DuckDB says a function of another spelling; undefined where it has it. `isLenient`: of values of other types, too. */
export function duckDbMacro(
  name: string,
  spelling: SqlSpelling,
  isLenient: boolean,
): SqlMacro | undefined {
  const table = {
    ...(isLenient ? lenient : {}),
    ...missing,
    ...(spelling === "sqlite" ? ofSqlite : {}),
  };
  const forms = Object.hasOwn(table, name) ? table[name] : undefined;
  if (forms === undefined) return undefined;
  return { name: `ccl_${name}`, create: `CREATE TEMP MACRO ccl_${name} ${forms.join(", ")}` };
}

const momentParts: readonly (readonly [postgres: string, strftime: string])[] = [
  ["YYYY", "%Y"],
  ["HH24", "%H"],
  ["HH12", "%I"],
  ["Month", "%B"],
  ["Mon", "%b"],
  ["Day", "%A"],
  ["Dy", "%a"],
  ["MM", "%m"],
  ["DD", "%d"],
  ["MI", "%M"],
  ["SS", "%S"],
  ["IW", "%V"],
  ["YY", "%y"],
];

/** What a format of `to_char` is for `strftime`, which must have it as a constant. */
export function strftimeFormat(format: string): string {
  return momentParts.reduce((text, [from, to]) => text.replaceAll(from, to), format);
}
