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
]);

/** Allowed types of casts and typed literals. */
export const typeVariants: ReadonlyMap<string, readonly SqlSpelling[]> = new Map([
  ...variants("Integer Int Real Text Numeric Decimal", all),
  ...variants(
    "Boolean Bool TinyInt SmallInt Int2 Int4 Int8 BigInt Float Float4 Float8 Double DoublePrecision Dec Varchar CharacterVarying Char Character Date Time Timestamp TimestampNtz Interval Uuid JSON JSONB Array",
    serverLike,
  ),
  // Types in lower case are those that the parser does not know.
  ...variants(
    "Int64 HugeInt UBigInt UnsignedInteger Int16 Int32 String Datetime Float64 hugeint varint ubigint uinteger uint8 uint16 uint32 uint64 uint128",
    ["duckdb"],
  ),
  ...variants("Blob", ["sqlite", "duckdb"]),
]);

/** Other allowed variants. They only contain parts and have no meaning of their own. */
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
