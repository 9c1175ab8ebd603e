import type { Result } from "@ccl/core";

/** A parsed JSON Schema: 2020-12, or draft-07 if `$schema` says so. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Checks a JSON value. Returns it, or up to 200 broken rules (`ERR_SCHEMA_VALIDATION`) sorted by path. Each message
 * begins with the rule's keyword. A value nested too deep to check does not fit.
 */
export type JsonSchemaChecker<T> = (value: unknown) => Result<T>;
