import type { ConformanceRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import type { Connector, QueryEngine } from "../connector/connector.ts";
import { executePlan, type ExecutePlanOptions } from "../execute/execute-plan.ts";
import type { QueryResult } from "../execute/query-result.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { expectations, type Expectation } from "./expectations.ts";
import { sampleAddress, sampleResources } from "./sample-source.ts";

/** How the kit opens a connector. */
export interface ConnectorConformanceOptions {
  /** Opens a connector over `sampleResources`, with tables without rows if `isEmpty`. The kit never closes it. */
  open(options: { isEmpty: boolean }): Promise<Connector>;
  /** Runs what the connector leaves to an engine. Without one, the kit expects `engine_missing` for those plans. */
  engine?: QueryEngine | undefined;
}

const scanAll = "scan(res:ccl_orders, id, note) -> filter(id > 0)";

/** The contract of `Connector` as rules for any test runner: the meaning of each step, with and without pushdown. */
export function connectorConformance(options: ConnectorConformanceOptions): ConformanceRule[] {
  const meanings = expectations.flatMap((expectation) =>
    (["full", "none"] as const).map((pushdown) => ({
      name: `${expectation.name}, pushdown ${pushdown}`,
      run: () => checkExpectation(options, expectation, pushdown),
    })),
  );
  return [
    ...meanings,
    ...behaviours.map(({ name, check }) => ({ name, run: () => check(options) })),
  ];
}

async function start(
  options: ConnectorConformanceOptions,
  text: string,
  more: Partial<ExecutePlanOptions> & { isEmpty?: boolean | undefined } = {},
): Promise<QueryResult> {
  const { isEmpty = false, ...rest } = more;
  const connector = await options.open({ isEmpty });
  const details = sampleResources.map((resource) => resource.details);
  const engine = options.engine === undefined ? {} : { engine: options.engine };
  return executePlan(planOf(text), {
    details,
    connectors: { [sampleAddress]: connector },
    ...engine,
    ...rest,
  });
}

function planOf(text: string): LogicalPlan {
  const plan = parseLogicalPlan(text);
  assert.ok(plan.ok, "the kit's own plan reads");
  return plan.value;
}

async function checkExpectation(
  options: ConnectorConformanceOptions,
  { plan, rows, isEmpty = false }: Expectation,
  pushdown: "full" | "none",
): Promise<void> {
  const result = await start(options, plan, { pushdown, isEmpty }).catch((error: unknown) => {
    if (options.engine === undefined && isEngineMissing(error)) return undefined;
    throw error;
  });
  if (result === undefined) return;
  const found = (await result.all()).map((row) => result.columns.map(({ name }) => row[name]));
  assert.deepEqual(found, rows, plan);
}

function isEngineMissing(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "engine_missing"
  );
}

const behaviours: { name: string; check(options: ConnectorConformanceOptions): Promise<void> }[] = [
  {
    name: "batches hold at most the rows asked for, and as many values a column as rows",
    async check(options) {
      const connector = await options.open({ isEmpty: false });
      const fragment = {
        steps: [await scanStep(options)],
        columns: (await scanStep(options)).columns,
      };
      let rows = 0;
      for await (const batch of connector.run(fragment, { batchRows: 3 })) {
        assert.ok(batch.rowCount <= 3, `a batch has ${batch.rowCount} rows`);
        for (const column of batch.columns) assert.equal(column.length, batch.rowCount);
        rows += batch.rowCount;
      }
      assert.equal(rows, sampleResources[0]?.rows.length);
    },
  },
  {
    name: "only the columns asked for leave the source, in their order",
    async check(options) {
      const connector = await options.open({ isEmpty: false });
      const step = await scanStep(options);
      const columns = step.columns.slice(0, 2).toReversed();
      for await (const batch of connector.run({ steps: [step], columns }, { batchRows: 100 })) {
        assert.equal(batch.columns.length, 2);
        assert.equal(typeof batch.columns[1]?.[0], "number", "the second column is the id");
      }
    },
  },
  {
    name: "a loop that is left early ends the work, and the connector goes on to serve",
    async check(options) {
      const result = await start(options, scanAll, { batchRows: 1 });
      for await (const row of result.rows()) {
        assert.ok("id" in row);
        break;
      }
      assert.equal((await (await start(options, scanAll)).all()).length, 7);
    },
  },
  {
    name: "a signal that was aborted before rejects with aborted, and asks nothing",
    async check(options) {
      const connector = await options.open({ isEmpty: false });
      const step = await scanStep(options);
      const run = async (): Promise<void> => {
        for await (const batch of connector.run(
          { steps: [step], columns: step.columns },
          { batchRows: 10, signal: AbortSignal.abort() },
        ))
          assert.fail(`${batch.rowCount} rows came`);
      };
      await assert.rejects(
        run,
        (error: unknown) =>
          typeof error === "object" &&
          error !== null &&
          "code" in error &&
          error.code === "aborted",
      );
    },
  },
];

async function scanStep(
  options: ConnectorConformanceOptions,
): Promise<QueryResult["physical"]["fragments"][number]["steps"][number]> {
  const { physical, close } = await start(options, "scan(res:ccl_orders, id, note)", {
    pushdown: "none",
  });
  await close();
  const step = physical.fragments[0]?.steps[0];
  assert.ok(step !== undefined, "a scan is always the source's");
  return step;
}
