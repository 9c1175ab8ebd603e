import { failure, success, type Issue, type Result } from "@ccl/core";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ContextCompilerError } from "../context-compiler-error.ts";

/** The shapes that answers of tools are held to. */
export interface SchemaRegistry {
  /**
   * JSON Schema of draft 2020-12, or of draft-07 where `$schema` says so; replaces an earlier one of the tool.
   * @throws ContextCompilerError `invalid_schema`
   */
  register(tool: string, schema: object): void;
  has(tool: string): boolean;
  /** The value, or every broken rule at once (`schema_mismatch`). A tool without a schema passes. */
  validate<T>(tool: string, data: unknown): Result<T>;
}

// Without ownProperties an absent property "constructor" would be the one of the prototype.
const options = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
} as const;
const maxIssues = 20;

/** An empty registry. */
export function createSchemaRegistry(): SchemaRegistry {
  const validators = new Map<string, ValidateFunction>();
  return {
    register: (tool, schema) => void validators.set(tool, compileSchema(tool, schema)),
    has: (tool) => validators.has(tool),
    validate<T>(tool: string, data: unknown): Result<T> {
      const validator = validators.get(tool);
      if (validator === undefined || fits<T>(validator, data)) return success<T>(trusted<T>(data));
      const [first, ...rest] = (validator.errors ?? []).slice(0, maxIssues).map(toIssue);
      return failure(
        first ?? { code: "schema_mismatch", path: [], message: "The value does not fit." },
        ...rest,
      );
    },
  };
}

function fits<T>(validator: ValidateFunction, data: unknown): data is T {
  return validator(data);
}

/** Where no schema says otherwise the caller's type stands. */
function trusted<T>(data: unknown): T {
  const passes = (_value: unknown): _value is T => true;
  if (passes(data)) return data;
  throw new TypeError("unreachable");
}

/** Compiles the schema of a tool's answers or arguments. */
export function compileSchema(tool: string, schema: object): ValidateFunction {
  const { $schema: dialect, ...unmarked }: Record<string, unknown> = { ...schema };
  const isOld = typeof dialect === "string" && /draft-0[67]/.test(dialect);
  try {
    // One instance a schema: ajv keeps whatever an instance has compiled.
    return (isOld ? new Ajv(options) : new Ajv2020(options)).compile(unmarked);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The JSON Schema of the tool ${JSON.stringify(tool)} does not compile: ${reason}.`;
    throw new ContextCompilerError("invalid_schema", message, { cause: error });
  }
}

/** One broken rule, with the place in the data. */
export function toIssue({ instancePath, keyword, message, params }: ErrorObject): Issue {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const missing: unknown = params["missingProperty"] ?? params["additionalProperty"];
  const place = typeof missing === "string" ? [...path, missing] : path;
  return {
    code: "schema_mismatch",
    path: place,
    message: `${keyword}: ${message ?? "does not fit"}`,
  };
}
