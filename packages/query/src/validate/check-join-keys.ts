import type { TypedExpression, TypedJoin, TypedStep } from "../plan/typed-plan.ts";
import { quotedName } from "../plan/nearest-name.ts";
import { type Report } from "./check-context.ts";
import { namesTable, tableOf } from "./visible-resources.ts";

/** A column as named in foreign keys. */
export interface KeyColumn {
  table: string;
  column: string;
  fk?: string | undefined;
}

/** The resource column from which a step's column is copied unchanged. */
interface Origin extends KeyColumn {
  isKey: boolean;
}

/** Warns about a join whose keys, according to the catalog, are neither a foreign key nor keys on both sides. */
export function checkJoinKeys(
  steps: ReadonlyMap<string, TypedStep | undefined>,
  join: TypedJoin,
  report: Report,
): void {
  const isKnown = join.on.some(({ left, right }) => {
    const first = originOf(steps, join.left, left);
    const second = originOf(steps, join.right, right);
    if (first === undefined || second === undefined) return false;
    return (first.isKey && second.isKey) || pointsAt(first, second) || pointsAt(second, first);
  });
  if (isKnown) return;
  const keys = join.on.map(({ left, right }) => `${keyName(left)} = ${keyName(right)}`).join(", ");
  const message = `The catalog knows no key for ${keys}; rows may repeat or be missing. Join on a foreign key, or make sure.`;
  report("join_not_on_keys", ["on"], message);
}

function keyName(expression: TypedExpression): string {
  if (expression.op === "cast") return keyName(expression.value);
  return expression.op === "column" ? quotedName(expression.name) : expression.op;
}

/** True if the first column's foreign key refers to the second. */
export function pointsAt(from: KeyColumn, to: KeyColumn): boolean {
  const { fk } = from;
  return fk !== undefined && fk.split(".").at(-1) === to.column && namesTable(fk, to.table);
}

/** Traces a column back to its scan. Returns undefined if it is computed. The only key of a group counts as a key. */
function originOf(
  steps: ReadonlyMap<string, TypedStep | undefined>,
  name: string,
  expression: TypedExpression,
): Origin | undefined {
  const step = steps.get(name);
  if (expression.op === "cast") return originOf(steps, name, expression.value);
  if (step === undefined || expression.op !== "column") return undefined;
  const index = step.columns.findIndex((column) => column.name === expression.name);
  switch (step.op) {
    case "scan": {
      const column = step.resource.columns?.find((candidate) => candidate.name === expression.name);
      const table = tableOf(step.resource);
      return column && { table, column: column.name, isKey: column.pk === true, fk: column.fk };
    }
    case "project": {
      const value = step.values[index];
      return value && originOf(steps, step.from, value);
    }
    case "aggregate": {
      const value = step.by[index];
      const origin = value && originOf(steps, step.from, value);
      return origin && { ...origin, isKey: origin.isKey || step.by.length === 1 };
    }
    case "join": {
      if (index < step.leftCount) return originOf(steps, step.left, expression);
      const right = steps.get(step.right)?.columns[index - step.leftCount];
      return right && originOf(steps, step.right, { op: "column", ...right });
    }
    case "union":
      return undefined;
    default:
      return originOf(steps, step.from, expression);
  }
}
