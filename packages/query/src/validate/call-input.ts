import { typeName, type DataType } from "../plan/data-type.ts";
import type { FunctionName } from "../plan/functions.ts";
import type { TypedExpression, TypedValue } from "../plan/typed-plan.ts";
import type { Scope } from "./check-context.ts";

/** A call with typed arguments. */
export interface CallInput {
  scope: Scope;
  name: FunctionName;
  parts: TypedExpression[];
}

/** Creates a typed call. */
export function callOf(
  name: FunctionName,
  parts: TypedExpression[],
  type: DataType,
  unit?: TypedValue["unit"],
): TypedExpression {
  return { op: "call", function: name, arguments: parts, type, unit };
}

/** Returns the value of an integer literal, or undefined for anything else. */
export function literalInt(value: TypedExpression | undefined): number | undefined {
  return value?.op === "literal" && value.type.kind === "int" && typeof value.value === "number"
    ? value.value
    : undefined;
}

/** Returns the value of a text literal, or undefined for anything else. */
export function literalText(value: TypedExpression | undefined): string | undefined {
  return value?.op === "literal" && value.type.kind === "text" && typeof value.value === "string"
    ? value.value
    : undefined;
}

/** Reports an argument that the function does not accept. */
export function refuse({ scope }: Pick<CallInput, "scope">, message: string): undefined {
  return scope.report("argument_invalid", message);
}

/** Reports an argument of the wrong type. */
export function mistyped(
  { scope, name }: { scope: Scope; name: string },
  wanted: string,
  { type }: TypedValue,
  hint = "",
): undefined {
  return scope.report("type_mismatch", `${name} takes ${wanted}, not ${typeName(type)}.${hint}`);
}
