const synonyms: Readonly<Record<string, string>> = {
  int: "integer",
  int4: "integer",
  int8: "bigint",
  int64: "bigint",
  long: "bigint",
  int2: "smallint",
  int16: "smallint",
  int32: "integer",
  float4: "real",
  float8: "double precision",
  double: "double precision",
  float64: "double precision",
  bool: "boolean",
  decimal: "numeric",
  num: "numeric",
  varchar: "character varying",
  char: "character",
  bpchar: "character",
  str: "text",
  string: "text",
  ts: "timestamp",
  "timestamp without time zone": "timestamp",
  timestamptz: "timestamp with time zone",
  "time without time zone": "time",
  timetz: "time with time zone",
  "date-time": "timestamp",
  datetime: "timestamp",
};

/** True if both name the same type, such as `int4` and `integer`. Sizes are compared only if both have one. */
export function isSameType(left: string, right: string): boolean {
  const [first, second] = [partsOf(left), partsOf(right)];
  if (first.base !== second.base || first.isList !== second.isList) return false;
  return first.size === "" || second.size === "" || first.size === second.size;
}

function partsOf(type: string): { base: string; size: string; isList: boolean } {
  const plain = type.slice(0, 500).trim().toLowerCase().replace(/\s+/g, " ");
  const isList = plain.endsWith("[]");
  const size = /\(([^()]*)\)/.exec(plain)?.[1]?.replaceAll(" ", "") ?? "";
  const bare = plain
    .replace(/\([^()]*\)/, "")
    .replace(/(?:\[\])+$/, "")
    .replace(/\s+/g, " ")
    .trim();
  return { base: Object.hasOwn(synonyms, bare) ? (synonyms[bare] ?? bare) : bare, size, isList };
}
