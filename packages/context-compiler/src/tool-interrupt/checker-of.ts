import {
  createJsonSchemaChecker,
  type JsonSchemaChecker,
} from "@ccl/structured-output/json-schema";
import { ContextCompilerError } from "../context-compiler-error.ts";

/**
 * Creates a checker for a tool's results or arguments.
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
