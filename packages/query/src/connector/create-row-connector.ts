import { throwIfAborted } from "@ccl/core/async";
import type { ResourceDetails } from "@ccl/catalog";
import type { PlanColumn, TypedScan } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { valueError, type ValueDecoder } from "../sql/decode-value.ts";
import type { RowPage } from "./answer-rows.ts";
import type { ColumnBatch, PlanValue } from "./column-batch.ts";
import type { Connector, RunOptions } from "./connector.ts";
import { argumentSets } from "./argument-sets.ts";
import { readRowWork, type RowStage } from "./row-work.ts";
import { scanColumns } from "./scan-columns.ts";
import { conditionTest, simpleConditions, type SimpleCondition } from "./simple-condition.ts";

/** What a row source must return: one request or call per argument set. */
export interface RowRequest {
  resource: ResourceDetails;
  /** Values of the resource's parameters, by name. */
  arguments: ReadonlyMap<string, PlanValue>;
  /** Conditions on the rows. A source may leave out rows that fail them, but does not have to. */
  conditions: readonly SimpleCondition[];
  /** The columns that will be read. */
  columns: readonly string[];
  signal?: AbortSignal | undefined;
}

/** A source that returns rows and computes nothing. */
export interface RowSource {
  name: string;
  /** Maximum argument sets of one scan. */
  maxCalls: number;
  /** True for a condition that is worth sending to the source. */
  takes(condition: SimpleCondition, resource: ResourceDetails): boolean;
  describe(request: Pick<RowRequest, "resource" | "arguments" | "conditions">): string;
  decoderOf(column: PlanColumn, declared: string | undefined): ValueDecoder;
  read(request: RowRequest): AsyncIterable<RowPage>;
}

/**
 * A connector over a row source. It takes limits, and the conditions that the source takes. Every condition is checked
 * again on the rows, so a source that compares loosely returns no wrong ones. A value of the wrong type fails the query.
 */
export function createRowConnector(source: RowSource): Connector {
  return {
    name: source.name,
    operations: new Set(["scan", "filter", "limit"]),
    takes(step, resources) {
      if (step.op !== "filter") return true;
      const [resource, other] = resources;
      if (resource === undefined || other !== undefined) return false;
      return (
        simpleConditions(step.where)?.every((condition) => source.takes(condition, resource)) ===
        true
      );
    },
    describe(fragment) {
      const { scan, conditions } = readRowWork(fragment.steps);
      const sent = conditions.filter((condition) => source.takes(condition, scan.resource));
      const shown = sent.map(({ column }) => [column, null] as const);
      return source.describe({
        resource: scan.resource,
        arguments: new Map(shown),
        conditions: sent,
      });
    },
    run: (fragment, options) => runRows(source, fragment, options),
  };
}

async function* runRows(
  source: RowSource,
  { steps, columns }: { steps: Parameters<typeof readRowWork>[0]; columns: PlanColumn[] },
  { signal, batchRows }: RunOptions,
): AsyncGenerator<ColumnBatch, void> {
  throwIfAborted(signal, QueryError);
  const { scan, conditions, stages } = readRowWork(steps);
  if (conditions.some(({ values }) => values.every((value) => value === null))) return;
  const reader = createRowReader(source, scan);
  const pass = createPass(stages, scan.columns);
  const output = columns.map((column) =>
    scan.columns.findIndex(({ name }) => name === column.name),
  );
  const batches = createBatches(output, batchRows);
  for (const set of argumentSets(scan.resource, conditions, source)) {
    if (pass.isOver()) break;
    const request = {
      resource: scan.resource,
      arguments: set,
      conditions,
      columns: scan.columns.map(({ name }) => name),
      signal,
    };
    for await (const page of source.read(request)) {
      throwIfAborted(signal, QueryError);
      takeRows(page, { pass, batches, valuesOf: (row) => reader(page, row, set) });
      yield* batches.takeFull();
      if (pass.isOver()) break;
    }
  }
  yield* batches.takeRest();
}

