import type { PendingPlan } from "../src/views.ts";
import { count, moment, visible } from "./format.ts";
import { DataTable } from "./data-table.tsx";
import { Diff } from "./diff.tsx";
import { CopyButton, Status } from "./parts.tsx";
import { hrefOf, type Route } from "./route.ts";
import { useView } from "./use-view.ts";

/** Shows the change that waits for confirmation, and the applied and rolled-back transactions. */
export function PlansPage({ route }: { route: Route }) {
  const { id: shown } = route.parameters;
  const loading = useView("plans", {}, true);
  const { view } = loading;
  if (view === undefined) return <Status loading={loading} />;
  const { transactions, pending } = view;
  return (
    <>
      {pending === undefined ? (
        <p class="muted">There is no pending change.</p>
      ) : (
        <Pending plan={pending} />
      )}
      <h2>Applied</h2>
      {transactions.length === 0 ? <p class="note">No plan was applied here.</p> : null}
      <DataTable
        name="plans"
        label="Applied plans"
        rows={transactions}
        keyOf={({ transactionId }) => transactionId}
        columns={[
          { title: "Time", value: ({ timeMs }) => timeMs, show: ({ timeMs }) => moment(timeMs) },
          {
            title: "Status",
            value: ({ status }) => status,
            show: ({ status }) => (
              <span class={`badge status-${status}`}>{status.replaceAll("_", " ")}</span>
            ),
          },
          {
            title: "Files",
            value: ({ paths, why, keptPaths }) => [...paths, why, ...keptPaths].join(" "),
            show: ({ transactionId: id, paths, why, keptPaths }) => (
              <>
                <a
                  href={hrefOf("plans", { ...route.parameters, id: id === shown ? undefined : id })}
                  aria-expanded={id === shown}
                >
                  {visible(paths.join(", "))}
                </a>
                {why === undefined ? null : <div>{visible(why)}</div>}
                {keptPaths.length === 0 ? null : (
                  <div class="muted">
                    not restored, because others had changed them: {visible(keptPaths.join(", "))}
                  </div>
                )}
                {id === shown ? <Applied id={id} /> : null}
              </>
            ),
          },
          {
            title: "To undo it",
            value: () => "",
            show: ({ transactionId: id, status }) =>
              status === "committed" ? (
                <CopyButton label="Copy the command" text={`ccl plan rollback ${id}`} />
              ) : null,
          },
        ]}
      />
    </>
  );
}

function Applied({ id }: { id: string }) {
  const loading = useView("applied", { id });
  const { view } = loading;
  if (view === undefined) return <Status loading={loading} />;
  return view.diff === undefined ? (
    <p class="muted">It was applied by an older version, which stored no diff.</p>
  ) : (
    <Diff text={view.diff} />
  );
}

function Pending({ plan }: { plan: PendingPlan }) {
  return (
    <section>
      <h2>Pending: “ccl plan apply” applies it</h2>
      <p>{visible(plan.summary)}</p>
      {plan.issues.map(({ code, message, path }, at) => (
        <p key={at} class="note" role="alert">
          <strong>{code}</strong> {visible(path.join("/"))} {visible(message)}
        </p>
      ))}
      {plan.changes.map(({ path, kind, addedLines, removedLines, risks, diff }) => (
        <details key={path} open={plan.changes.length < 6}>
          <summary>
            {kind} {visible(path)} <span class="added">+{count(addedLines)}</span>{" "}
            <span class="removed">−{count(removedLines)}</span>
          </summary>
          {risks.map(({ message }) => (
            <p key={message} class="note">
              {visible(message)}
            </p>
          ))}
          <Diff text={diff} />
        </details>
      ))}
    </section>
  );
}
