import { useState } from "preact/hooks";

import { DataTable } from "./data-table.tsx";
import { Diff } from "./diff.tsx";
import { count, duration, moment, visible } from "./format.ts";
import { Figure, Status } from "./parts.tsx";
import { runAt, type RunOperation, type RunState } from "./run-at.ts";
import { hrefOf, replaceRoute, type Route } from "./route.ts";
import { useView } from "./use-view.ts";

/** The default limit, if the URL has none. */
const shownRuns = 100;

/** Reasons for skipping an operation. */
const reasons: Readonly<Record<string, string>> = {
  disabled: "It is switched off in the profile.",
  trigger_mismatch: "It does not belong to this kind of turn.",
  condition_false: "Its condition was not met, or that of an operation that it needs.",
  dependency_failed: "An operation that it needs failed or was skipped.",
  not_due: "It is not due yet: it runs only after a number of turns or tokens.",
  policy: "The policy does not allow it here.",
};

/**
 * The error, what the operation waits for, or why it was skipped and which operation or condition
 * caused that.
 */
function whyOf({ why, reason, needs = [], conditions = [] }: RunOperation): string | undefined {
  if (why !== undefined || reason === undefined) return why;
  const wanted = reason === "condition_false" ? [...conditions, ...needs] : needs;
  const sentence = reasons[reason] ?? reason;
  return wanted.length === 0 ? sentence : `${sentence} It needs: ${wanted.join(", and ")}.`;
}

/** Shows all runs, or one. */
export function RunsPage({ route: { parameters } }: { route: Route }) {
  const { id } = parameters;
  return id === undefined ? (
    <Runs limit={Number(parameters["limit"] ?? shownRuns)} />
  ) : (
    <Run id={id} parameters={parameters} />
  );
}

function Runs({ limit }: { limit: number }) {
  const loading = useView("runs", { limit: limit === shownRuns ? undefined : limit }, true);
  const { view } = loading;
  if (view === undefined) return <Status loading={loading} />;
  return (
    <>
      <Status loading={loading} />
      <DataTable
        name="runs"
        label="Runs"
        rows={view.runs}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Run",
            value: ({ id }) => id,
            show: ({ id }) => <a href={hrefOf("runs", { id })}>{visible(id)}</a>,
          },
          { title: "Chat", value: ({ chat }) => visible(chat) },
          {
            title: "Status",
            value: ({ status }) => status,
            show: ({ status }) => <span class={`badge status-${status}`}>{status}</span>,
          },
          {
            title: "Started",
            value: ({ startedAtMs }) => startedAtMs,
            show: ({ startedAtMs }) => moment(startedAtMs),
          },
          {
            title: "Took",
            value: ({ startedAtMs, finishedAtMs }) =>
              finishedAtMs === undefined ? undefined : finishedAtMs - startedAtMs,
            show: ({ startedAtMs, finishedAtMs }) =>
              finishedAtMs === undefined ? "" : duration(finishedAtMs - startedAtMs),
          },
        ]}
      />
      {view.hasMore ? (
        <p>
          <a href={hrefOf("runs", { limit: limit * 10, "runs.length": limit * 10 })}>
            Read older runs: there are more than {count(limit)}
          </a>
        </p>
      ) : null}
    </>
  );
}

