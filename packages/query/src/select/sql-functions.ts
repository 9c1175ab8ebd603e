/** The supported dialects. */
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
  "btrim every initcap regexp_like regexp_count regexp_substr regexp_match to_char to_date to_number json_agg jsonb_agg json_build_object jsonb_build_object json_build_array json_object_agg to_json to_jsonb";
const sqliteOnly =
  "datetime time julianday unixepoch total char likely unlikely timediff if glob json_group_array";
const duckDbOnly = [
  "datepart datediff date_diff datesub date_sub date_add list quantile quantile_cont quantile_disc median ends_with prefix",
  "suffix contains regexp_extract regexp_matches regexp_full_match range arg_max arg_min max_by min_by first last",
  "approx_count_distinct strptime year month day hour minute second quarter week weekday dayofweek isodow",
  "dayofyear dayname monthname last_day epoch epoch_ms string_split string_split_regex list_contains array_contains len product",
  "count_if countif lcase ucase levenshtein isnan even json_extract_string format if",
].join(" ");

/** Databases that have each function, by name. Only these functions may be called. None has side effects. */
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

/** Functions allowed in FROM, with their column names. A single column takes the name of the alias. */
export const tableFunctions: ReadonlyMap<string, readonly string[]> = new Map([
  ["generate_series", ["generate_series", "value"]],
  ["range", ["range"]],
  ["unnest", ["unnest"]],
  ["regexp_split_to_table", ["regexp_split_to_table"]],
]);

/** Placeholders for a padded month, a padded day and a quarter, which the `to_char` macro fills in. */
export const paddedParts = { month: "\uE000", day: "\uE001", quarter: "\uE002" };

/** Parts of PostgreSQL's formats. Names are case-sensitive, numeric parts are not. */
const momentParts: Readonly<Record<string, string>> = {
  YYYY: "%Y",
  HH24: "%H",
  HH12: "%I",
  HH: "%I",
  AM: "%p",
  PM: "%p",
  FMMonth: "%B",
  FMDay: "%A",
  Month: paddedParts.month,
  Day: paddedParts.day,
  Mon: "%b",
  Dy: "%a",
  DDD: "%j",
  MM: "%m",
  DD: "%d",
  MI: "%M",
  SS: "%S",
  IW: "%V",
  YY: "%y",
  Q: paddedParts.quarter,
};

const formatPieces = new RegExp(`"[^"]*"|${Object.keys(momentParts).join("|")}|[a-z]+|%`, "gi");
/** Parts whose case determines the case of the output. */
const named = /^(?:FM|Month|Mon|Day|Dy|AM|PM)/i;

/** Translates a constant `to_char` format for `strftime`. Returns undefined if it contains any other part. */
export function strftimeFormat(format: string): string | undefined {
  let isKnown = true;
  const text = format.replace(formatPieces, (piece) => {
    if (piece.startsWith('"')) return piece.slice(1, -1).replaceAll("%", "%%");
    if (piece === "%") return "%%";
    const part = momentParts[named.test(piece) ? piece : piece.toUpperCase()];
    if (part === undefined) isKnown = false;
    return part ?? "";
  });
  return isKnown ? text : undefined;
}
