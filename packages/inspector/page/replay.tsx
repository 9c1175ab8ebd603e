import type { ReplayedPrompt } from "../src/views.ts";
import { DataTable } from "./data-table.tsx";
import { brief, count, money, percent, visible } from "./format.ts";
import { LineChart } from "./line-chart.tsx";
import { Figure, Status } from "./parts.tsx";
import { hrefOf } from "./route.ts";
import { useView } from "./use-view.ts";

/**
 * Shows the prompts of a session under another budget, and the values that its calls would have
 * missed.
 */
export function Replay({
  session,
  budget,
  policy,
  go,
}: {
  session: string;
  budget: string;
  policy: string | undefined;
  go: (to: Record<string, string | number | undefined>) => void;
}) {
  const loading = useView("replay", { session, budget, policy });
  const prompts = loading.view?.prompts ?? [];
  const fitted = prompts.filter(({ tokens }) => tokens !== undefined);
  const failed = prompts.length - fitted.length;
  const regrets = prompts.reduce((sum, one) => sum + one.regrets.length, 0);
  const sum = (value: (one: ReplayedPrompt) => number | undefined) =>
    fitted.reduce((total, one) => total + (value(one) ?? 0), 0);
  return (
    <section aria-label="Replay">
      <div class="row">
        <h2>Replay</h2>
        <label>
          Budget in tokens{" "}
          <input
            type="number"
            min={1}
            value={budget}
            onChange={(event) => go({ replay: event.currentTarget.value })}
          />
        </label>
        <label>
          Policy{" "}
          <select
            value={policy ?? ""}
            onChange={(event) => go({ policy: event.currentTarget.value })}
          >
            <option value="">balanced</option>
            <option value="economy">economy</option>
          </select>
        </label>
        <button type="button" onClick={() => go({ replay: undefined, policy: undefined })}>
          Close the replay
        </button>
      </div>
      <p class="muted">
        <code>fitMessages</code> fits each original prompt again, without a model. All figures are
        estimates.
      </p>
      <Status loading={loading} />
      {fitted.length === 0 ? null : (
        <>
          <dl class="figures">
            <Figure name="Tokens of all prompts">
              {brief(sum(({ tokens }) => tokens))} instead of{" "}
              {brief(sum(({ sentTokens }) => sentTokens))}
            </Figure>
            <Figure name="Cost">
              {money(sum(({ replayedUsd }) => replayedUsd))} instead of{" "}
              {money(sum(({ usd }) => usd))}
            </Figure>
            <Figure name="From the cache">
              {percent(
                sum(({ cached }) => cached) /
                  Math.max(
                    1,
                    sum(({ tokens }) => tokens),
                  ),
              )}
            </Figure>
            <Figure name="Values that calls would have missed">{count(regrets)}</Figure>
            {failed === 0 ? null : (
              <Figure name="Prompts that would not fit">{count(failed)}</Figure>
            )}
          </dl>
          <LineChart
            summary={`Tokens of ${fitted.length} prompts as sent and with a budget of ${count(Number(budget))}`}
            x={fitted.map(({ at }) => at + 1)}
            format={brief}
            onSelect={(index) => go({ at: fitted[index]?.at, replay: undefined })}
            lines={[
              { label: "Sent", colour: "muted", values: fitted.map((one) => one.sentTokens) },
              {
                label: "Replayed",
                colour: "accent",
                values: fitted.map(({ tokens = 0 }) => tokens),
                isFilled: true,
              },
            ]}
          />
        </>
      )}
      <DataTable
        name="replayed"
        label="Replayed prompts"
        rows={prompts}
        keyOf={({ at }) => String(at)}
        columns={[
          {
            title: "Prompt",
            value: ({ at }) => at + 1,
            show: ({ at }) => <a href={hrefOf("context", { session, at })}>{at + 1}</a>,
          },
          { title: "Sent", value: (one) => one.sentTokens, show: (one) => count(one.sentTokens) },
          {
            title: "Replayed",
            value: ({ tokens }) => tokens,
            show: ({ tokens, problem = "" }) =>
              tokens === undefined ? visible(problem) : count(tokens),
          },
          {
            title: "Regrets",
            value: ({ regrets }) => regrets.length,
            show: ({ at, regrets }) =>
              regrets.length === 0
                ? "0"
                : regrets.map(({ value, part, tool }) => (
                    <a key={value} class="badge" href={hrefOf("context", { session, at, part })}>
                      {visible(value)}
                      {tool === undefined ? "" : ` of ${visible(tool)}`}
                    </a>
                  )),
          },
        ]}
      />
    </section>
  );
}