function Run({ id, parameters }: { id: string; parameters: Record<string, string> }) {
  const { operation, event } = parameters;
  const loading = useView("run", { id }, true);
  if (loading.view === undefined) return <Status loading={loading} />;
  const view = runAt(loading.view, event === undefined ? undefined : Number(event));
  const end =
    view.finishedAtMs ??
    Math.max(view.startedAtMs + 1, ...view.operations.map((one) => one.finishedAtMs ?? 0));
  const scale = (timeMs: number) =>
    Math.min(1, Math.max(0, (timeMs - view.startedAtMs) / Math.max(1, end - view.startedAtMs)));
  const slowest = slowestOf(view.operations);
  const groups = [...new Set(view.operations.map(({ hook }) => hook))];
  return (
    <>
      <Status loading={loading} />
      <p class="lead">
        <a href={hrefOf("runs")}>Runs</a> / {visible(id)}
      </p>
      <dl class="figures">
        <Figure name="Status">{view.status}</Figure>
        <Figure name="Operations">{count(view.operations.length)}</Figure>
        <Figure name="Took">{duration(end - view.startedAtMs)}</Figure>
        {slowest === undefined ? null : (
          <Figure name="Slowest operation">
            {visible(slowest.id)} {durationOf(slowest)}
          </Figure>
        )}
        <Figure name="Started by">{view.trigger.replaceAll("_", " ")}</Figure>
      </dl>
      {view.why === undefined ? null : <p class="note">{visible(view.why)}</p>}
      <Replay view={view} parameters={parameters} />
      {groups.map((hook) => (
        <section key={hook}>
          <h2>{hook.replaceAll("_", " ")}</h2>
          <Operations view={view} hook={hook} operation={operation} scale={scale} />
        </section>
      ))}
      <h2>Main call{view.main === undefined ? ": not made" : `: ${view.main.status}`}</h2>
      {view.main?.startedAtMs === undefined ? null : (
        <div class="timeline">
          <div class="lane">
            <span class="what">main call</span>
            <span class={`badge status-${view.main.status}`}>{view.main.status}</span>
            <Span one={view.main} scale={scale} />
            <span class="number">{durationOf(view.main)}</span>
          </div>
        </div>
      )}
      {view.main?.why === undefined ? null : <p class="note">{visible(view.main.why)}</p>}
      {view.answer === undefined || view.answer === "" ? null : (
        <Pieces text={view.answer} label="Answer" />
      )}
      <Prompt id={id} />
      <Artifacts view={view} />
    </>
  );
}

/** Shows the state of the run after each of its events. */
function Replay({
  view: { id, events, finishedAtMs },
  parameters,
}: {
  view: RunState;
  parameters: Record<string, string>;
}) {
  const { total, at, last = "" } = events;
  const go = (to: number) => replaceRoute("runs", { ...parameters, id, event: Math.max(1, to) });
  return (
    <div class="row">
      <label class="grow">
        Replay{" "}
        <input
          class="grow"
          type="range"
          min={1}
          max={total}
          value={at}
          aria-valuetext={`event ${at} of ${total}: ${last}`}
          onInput={(input) => go(Number(input.currentTarget.value))}
        />
      </label>
      <span class="muted">
        event {count(at)} of {count(total)}: {last}
      </span>
      {parameters["event"] !== undefined ? (
        <a href={hrefOf("runs", { ...parameters, event: "" })}>Back to now</a>
      ) : finishedAtMs === undefined ? (
        <span class="badge">live</span>
      ) : null}
    </div>
  );
}

/** Shows the prompt of the main call, and who contributed each part. */
function Prompt({ id }: { id: string }) {
  const loading = useView("sent", { id });
  const { messages = [], problem } = loading.view ?? {};
  return (
    <>
      <h2>Prompt of the main call</h2>
      <Status loading={loading} />
      {problem === undefined ? null : <p class="note">{visible(problem)}</p>}
      <p class="muted">
        Put together again from the store; what a limit of the application cut off is in it.
      </p>
      {messages.map(({ role, from, by, text }, at) => (
        <details key={at} open={by.length > 0}>
          <summary>
            <strong>{role}</strong> {from}{" "}
            <span class="muted">{count(text.length)} characters</span>{" "}
            {by.map((name) => (
              <span key={name} class="badge">
                {visible(name)}
              </span>
            ))}
          </summary>
          <Pieces text={text} label={`Message ${at + 1}`} />
        </details>
      ))}
    </>
  );
}

