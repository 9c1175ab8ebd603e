import { throwIfAborted } from "@ccl/core/async";
import type { ResourceDetails } from "@ccl/catalog";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { valueError, type ValueDecoder } from "./decode-value.ts";
import type { RowPage } from "./answer-rows.ts";
import type { ColumnBatch, PlanValue } from "./column-batch.ts";
import type { Connector, RunOptions, TableScan } from "./connector.ts";
import { argumentSets } from "./argument-sets.ts";
import { mayBeNull, scanColumns } from "./scan-columns.ts";

/** One request or call to a row source, for one argument set. */
export interface RowRequest {
  resource: ResourceDetails;
  /** Values of the resource's parameters, by name. */
  arguments: ReadonlyMap<string, PlanValue>;
  /** The columns that will be read. */
  columns: readonly string[];
  signal?: AbortSignal | undefined;
}

/** A source that returns rows and computes nothing. */
export interface RowSource {
  name: string;
  isLocal?: boolean | undefined;
  /** Maximum number of argument sets in one scan. */
  maxCalls: number;
  decoderOf(column: PlanColumn, declared: string | undefined): ValueDecoder;
  read(request: RowRequest): AsyncIterable<RowPage>;
}

/** Creates a connector over a row source. A value of the wrong type fails the query. */
export function createRowConnector(source: RowSource): Connector {
  const { name, isLocal } = source;
  return { name, isLocal, run: (scan, options) => runRows(source, scan, options) };
}

async function* runRows(
  source: RowSource,
  scan: TableScan,
  { signal, batchRows }: RunOptions,
): AsyncGenerator<ColumnBatch, void> {
  throwIfAborted(signal, QueryError);
  const { resource, conditions, columns } = scan;
  const reader = createRowReader(source, scan);
  const names = columns.map(({ name }) => name);
  for (const set of argumentSets(resource, conditions, source)) {
    const request = { resource, arguments: set, columns: names, signal };
    for await (const page of source.read(request)) {
      throwIfAborted(signal, QueryError);
      for (let at = 0; at < page.rowCount; at += batchRows) {
        const rowCount = Math.min(batchRows, page.rowCount - at);
        const rows = Array.from({ length: rowCount }, (_, row) => reader(page, at + row, set));
        yield { rowCount, columns: names.map((_, index) => rows.map((row) => row[index] ?? null)) };
      }
    }
  }
}

type RowReader = (page: RowPage, row: number, set: ReadonlyMap<string, PlanValue>) => PlanValue[];

/** Creates a reader for the scan's columns. A column that exists only as an argument takes the argument's value. */
function createRowReader(source: RowSource, { resource, columns }: TableScan): RowReader {
  const known = scanColumns(resource);
  const readers = columns.map((column) => {
    const found = known.get(column.name);
    const decode = source.decoderOf(column, found?.column.type);
    return (page: RowPage, row: number, set: ReadonlyMap<string, PlanValue>): PlanValue => {
      if (found?.isInRows === false) return set.get(column.name) ?? null;
      const value = page.valueAt(row, column.name);
      const decoded = value === null || value === undefined ? null : decode(value);
      if (decoded === undefined)
        throw valueError({ source: source.name, column: column.name, type: column.type }, value);
      if (decoded !== null || found === undefined || mayBeNull(found)) return decoded;
      const message = `${source.name} returned no value for ${JSON.stringify(column.name)}, which the catalog says is never null.`;
      throw new QueryError("value_invalid", message, { details: { column: column.name } });
    };
  });
  return (page, row, set) => readers.map((read) => read(page, row, set));
}
