const families: readonly [RegExp, string][] = [
  [/^(?:big|small|tiny|medium)?(?:int|serial)|^integer|^u?int\d*|^long$|^number\(\d+\)$/, "int"],
  [/^bool/, "bool"],
  [/^timestamp|^datetime|^timestamptz/, "ts"],
  [/^date/, "date"],
  [/^time|^interval/, "time"],
  [/^num|^dec|^float|^double|^real|^money/, "num"],
  [/^(?:var)?char|^text|^string|^str|^citext|^n(?:var)?char|^clob|^character/, "str"],
  [/^uuid/, "uuid"],
  [/^json/, "json"],
  [/^bytea|^blob|^binary|^varbinary/, "bytes"],
  [/^array|\[\]$/, "list"],
  [/^object|^struct|^map|^record/, "obj"],
  [/^enum/, "enum"],
];

/**
 * Shortens a type to a few letters: `timestamp with time zone` to `ts`, `numeric(12,2)` to `num`. Other types keep
 * their first 12 letters.
 */
export function shortType(type: string): string {
  const plain = type.slice(0, 100).toLowerCase().trim();
  if (plain.endsWith("[]")) return "list";
  const family = families.find(([pattern]) => pattern.test(plain));
  return family?.[1] ?? /^[a-z_]\w{0,11}/.exec(plain)?.[0] ?? "any";
}

/** True for date and time types. */
export function isTime(type: string | undefined): boolean {
  return type !== undefined && ["ts", "date"].includes(shortType(type));
}
