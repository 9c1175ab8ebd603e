import { success, type Result } from "@ccl/core";
import {
  createJsonSchemaChecker,
  type JsonSchemaChecker,
} from "@ccl/structured-output/json-schema";
import { ContextCompilerError } from "../context-compiler-error.ts";

/** The schemas that tool results must match. */
export interface SchemaRegistry {
  /**
   * Registers a JSON Schema of draft 2020-12, or of draft-07 if `$schema` says so. Replaces the tool's earlier one.
   * @throws ContextCompilerError `invalid_schema`
   */
  register(tool: string, schema: object): void;
  has(tool: string): boolean;
  /** The value, or all violations at once (`schema_mismatch`). Passes if the tool has no schema. */
  validate<T>(tool: string, data: unknown): Result<T>;
}

const maxIssues = 20;

/** An empty registry. */
export function createSchemaRegistry(): SchemaRegistry {
  const checkers = new Map<string, JsonSchemaChecker<unknown>>();
  return {
    register: (tool, schema) => void checkers.set(tool, checkerOf(tool, schema)),
    has: (tool) => checkers.has(tool),
    validate<T>(tool: string, data: unknown): Result<T> {
      const result = checkers.get(tool)?.(data);
      if (result === undefined || result.ok) return success<T>(trusted<T>(data));
      const issues = result.issues.slice(0, maxIssues);
      return { ok: false, issues: issues.map((issue) => ({ ...issue, code: "schema_mismatch" })) };
    },
  };
}

/** Without a schema, the caller's type is trusted. */
function trusted<T>(data: unknown): T {
  const passes = (_value: unknown): _value is T => true;
  if (passes(data)) return data;
  throw new TypeError("unreachable");
}

/**
 * A checker for a tool's results or arguments.
 * @throws ContextCompilerError `invalid_schema`
 */
export function checkerOf(tool: string, schema: object): JsonSchemaChecker<unknown> {
  try {
    return createJsonSchemaChecker({ ...schema });
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error);
    const detail = reason.replace(/^The JSON Schema does not compile: /, "");
    const message = `The JSON Schema of the tool ${JSON.stringify(tool)} does not compile: ${detail}`;
    throw new ContextCompilerError("invalid_schema", message, { cause: error });
  }
}
