import type { Result } from "@ccl/core";

/** A JSON Schema as parsed: 2020-12, or draft-07 where `$schema` says so. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Checks a JSON value: the value, or up to 200 broken rules (`ERR_SCHEMA_VALIDATION`), sorted by path, each message
 * beginning with the rule's keyword. A value nested too deep to be checked does not fit.
 */
export type JsonSchemaChecker<T> = (value: unknown) => Result<T>;
