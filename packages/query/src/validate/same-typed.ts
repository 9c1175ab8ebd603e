import { isSameType, typeName, type DataType } from "../plan/data-type.ts";
import type { TypedExpression } from "../plan/typed-plan.ts";
import { allKnown, type Scope } from "./check-context.ts";
import { commonType, converted } from "./convert-type.ts";

/** Converts the values to their common type. Returns undefined if they have none. */
export function sameTyped(values: readonly TypedExpression[]): TypedExpression[] | undefined {
  const firm = values.filter((value) => !isLooseLiteral(value));
  const [first, ...others] = firm.length > 0 ? firm : values;
  let type = first?.type;
  for (const value of others) type = type && commonType(type, value.type);
  if (type === undefined) return undefined;
  const target = type;
  return allKnown(values.map((value) => fitted(value, target)));
}

/** True for a null, or text that may be a time. It takes the other operand's type. */
function isLooseLiteral(value: TypedExpression): boolean {
  return value.op === "literal" && (value.value === null || value.type.kind === "text");
}

function fitted(value: TypedExpression, type: DataType): TypedExpression | undefined {
  const fit = converted(value, type);
  if (fit.op !== "cast") return fit;
  const wider = commonType(value.type, type);
  return wider !== undefined && isSameType(wider, type) ? fit : undefined;
}

/** Reports which types cannot be combined. */
export function mismatch(scope: Scope, what: string, parts: readonly TypedExpression[]): undefined {
  const names = parts.map((part) =>
    part.op === "column"
      ? `${JSON.stringify(part.name)} is ${typeName(part.type)}`
      : typeName(part.type),
  );
  const areTimes =
    parts.some(({ type }) => type.kind === "timestamptz") &&
    parts.some(({ type }) => type.kind === "timestamp" || type.kind === "date");
  const hint = areTimes ? " Use date(x, zone) or local(x, zone) on the timestamptz." : "";
  return scope.report("type_mismatch", `${what} must have one type: ${names.join(", ")}.${hint}`);
}

/** Returns the unit that all values share. Literals have no unit and match any. */
export function commonUnit(values: readonly TypedExpression[]): string | undefined {
  const [unit, ...others] = new Set(
    values.filter((value) => value.op !== "literal").map((value) => value.unit),
  );
  return others.length === 0 ? unit : undefined;
}
