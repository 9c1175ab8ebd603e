import { success, type Result } from "@ccl/core";
import {
  createJsonSchemaChecker,
  type JsonSchemaChecker,
} from "@ccl/structured-output/json-schema";
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

/** Where no schema says otherwise the caller's type stands. */
function trusted<T>(data: unknown): T {
  const passes = (_value: unknown): _value is T => true;
  if (passes(data)) return data;
  throw new TypeError("unreachable");
}

/**
 * The check of a tool's answers or arguments.
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
