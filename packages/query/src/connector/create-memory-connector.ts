import { throwIfAborted } from "@ccl/core/async";
import type { ColumnBatch, PlanValue } from "./column-batch.ts";
import type { Connector } from "./connector.ts";
import { QueryError } from "../query-error.ts";

/** Rows of a resource as plan values. Missing fields are null. */
export type MemoryRows = readonly Readonly<Record<string, PlanValue | undefined>>[];

/** Creates a connector over rows in memory, keyed by resource id. */
export function createMemoryConnector(
  resources: Readonly<Record<string, MemoryRows>>,
  options: { name?: string | undefined } = {},
): Connector {
  const name = options.name ?? "memory";
  return {
    name,
    isLocal: true,
    async *run({ resource, columns }, { batchRows, signal }): AsyncGenerator<ColumnBatch, void> {
      throwIfAborted(signal, QueryError);
      const rows = Object.hasOwn(resources, resource.id) ? resources[resource.id] : undefined;
      if (rows === undefined)
        throw new QueryError("source_failed", `${name} has no such resource.`);
      for (let at = 0; at < rows.length; at += batchRows) {
        throwIfAborted(signal, QueryError);
        const part = rows.slice(at, at + batchRows);
        yield {
          rowCount: part.length,
          columns: columns.map((column) => part.map((row) => row[column.name] ?? null)),
        };
      }
    },
  };
}
