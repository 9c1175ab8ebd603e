import type { SqlSpelling } from "./sql-functions.ts";

const all: readonly SqlSpelling[] = ["postgresql", "sqlite", "duckdb"];
const serverLike: readonly SqlSpelling[] = ["postgresql", "duckdb"];

/** Expressions that may be used, and which databases have them. */
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

/** Operators between two values. */
export const binaryOperators: ReadonlyMap<string, readonly SqlSpelling[]> = new Map([
  ...variants(
    "Plus Minus Multiply Divide Modulo StringConcat Gt Lt GtEq LtEq Eq NotEq And Or Arrow LongArrow BitwiseOr BitwiseAnd",
    all,
  ),
  ...variants("PGRegexMatch PGRegexIMatch PGRegexNotMatch PGRegexNotIMatch", ["postgresql"]),
  ...variants("DuckIntegerDivide", ["duckdb"]),
]);

/** Types of casts and of typed texts. */
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

/** Other variants within a statement: they hold parts, and mean nothing by themselves. */
export const plainVariants: ReadonlySet<string> = new Set(
  "DateTimeField Week Number SingleQuotedString EscapedStringLiteral Boolean Null Expr Unnamed List WindowSpec NamedWindow OrderBy Preceding Following Index Subscript Expressions Separator Distinct PrecisionAndScale Limit NullTreatment".split(
    " ",
  ),
);

function variants(
  names: string,
  databases: readonly SqlSpelling[],
): (readonly [string, readonly SqlSpelling[]])[] {
  return names.split(" ").map((name) => [name, databases]);
}