/** Shows the versions of the state. */
function Artifacts({ view: { artifacts } }: { view: RunState }) {
  if (artifacts.length === 0) return null;
  return (
    <>
      <h2>State of the chat</h2>
      {artifacts.map(({ tag, versions }) => (
        <section key={tag}>
          <h3>{visible(tag)}</h3>
          {versions.map(({ version, isOfRun, runId, timeMs, diff }) => (
            <details key={version} open={isOfRun}>
              <summary>
                version {version} {isOfRun ? <span class="badge">this run</span> : null}{" "}
                <span class="muted">{moment(timeMs)}</span>
              </summary>
              {isOfRun ? null : (
                <p>
                  Written by the run <a href={hrefOf("runs", { id: runId })}>{visible(runId)}</a>
                </p>
              )}
              <Diff text={diff} />
            </details>
          ))}
        </section>
      ))}
    </>
  );
}

function Operations({
  view,
  hook,
  operation,
  scale,
}: {
  view: RunState;
  hook: string;
  operation: string | undefined;
  scale: (timeMs: number) => number;
}) {
  return (
    <ol class="timeline">
      {view.operations
        .filter((one) => one.hook === hook)
        .map((one) => {
          const key = `${hook}/${one.id}`;
          const isOpen = key === operation;
          return (
            <li key={one.id}>
              <a
                href={hrefOf("runs", { id: view.id, operation: isOpen ? undefined : key })}
                aria-expanded={isOpen}
              >
                <span class="what">{visible(one.id)}</span>
                <span class={`badge status-${one.status}`}>{one.status}</span>
                <Span one={one} scale={scale} />
                <span class="number">{durationOf(one)}</span>
              </a>
              {whyOf(one) === undefined ? null : <div class="why">{visible(whyOf(one) ?? "")}</div>}
              {isOpen ? <Effects one={one} /> : null}
            </li>
          );
        })}
    </ol>
  );
}

type Timed = Pick<RunOperation, "status" | "startedAtMs" | "finishedAtMs">;

function durationOf({ startedAtMs, finishedAtMs }: Timed): string {
  return startedAtMs === undefined || finishedAtMs === undefined
    ? ""
    : duration(finishedAtMs - startedAtMs);
}

/** The operation with the longest duration. */
function slowestOf(operations: readonly RunOperation[]): RunOperation | undefined {
  const ms = ({ startedAtMs = 0, finishedAtMs = startedAtMs }: Timed): number =>
    finishedAtMs - startedAtMs;
  return operations.toSorted((a, b) => ms(b) - ms(a))[0];
}

function Span({ one, scale }: { one: Timed; scale: (timeMs: number) => number }) {
  const [from, to] = [scale(one.startedAtMs ?? 0), scale(one.finishedAtMs ?? Infinity)];
  const isSeen = one.startedAtMs !== undefined;
  const style = { left: `${from * 100}%`, width: `${Math.max(0.5, (to - from) * 100)}%` };
  return (
    <span class="track" aria-hidden="true">
      {isSeen ? <span class={`fill status-fill-${one.status}`} style={style} /> : null}
    </span>
  );
}

function Effects({ one }: { one: RunOperation }) {
  return (
    <div class="panel">
      <p class="muted">
        {visible(one.name)}, {count(one.attempts ?? 0)}{" "}
        {one.attempts === 1 ? "attempt" : "attempts"}
      </p>
      {one.effects.length === 0 ? <p>It added nothing to the prompt and wrote no state.</p> : null}
      {one.effects.map(({ name, text }, at) => (
        <div key={at}>
          <h3>{visible(name)}</h3>
          <Pieces text={text} label={name} />
        </div>
      ))}
    </div>
  );
}

/** How many characters of a text are shown at first. */
const pieceLength = 20_000;

/** Shows the beginning of a loaded text and a button for more. */
function Pieces({ text, label }: { text: string; label: string }) {
  const [length, setLength] = useState(pieceLength);
  return (
    <>
      <pre tabIndex={0} aria-label={label}>
        {visible(text.slice(0, length))}
      </pre>
      {text.length > length ? (
        <button type="button" onClick={() => setLength(length * 10)}>
          Show more: {count(text.length - length)} characters are not shown yet
        </button>
      ) : null}
    </>
  );
}
