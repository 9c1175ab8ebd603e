import { CclError } from "@ccl/core";

/** Why a call of this package failed. */
export type StructuredOutputErrorCode =
  /** The schema is not valid JSON Schema, or a reference in it leads nowhere. */
  | "schema_invalid"
  /** The schema is asynchronous, or its library gives no JSON Schema for it. */
  | "schema_unsupported";

/** What this package throws. A model's bad answer comes back as a `Result` instead. */
export class StructuredOutputError extends CclError<StructuredOutputErrorCode> {
  static override readonly brand: string = "StructuredOutputError";
}
