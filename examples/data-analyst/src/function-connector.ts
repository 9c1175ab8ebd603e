import type { ToolDefinition } from "@ccl/core";
import type { Connector, TableScan } from "@ccl/query";

/** A connector over functions. The last part of a resource's address names its function. */
export function functionConnector(functions: readonly ToolDefinition[]): Connector {
  return {
    name: "functions",
    async *run({ resource, columns, conditions }, { signal }) {
      const name = (resource.uri ?? resource.id).split("/").at(-1);
      const called = functions.find((each) => each.name === name);
      if (called === undefined) throw new Error(`There is no function ${name}.`);
      for (const input of inputsOf(resource, conditions)) {
        const answer: unknown = await called.execute(input, { signal });
        const rows: unknown[] = Array.isArray(answer) ? answer : [answer];
        yield {
          rowCount: rows.length,
          // Arguments are also part of the rows, because conditions on them are checked again.
          columns: columns.map((column) =>
            rows.map((row) => Object({ ...input, ...Object(row) })[column.name] ?? null),
          ),
        };
      }
    },
  };
}

/** An object for each combination of the constants that arguments are compared with. */
function inputsOf(
  { columns = [] }: TableScan["resource"],
  conditions: TableScan["conditions"],
): Record<string, unknown>[] {
  const isArgument = (wanted: string): boolean =>
    columns.some(({ name, in: place }) => name === wanted && place === "input");
  let inputs: Record<string, unknown>[] = [{}];
  for (const { column, operator, values } of conditions)
    if (isArgument(column) && (operator === "eq" || operator === "in"))
      inputs = inputs.flatMap((input) => values.map((value) => ({ ...input, [column]: value })));
  return inputs;
}
