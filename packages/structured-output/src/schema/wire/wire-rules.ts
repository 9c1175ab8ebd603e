// The rules for strict structured outputs, as documented by OpenAI under "Structured outputs: supported schemas"
// (developers.openai.com/api/docs/guides/structured-outputs). Other providers' strict modes accept the same subset.

/** Types allowed in a strict schema. */
export const wireTypes: ReadonlySet<unknown> = new Set(
  "object array string number integer boolean null".split(" "),
);

/** All keywords in the subset. `default`, `oneOf`, `allOf`, `not` and `if` are rejected with status 400. */
export const wireKeywords: ReadonlySet<string> = new Set(
  (
    "type description title enum const anyOf $ref $defs properties required additionalProperties " +
    "items minItems maxItems multipleOf minimum maximum exclusiveMinimum exclusiveMaximum pattern " +
    "format"
  ).split(" "),
);

/** Enforced string formats. */
export const wireFormats: ReadonlySet<string> = new Set(
  "date-time time date duration email hostname ipv4 ipv6 uuid".split(" "),
);

/** Limits on a whole schema. */
export const wireLimits = {
  /** Nesting depth of objects and arrays, including the root. Definitions count from their own root. */
  depth: 10,
  properties: 5000,
  enumValues: 1000,
  /** Total characters of all property and definition names and all enum and const values. */
  nameCharacters: 120_000,
  /** A string enum with more values than this has its own character limit. */
  largeEnumValues: 250,
  largeEnumCharacters: 15_000,
} as const;

/** False for look-around and back references, which constrained decoding grammars cannot express. */
export function isPlainPattern(pattern: string): boolean {
  return !/\(\?(?!:)|\\[1-9]|\\[bBk]/.test(pattern);
}

/** True for safe integer bounds, which libraries add to every integer and which are useless to a model. */
export function isSafeIntegerBound(keyword: string, value: unknown): boolean {
  return (
    /^m(in|ax)imum$/.test(keyword) &&
    typeof value === "number" &&
    Math.abs(value) >= Number.MAX_SAFE_INTEGER
  );
}

/** Returns an enum's character count. */
export function enumCharacters(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, 0);
}

/** True if a single enum is within its own limits. */
export function isSmallEnum(values: readonly unknown[]): boolean {
  return (
    values.length <= wireLimits.largeEnumValues ||
    enumCharacters(values) <= wireLimits.largeEnumCharacters
  );
}
