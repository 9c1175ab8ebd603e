/** Options that every error class of the project accepts. */
export interface CclErrorOptions {
  /** Structured facts for programs: sizes, limits, names. Never a secret or a payload. */
  details?: unknown;
  cause?: unknown;
}

const brandOf = (name: string): symbol => Symbol.for(`ccl.error.${name}`);

/**
 * Base class of all errors that CCL throws. Branded through `Symbol.for`, so that `isInstance`
 * recognises errors of other copies of the package, unlike `instanceof`.
 */
export class CclError<Code extends string = string> extends Error {
  /** A stable code from the closed list of the throwing package. */
  readonly code: Code;
  readonly details?: unknown;

  /** The key of the brand. Subclasses override it with their class name. */
  static readonly brand: string = "CclError";

  constructor(code: Code, message: string, options: CclErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.details !== undefined) this.details = options.details;
    for (let type: unknown = new.target; isBranded(type); type = Object.getPrototypeOf(type)) {
      Object.defineProperty(this, brandOf(type.brand), { value: true });
    }
    this.name = new.target.brand;
  }

  /** True for an error of this class or a subclass, from this or any other copy of the package. */
  static isInstance<This extends { readonly brand: string; prototype: unknown }>(
    this: This,
    value: unknown,
  ): value is This["prototype"] {
    return typeof value === "object" && value !== null && brandOf(this.brand) in value;
  }
}

function isBranded(type: unknown): type is { brand: string } {
  return typeof type === "function" && "brand" in type && typeof type.brand === "string";
}
