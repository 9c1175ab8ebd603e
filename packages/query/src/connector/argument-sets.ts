import type { ResourceDetails } from "@ccl/catalog";
import { QueryError } from "../query-error.ts";
import type { PlanValue } from "./column-batch.ts";
import { scanColumns } from "./scan-columns.ts";
import type { SimpleCondition } from "./simple-condition.ts";

/**
 * Lists the argument sets for calling a resource: every combination of the values that `=` and `in` conditions
 * assign to its parameters, without duplicates, in plan order.
 * @throws QueryError `argument_missing` if a required value is missing, `limit_exceeded` above `maxCalls`
 */
export function argumentSets(
  resource: ResourceDetails,
  conditions: readonly SimpleCondition[],
  { name: source, maxCalls }: { name: string; maxCalls: number },
): Map<string, PlanValue>[] {
  let sets: Map<string, PlanValue>[] = [new Map()];
  for (const [name, { isParameter, isRequired }] of scanColumns(resource)) {
    if (!isParameter) continue;
    const given = conditions.find(
      ({ column, operator }) => column === name && (operator === "eq" || operator === "in"),
    );
    if (given === undefined && isRequired) {
      const message = `${source} needs a value for ${JSON.stringify(name)} of ${JSON.stringify(resource.id)}: filter its scan by ${name} = a constant.`;
      throw new QueryError("argument_missing", message, {
        details: { resource: resource.id, column: name },
      });
    }
    const values = [...new Set(given?.values.filter((value) => value !== null))];
    if (values.length === 0) continue;
    if (sets.length * values.length > maxCalls) {
      const message = `${JSON.stringify(resource.id)} would be asked ${sets.length * values.length} times, more than ${maxCalls}; give fewer values.`;
      throw new QueryError("limit_exceeded", message, {
        details: { limit: "maxCalls", max: maxCalls },
      });
    }
    sets = sets.flatMap((set) => values.map((value) => new Map(set).set(name, value)));
  }
  return sets;
}
