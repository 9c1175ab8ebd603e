import { CclError } from "@ccl/core";

/** Why a call to this package failed. */
export type StructuredOutputErrorCode =
  /** The schema is invalid JSON Schema, or one of its references has no target. */
  | "schema_invalid"
  /** The schema is asynchronous, or its library provides no JSON Schema. */
  | "schema_unsupported";

/** This package's errors. A model's bad answer is returned as a `Result` instead. */
export class StructuredOutputError extends CclError<StructuredOutputErrorCode> {
  static override readonly brand: string = "StructuredOutputError";
}
