import { useState } from "preact/hooks";

import type { QueryView } from "../src/views.ts";
import { count, duration, visible } from "./format.ts";
import { LineChart } from "./line-chart.tsx";
import { Bar, Status } from "./parts.tsx";
import { PlanDiagram } from "./plan-diagram.tsx";
import { hrefOf, type Route } from "./route.ts";
import { useView } from "./use-view.ts";

/** Runs a SELECT over the catalog's sources. Shows how it runs, its rows and a chart of its numbers. */
export function QueryPage({ route: { parameters } }: { route: Route }) {
  const { sql } = parameters;
  const [typed, setTyped] = useState(sql ?? "");
  const loading = useView(sql === undefined ? undefined : "query", parameters);
  const { view } = loading;
  const go = (explain: string | undefined) => {
    location.hash = hrefOf("query", { sql: typed, explain });
  };
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(undefined);
        }}
      >
        <label>
          SELECT over resources of the catalog
          <textarea
            rows={4}
            value={typed}
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <div class="row">
          <button type="submit">Run</button>
          <button type="button" onClick={() => go("yes")}>
            Only explain
          </button>
        </div>
      </form>
      {sql === undefined ? null : <Status loading={loading} />}
      {view === undefined ? null : <Answer view={view} />}
    </>
  );
}

function Answer({ view }: { view: QueryView }) {
  const { plan, ranOn, diagram, durationMs, columns, rows } = view;
  return (
    <>
      <h2>How it runs: {visible(ranOn)}</h2>
      <PlanDiagram diagram={diagram} />
      <details>
        <summary>As text</summary>
        <pre tabIndex={0} aria-label="Plan">
          {visible(plan)}
        </pre>
      </details>
      {durationMs === undefined ? null : (
        <>
          <h2>
            {count(rows.length)} rows in {duration(durationMs)}
          </h2>
          <Chart view={view} />
          <div class="scroll rows" tabIndex={0} role="region" aria-label="Rows">
            <table>
              <thead>
                <tr>
                  {columns.map(({ name }) => (
                    <th key={name} class={typeof rows[0]?.[name] === "number" ? "number" : ""}>
                      {visible(name)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row, at) => (
                  <tr key={at}>
                    {columns.map(({ name }) => (
                      <td key={name} class={typeof row[name] === "number" ? "number" : "wide"}>
                        {visible(row[name] === null ? "" : String(row[name]))}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

const colours = ["accent", "good", "bad", "muted"];

const maxBars = 30;

/** Shows categories as bars that start at 0. */
function Bars({
  rows,
  name,
  columns,
}: {
  rows: QueryView["rows"];
  name: string;
  columns: readonly string[];
}) {
  const column = columns[0] ?? "";
  const largest = Math.max(1e-9, ...rows.map((row) => Math.abs(Number(row[column]))));
  return (
    <table>
      <caption class="left">
        {visible(column)} by {visible(name)}
        {rows.length > maxBars ? `, the first ${maxBars} of ${count(rows.length)} rows` : ""}
      </caption>
      <tbody>
        {rows.slice(0, maxBars).map((row, at) => (
          <tr key={at}>
            <th scope="row" class="wide">
              {visible(String(row[name]))}
            </th>
            <td class="number">{String(row[column])}</td>
            <td class="bars">
              <Bar share={Math.abs(Number(row[column])) / largest} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Shows columns of numbers in row order. */
function Chart({ view: { columns, rows } }: { view: QueryView }) {
  const numeric = columns.filter(({ name }) =>
    rows.every((row) => typeof row[name] === "number" || row[name] === null),
  );
  if (rows.length < 2 || numeric.length === 0) return null;
  const lines = numeric.slice(0, colours.length).map(({ name }, at) => ({
    label: visible(name),
    colour: colours[at] ?? "accent",
    values: rows.map((row) => Number(row[name])),
  }));
  const names = columns.find(({ name }) => rows.every((row) => typeof row[name] === "string"));
  if (names !== undefined)
    return <Bars rows={rows} name={names.name} columns={numeric.map(({ name }) => name)} />;
  return (
    <LineChart
      summary={`${lines.map(({ label }) => label).join(", ")} over ${rows.length} rows; the table below has the numbers`}
      x={rows.map((_, at) => at + 1)}
      xLabel="Row"
      format={(value) => String(Math.round(value * 1000) / 1000)}
      lines={lines}
    />
  );
}
