import type { SessionRow } from "../src/views.ts";
import { DataTable } from "./data-table.tsx";
import { brief, count, duration, moment, money, percent, visible } from "./format.ts";
import { hrefOf } from "./route.ts";

/** A searchable and sortable table of sessions with their costs and failures. */
export function SessionTable({
  sessions,
  label,
}: {
  sessions: readonly SessionRow[];
  label: string;
}) {
  return (
    <DataTable
      name="sessions"
      label={label}
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Session",
          value: ({ title }) => title,
          show: ({ id, title }) => (
            <a href={hrefOf("context", { session: id })}>{visible(title)}</a>
          ),
        },
        { title: "Source", value: ({ source }) => source },
        { title: "Model", value: ({ model = "" }) => visible(model) },
        {
          title: "Prompts",
          value: ({ prompts }) => prompts,
          show: ({ prompts }) => count(prompts),
        },
        {
          title: "Failed",
          value: ({ failed }) => failed,
          show: ({ id, failed }) =>
            failed === 0 ? (
              "0"
            ) : (
              <a href={hrefOf("context", { session: id, "prompts.sort": "-1" })}>
                {count(failed)} failed
              </a>
            ),
        },
        {
          title: "Last prompt, estimate",
          value: ({ tokens }) => tokens,
          show: ({ tokens }) => brief(tokens),
        },
        { title: "Cost", value: ({ usd }) => usd, show: ({ usd }) => money(usd) },
        {
          title: "Saved",
          value: ({ usd, directUsd }) => directUsd - usd,
          show: ({ usd, directUsd }) => percent(directUsd === 0 ? 0 : 1 - usd / directUsd),
        },
        {
          title: "Took",
          value: ({ durationMs }) => durationMs,
          show: ({ durationMs }) => duration(durationMs),
        },
        { title: "Time", value: ({ timeMs }) => timeMs, show: ({ timeMs }) => moment(timeMs) },
      ]}
    />
  );
}
