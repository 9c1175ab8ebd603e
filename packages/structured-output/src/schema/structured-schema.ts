import type { JsonSchema } from "../json-schema/json-schema.ts";

/** An issue as reported by Standard Schema. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The result of a Standard Schema check. */
type StandardOutcome<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * The part of Standard Schema (version 1) used here. zod schemas have it since 3.24. `jsonSchema` is the Standard JSON
 * Schema extension, which zod has since 4.2. Without it, a value can be checked, but the schema cannot be sent to a
 * model.
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

/** A zod schema, another Standard Schema, or a JSON Schema (where `T` is asserted by the caller). */
export type StructuredSchema<T> = StandardSchema<T> | JsonSchema;

/** True for a library's schema, false for a JSON Schema. */
export function isStandardSchema<T>(schema: StructuredSchema<T>): schema is StandardSchema<T> {
  return "~standard" in schema;
}
