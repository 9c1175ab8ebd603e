import type { SqlSpelling } from "./sql-functions.ts";

const all: readonly SqlSpelling[] = ["postgresql", "sqlite", "duckdb"];
const serverLike: readonly SqlSpelling[] = ["postgresql", "duckdb"];

/** Allowed expressions and the databases that support them. */
export const expressionVariants: ReadonlyMap<string, readonly SqlSpelling[]> = new Map([
  ...variants(
    "Identifier CompoundIdentifier Value BinaryOp UnaryOp Nested IsNull IsNotNull IsDistinctFrom IsNotDistinctFrom InList InSubquery Between Like Case Function Subquery Exists Tuple IsTrue IsFalse IsNotTrue IsNotFalse Substring Cast Ceil Floor",
    all,
  ),
  ...variants(
    "ILike SimilarTo AnyOp AllOp Extract Position Trim Overlay Array TypedString AtTimeZone Interval Rollup Cube GroupingSets CompoundFieldAccess IsUnknown IsNotUnknown",
    serverLike,
  ),
]);

/** Allowed binary operators. */
export const binaryOperators: ReadonlyMap<string, readonly SqlSpelling[]> = new Map([
  ...variants(
    "Plus Minus Multiply Divide Modulo StringConcat Gt Lt GtEq LtEq Eq NotEq And Or Arrow LongArrow BitwiseOr BitwiseAnd",
    all,
  ),
  ...variants("PGRegexMatch PGRegexIMatch PGRegexNotMatch PGRegexNotIMatch", ["postgresql"]),
  ...variants("DuckIntegerDivide", ["duckdb"]),
  ...variants("PGExp", ["postgresql", "duckdb"]),
]);

/** Allowed types of casts and typed literals. */
export const typeVariants: ReadonlyMap<string, readonly SqlSpelling[]> = new Map([
  ...variants("Integer Int Real Text Numeric Decimal", all),
  ...variants(
    "Boolean Bool TinyInt SmallInt Int2 Int4 Int8 BigInt Float Float4 Float8 Double DoublePrecision Dec Varchar CharacterVarying Char Character Date Time Timestamp TimestampNtz Interval Uuid JSON JSONB Array",
    serverLike,
  ),
  ...variants("Int64 HugeInt UBigInt UnsignedInteger Int16 Int32 String Datetime Float64", [
    "duckdb",
  ]),
  ...variants("Blob", ["sqlite", "duckdb"]),
]);

/** Other allowed variants. They only contain parts and have no meaning of their own. */
export const plainVariants: ReadonlySet<string> = new Set(
  "DateTimeField Week Number SingleQuotedString EscapedStringLiteral Boolean Null Expr Unnamed List WindowSpec NamedWindow OrderBy Preceding Following Index Subscript Expressions Distinct PrecisionAndScale Limit NullTreatment".split(
    " ",
  ),
);

function variants(
  names: string,
  databases: readonly SqlSpelling[],
): (readonly [string, readonly SqlSpelling[]])[] {
  return names.split(" ").map((name) => [name, databases]);
}

/** What to write instead of other databases' functions. */
export const foreignFunctions: ReadonlyMap<string, string> = new Map([
  ["convert", "cast(x as type)"],
  ["rand", "random()"],
  ["substring_index", "split_part(text, ',', 1)"],
  ["timestampdiff", "date_diff('day', a, b)"],
  ["str_to_date", "cast(text as date) or strptime(text, '%d.%m.%Y')"],
  ["unix_timestamp", "extract(epoch from x)"],
  ["locate", "strpos(text, part) or instr(text, part)"],
  ["truncate", "trunc(x)"],
  ["json_unquote", "x ->> '$.key'"],
  ["regexp", "regexp_matches(text, 'pattern')"],
  ["date_format", "to_char(x, 'YYYY-MM') or strftime('%Y-%m', x)"],
  ["curdate", "current_date"],
  ["getdate", "now()"],
  ["isnull", "coalesce(a, b) or x IS NULL"],
  ["nvl", "coalesce(a, b)"],
  ["charindex", "strpos(text, part) or instr(text, part)"],
  ["datename", "to_char(x, 'Month') or strftime('%m', x)"],
]);

/** Refused operators by their name in the tree: the sign, and what to write. */
export const refusedOperators: ReadonlyMap<string, readonly [string, string]> = new Map([
  ["BitwiseXor", ["^", "power(a, b)"]],
  ["PGOverlap", ["&&", "AND"]],
  ["Spaceship", ["<=>", "IS NOT DISTINCT FROM"]],
  ["Xor", ["XOR", "a <> b"]],
  ["PGBitwiseShiftLeft", ["<<", "x * 2"]],
  ["PGBitwiseShiftRight", [">>", "floor(x / 2)"]],
]);
