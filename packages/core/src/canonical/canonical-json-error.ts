import { CclError } from "../ccl-error.ts";

/**
 * Why a value has no canonical form. `unsupported_type`: a function, symbol, bigint, an undefined array element or an
 * object that is neither plain nor has `toJSON`; `non_finite_number`: NaN or an infinity; `lone_surrogate`: a string or
 * key that is not well-formed Unicode; `cycle`; `too_deep`: nested beyond 200,000 levels.
 */
export type CanonicalJsonErrorCode =
  | "unsupported_type"
  | "non_finite_number"
  | "lone_surrogate"
  | "cycle"
  | "too_deep";

/**
 * The error that `canonicalJson` throws. `details.path` leads from the root to the offending value.
 */
export class CanonicalJsonError extends CclError<CanonicalJsonErrorCode> {
  static override readonly brand: string = "CanonicalJsonError";
}
