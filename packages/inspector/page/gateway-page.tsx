import type { GatewayView } from "../src/views.ts";
import { originNames } from "./part-names.ts";
import { brief, count, money, percent, visible } from "./format.ts";
import { LineChart } from "./line-chart.tsx";
import { Bar, Figure, Status } from "./parts.tsx";
import { SessionTable } from "./session-table.tsx";
import { useView } from "./use-view.ts";

/** Shows the live work of `ccl proxy`. */
export function GatewayPage() {
  const loading = useView("gateway", {}, true);
  const { view } = loading;
  if (view === undefined) return <Status loading={loading} />;
  if (view.requests === 0)
    return (
      <>
        {view.live?.problem === undefined ? (
          <p class="note">
            No request came through a gateway yet. Start one:{" "}
            <code>ccl proxy --upstream https://api.anthropic.com</code>
          </p>
        ) : null}
        <Live live={view.live} />
      </>
    );
  const { usd, directUsd, tokens } = view;
  const total = tokens.cached + tokens.fresh;
  return (
    <>
      <Status loading={loading} />
      <dl class="figures">
        <Figure name="Requests">{count(view.requests)}</Figure>
        <Figure name="With shorter results">{count(view.changed)}</Figure>
        <Figure name="Input at list prices">{money(usd)}</Figure>
        <Figure name="Without the gateway">{money(directUsd)}</Figure>
        <Figure name={usd <= directUsd ? "Saved" : "Lost"}>
          {money(Math.abs(directUsd - usd))} (
          {percent(directUsd === 0 ? 0 : Math.abs(1 - usd / directUsd))})
        </Figure>
        {view.reported.total === 0 ? null : (
          <Figure name="Cached by the provider's report">
            {percent(view.reported.cached / view.reported.total)}
          </Figure>
        )}
        <Figure name="Cached, by estimate">
          {percent(total === 0 ? 0 : tokens.cached / total)}
        </Figure>
      </dl>
      <h2>Cost of input, summed up</h2>
      <LineChart
        summary={`Cost after ${count(view.requests)} requests: ${money(usd)}, without the gateway ${money(directUsd)}`}
        isTime
        x={view.points.map(({ timeMs }) => timeMs)}
        format={money}
        lines={[
          {
            label: "Without the gateway",
            colour: "muted",
            values: view.points.map((one) => one.directUsd),
          },
          {
            label: "With it",
            colour: "accent",
            values: view.points.map((one) => one.usd),
            isFilled: true,
          },
        ]}
      />
      <h2>Share of tokens that were cached, by estimate</h2>
      <LineChart
        summary={`Share of the tokens that were sent before: ${percent(view.points.at(-1)?.cachedShare ?? 0)} at the end`}
        isTime
        x={view.points.map(({ timeMs }) => timeMs)}
        format={percent}
        lines={[
          {
            label: "Cached",
            colour: "good",
            values: view.points.map((one) => one.cachedShare),
            isFilled: true,
          },
        ]}
      />
      <div class="columns">
        <Kinds kinds={view.kinds} />
        <div>
          <Counts
            title="Passed unchanged, by reason"
            rows={view.passed.map(([reason, number]) => [reason.replaceAll("_", " "), number])}
            of={view.requests}
          />
          <Counts title="Answers by status" rows={view.statuses} of={view.requests} />
        </div>
      </div>
      <h2>Sessions</h2>
      <SessionTable sessions={view.sessions} label="Sessions of the gateway" />
      <Live live={view.live} />
    </>
  );
}

/** Shows a running gateway's counters since its start. The rest of the page uses the log. */
function Live({ live }: Pick<GatewayView, "live">) {
  if (live === undefined) return null;
  const { url, problem, figures } = live;
  return (
    <>
      <h2>Running at {visible(url)}</h2>
      {problem === undefined ? null : <p class="note">{visible(problem)}</p>}
      {figures === undefined ? null : (
        <dl class="figures">
          <Figure name="Requests since it started">{count(figures.requests)}</Figure>
          <Figure name="With shorter results">{count(figures.changed)}</Figure>
          <Figure name="Input at list prices">{money(figures.usd)}</Figure>
          <Figure name="Without the gateway">{money(figures.directUsd)}</Figure>
          <Figure name="API not reached">{count(figures.upstreamErrors)}</Figure>
          <Figure name="Clients that left early">{count(figures.clientsGone)}</Figure>
        </dl>
      )}
    </>
  );
}

function Kinds({ kinds }: { kinds: GatewayView["kinds"] }) {
  const most = Math.max(1, ...kinds.map(({ directTokens }) => directTokens));
  return (
    <div>
      <h2>Tokens by kind of content</h2>
      <table>
        <thead>
          <tr>
            <th>Kind</th>
            <th class="number">Original</th>
            <th class="number">Sent</th>
            <th>
              <span class="hidden">Share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ origin, tool, tokens, directTokens }) => (
            <tr key={`${origin} ${tool}`}>
              <td>
                <span class={`swatch origin-${origin}`} aria-hidden="true" /> {originNames[origin]}
                {tool === undefined ? "" : `: ${visible(tool)}`}
              </td>
              <td class="number">{brief(directTokens)}</td>
              <td class="number">{brief(tokens)}</td>
              <td class="bars">
                <Bar share={directTokens / most} tone="muted" />
                <Bar share={tokens / most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Counts({ title, rows, of }: { title: string; rows: [string, number][]; of: number }) {
  return (
    <>
      <h2>{title}</h2>
      {rows.length === 0 ? <p class="muted">None.</p> : null}
      <table>
        <tbody>
          {rows.map(([name, number]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{count(number)}</td>
              <td class="bars">
                <Bar share={number / of} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