/** Stops reading after the last row that is needed. */
function takeRows(
  { rowCount }: RowPage,
  {
    pass,
    batches,
    valuesOf,
  }: { pass: Pass; batches: Batches; valuesOf: (row: number) => PlanValue[] },
): void {
  for (let row = 0; row < rowCount && !pass.isOver(); row++) {
    const values = valuesOf(row);
    if (pass.takes(values)) batches.add(values);
  }
}

interface Batches {
  add(values: readonly PlanValue[]): void;
  /** Returns the full batches and keeps the rest. */
  takeFull(): ColumnBatch[];
  takeRest(): ColumnBatch[];
}

/** Collects rows into batches of up to `batchRows`, with the values at the `output` indexes. */
function createBatches(output: readonly number[], batchRows: number): Batches {
  const empty = (): ColumnBatch => ({ rowCount: 0, columns: output.map(() => []) });
  let batch = empty();
  const full: ColumnBatch[] = [];
  return {
    add(values) {
      for (const [index, at] of output.entries()) batch.columns[index]?.push(values[at] ?? null);
      batch.rowCount += 1;
      if (batch.rowCount < batchRows) return;
      full.push(batch);
      batch = empty();
    },
    takeFull: () => full.splice(0),
    takeRest: () => (batch.rowCount > 0 ? [batch] : []),
  };
}

type RowReader = (page: RowPage, row: number, set: ReadonlyMap<string, PlanValue>) => PlanValue[];

/** Reads the scan's columns of a row. A column that only exists as an argument returns the given value. */
function createRowReader(source: RowSource, scan: TypedScan): RowReader {
  const known = scanColumns(scan.resource);
  const readers = scan.columns.map((column, index) => {
    const decode = source.decoderOf(column, scan.declaredTypes[index]);
    const isInRows = known.get(column.name)?.isInRows ?? true;
    return (page: RowPage, row: number, set: ReadonlyMap<string, PlanValue>): PlanValue => {
      if (!isInRows) return set.get(column.name) ?? null;
      const value = page.valueAt(row, column.name);
      const decoded = value === null || value === undefined ? null : decode(value);
      if (decoded === undefined)
        throw valueError({ source: source.name, column: column.name, type: column.type }, value);
      if (decoded !== null || column.isNullable) return decoded;
      const message = `${source.name} gave no value for ${JSON.stringify(column.name)}, which the catalog says is never null.`;
      throw new QueryError("value_invalid", message, { details: { column: column.name } });
    };
  });
  return (page, row, set) => readers.map((read) => read(page, row, set));
}

interface Pass {
  takes(values: readonly PlanValue[]): boolean;
  /** No further row can pass. */
  isOver(): boolean;
}

/** Applies the filters and limits of a fragment in order. */
function createPass(stages: readonly RowStage[], columns: readonly PlanColumn[]): Pass {
  const passes = stages.map((stage) =>
    stage.op === "limit" ? limitPass(stage) : filterPass(stage.conditions, columns),
  );
  return {
    takes: (values) => passes.every((pass) => pass.takes(values)),
    isOver: () => passes.some((pass) => pass.isOver()),
  };
}

function limitPass({ count, offset }: Extract<RowStage, { op: "limit" }>): Pass {
  let seen = 0;
  return { takes: () => ++seen > offset, isOver: () => seen >= offset + count };
}

function filterPass(conditions: readonly SimpleCondition[], columns: readonly PlanColumn[]): Pass {
  const tests = conditions.map((condition) => {
    const at = columns.findIndex(({ name }) => name === condition.column);
    const isMet = conditionTest(condition);
    return (values: readonly PlanValue[]): boolean => isMet(values[at] ?? null);
  });
  return { takes: (values) => tests.every((test) => test(values)), isOver: () => false };
}
