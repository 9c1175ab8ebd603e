import type { FunctionName } from "../plan/functions.ts";
import type { TypedExpression, TypedValue } from "../plan/typed-plan.ts";
import type { IssuePath, Scope } from "./check-context.ts";

/** A call with typed arguments. */
export interface CallInput {
  scope: Scope;
  path: IssuePath;
  name: FunctionName;
  parts: TypedExpression[];
}

/** Creates a typed call. */
export function callOf(
  name: FunctionName,
  parts: TypedExpression[],
  { type, unit }: TypedValue,
): TypedExpression {
  return { op: "call", function: name, arguments: parts, type, unit };
}

/** Returns the value of an integer literal, or undefined for anything else. */
export function literalInt(value: TypedExpression): number | undefined {
  return value.op === "literal" && value.type.kind === "int" && typeof value.value === "number"
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
export function refuse({ scope, path }: CallInput, message: string): undefined {
  return scope.report("argument_invalid", path, message);
}

/** Reports an argument of the wrong type. */
export function mistyped({ scope, path }: CallInput, message: string): undefined {
  return scope.report("type_mismatch", path, message);
}
