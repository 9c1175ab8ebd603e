import type { JsonSchema } from "../json-schema/json-schema.ts";

/** One issue, as Standard Schema reports it. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The result of a Standard Schema check. */
type StandardOutcome<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * The part of Standard Schema (version 1) that is used. zod schemas have it from 3.24 on. `jsonSchema` is the Standard
 * JSON Schema extension, which zod has since 4.2. Without it a value can be checked, but a model cannot be given the
 * schema.
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

/** A zod schema, another Standard Schema, or a JSON Schema (`T` is then the caller's claim). */
export type StructuredSchema<T> = StandardSchema<T> | JsonSchema;

/** True for a schema of a library, false for a JSON Schema. */
export function isStandardSchema<T>(schema: StructuredSchema<T>): schema is StandardSchema<T> {
  return "~standard" in schema;
}
