import type { ConformanceRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import type { PlanValue } from "../connector/column-batch.ts";
import type { Connector, RunOptions, TableScan } from "../connector/connector.ts";
import type { MemoryRows } from "../connector/create-memory-connector.ts";
import { planColumn, scanColumns } from "../connector/scan-columns.ts";
import { conditionTest, type SimpleCondition } from "../connector/simple-condition.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { sampleResources } from "./sample-source.ts";

/** How the kit opens a connector. */
export interface ConnectorConformanceOptions {
  /**
   * Opens a connector over `sampleResources`. If `isEmpty` is true, all tables are empty. The kit never closes the
   * connector.
   */
  open(options: { isEmpty: boolean }): Promise<Connector>;
}

/**
 * Returns the contract of `Connector` as rules for any test runner: values, columns, conditions, batches and
 * aborts.
 */
export function connectorConformance({ open }: ConnectorConformanceOptions): ConformanceRule[] {
  return rules.map(({ name, isEmpty = false, check }) => ({
    name,
    run: async () => check(await open({ isEmpty })),
  }));
}

const rules: { name: string; isEmpty?: boolean; check(connector: Connector): Promise<void> }[] = [
  {
    name: "values come in the plan's own forms, nulls as nulls",
    async check(connector) {
      for (const { details, rows } of sampleResources) {
        const scan = scanOf(details);
        const expected = rows.map((row) => scan.columns.map(({ name }) => row[name] ?? null));
        assert.deepEqual(await rowsOf(connector, scan), expected.toSorted(byText));
      }
    },
  },
  {
    name: "a table without rows gives none",
    isEmpty: true,
    async check(connector) {
      for (const { details } of sampleResources)
        assert.deepEqual(await rowsOf(connector, scanOf(details)), []);
    },
  },
  {
    name: "only the columns asked for leave the source, in their order",
    async check(connector) {
      const scan = scanOf(orders.details, ["note", "id"]);
      const ids = (await rowsOf(connector, scan)).map(([, id, ...more]) => [id, more]);
      assert.deepEqual(
        ids.toSorted(byText),
        orders.rows.map(({ id }) => [id, []]).toSorted(byText),
      );
    },
  },
  {
    name: "no row that meets the conditions is left out",
    async check(connector) {
      for (const { details, rows } of sampleResources)
        for (const column of scanOf(details).columns) {
          const scan = { resource: details, columns: [column], conditions: [] };
          const all = (await rowsOf(connector, scan)).flat();
          for (const condition of sampleConditions(column, rows)) {
            const isMet = conditionTest(condition);
            const some = await rowsOf(connector, { ...scan, conditions: [condition] });
            const kept = some.flat().filter(isMet);
            assert.deepEqual(kept, all.filter(isMet), JSON.stringify(condition));
          }
        }
    },
  },
  {
    name: "batches hold at most the rows asked for, and as many values a column as rows",
    async check(connector) {
      let rows = 0;
      for await (const batch of connector.run(scanOf(orders.details), { batchRows: 3 })) {
        assert.ok(batch.rowCount <= 3, `a batch has ${batch.rowCount} rows`);
        for (const column of batch.columns) assert.equal(column.length, batch.rowCount);
        rows += batch.rowCount;
      }
      assert.equal(rows, orders.rows.length);
    },
  },
  {
    name: "a loop that is left early ends the work, and the connector goes on to serve",
    async check(connector) {
      const scan = scanOf(orders.details);
      for await (const batch of connector.run(scan, { batchRows: 1 })) {
        assert.ok(batch.rowCount <= 1, "a batch has one row");
        break;
      }
      assert.equal((await rowsOf(connector, scan)).length, orders.rows.length);
    },
  },
  {
    name: "a signal that was aborted before rejects with aborted, and asks nothing",
    async check(connector) {
      const reading = rowsOf(connector, scanOf(orders.details), { signal: AbortSignal.abort() });
      await assert.rejects(
        reading,
        (error: unknown) => Reflect.get(Object(error), "code") === "aborted",
      );
    },
  },
];

const [orders] = sampleResources;

/** Creates a scan of a resource. Reads all columns by default. */
function scanOf(resource: TableScan["resource"], names?: readonly string[]): TableScan {
  const known = scanColumns(resource);
  const columns = (names ?? [...known.keys()]).flatMap((name) => known.get(name) ?? []);
  return { resource, columns: columns.map(planColumn), conditions: [] };
}

/** Returns conditions that compare a column with two of its values, for every operator. */
function sampleConditions({ name, type }: PlanColumn, rows: MemoryRows): SimpleCondition[] {
  const values = rows.slice(1, 3).map((row) => row[name] ?? null);
  return (["eq", "lt", "le", "gt", "ge", "in"] as const).map((operator, at) => ({
    column: name,
    operator,
    type,
    values: operator === "in" ? values : [values[at % 2] ?? null],
  }));
}

/** Returns the sorted rows of a scan. */
async function rowsOf(
  connector: Connector,
  scan: TableScan,
  options: Partial<RunOptions> = {},
): Promise<PlanValue[][]> {
  const rows: PlanValue[][] = [];
  for await (const { rowCount, columns } of connector.run(scan, { batchRows: 100, ...options }))
    for (let row = 0; row < rowCount; row++)
      rows.push(columns.map((column) => column[row] ?? null));
  return rows.toSorted(byText);
}

function byText(left: readonly unknown[], right: readonly unknown[]): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}
