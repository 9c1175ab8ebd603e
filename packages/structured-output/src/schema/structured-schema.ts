import type { JsonSchema } from "../json-schema/json-schema.ts";

/** One thing wrong, as Standard Schema reports it. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a Standard Schema says of a value. */
type StandardOutcome<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * The part of Standard Schema (version 1) that is used: schemas of zod have it from 3.24 on. `jsonSchema` is the Standard JSON
 * Schema extension, which zod has since 4.2; without it a value can be checked, but no model can be told the shape.
 */
export interface StandardSchema<T> {
  readonly "~standard": {
    readonly vendor: string;
    validate(value: unknown): StandardOutcome<T> | Promise<StandardOutcome<T>>;
    readonly jsonSchema?:
      | { input(options: { readonly target: "draft-2020-12" }): Record<string, unknown> }
      | undefined;
  };
}

/** A zod schema, another Standard Schema, or a JSON Schema (then `T` is the caller's claim). */
export type StructuredSchema<T> = StandardSchema<T> | JsonSchema;

/** True for a schema of a library, false for JSON Schema. */
export function isStandardSchema<T>(schema: StructuredSchema<T>): schema is StandardSchema<T> {
  return "~standard" in schema;
}
