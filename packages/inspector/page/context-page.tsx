import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { PromptPart, PromptRow, PromptView } from "../src/views.ts";
import { ComparedPrompts } from "./compared-prompts.tsx";
import { DataTable } from "./data-table.tsx";
import { PartMap } from "./part-map.tsx";
import { labelOf, namesOf, originNames } from "./part-names.ts";
import { brief, count, duration, moment, money, percent, visible } from "./format.ts";
import { LineChart } from "./line-chart.tsx";
import { LongText } from "./long-text.tsx";
import { Bar, CopyButton, Figure, Status } from "./parts.tsx";
import { Replay } from "./replay.tsx";
import { currentRoute, hrefOf, replaceRoute, type Route } from "./route.ts";
import { SessionTable } from "./session-table.tsx";
import { fetchView, useView } from "./use-view.ts";
import { WindowBar } from "./window-bar.tsx";

const reasons: Record<string, string> = {
  lossless: "The same content in fewer tokens. Nothing is missing.",
  repeat: "A reference to an earlier result in this prompt with the same content.",
  selection:
    "A long result: lines that match the question, errors and rare values stay, and the model can request the rest.",
  cut: "An old result in a long prompt: sending it again with every request costs more than writing the cache anew.",
  dropped: "Left out, so that the prompt stays within its budget.",
  truncated: "Shortened, so that the prompt stays within its budget.",
  compacted: "Compacted, so that the prompt stays within its budget.",
  repaired: "Changed, so that every provider accepts the prompt.",
  added: "Replaces parts that were left out.",
};

/** Explanations of reasons other than the budget. */
const whys: Record<string, string> = {
  empty: "It had no content.",
  orphaned_result: "It belongs to no open call.",
  duplicate_result: "Its call already had a result.",
  duplicate_call: "There was already a call with its id.",
  unanswered_call: "One of its calls had no result.",
  misplaced_calls: "There were calls outside an assistant message.",
  no_user_first: "A conversation must begin with a user message.",
};

/** Shows all sessions, or the prompts of one. */
export function ContextPage({ route }: { route: Route }) {
  const { session } = route.parameters;
  return session === undefined ? <Sessions /> : <Prompt route={route} />;
}

function Sessions() {
  const loading = useView("sessions", {}, true);
  const { sessions = [], left = 0 } = loading.view ?? {};
  return (
    <>
      <p class="lead">
        What was sent to a model, by session: the gateway's, those that your program recorded, and
        those of coding agents.
      </p>
      <Status loading={loading} />
      {loading.view !== undefined && sessions.length === 0 ? (
        <p class="note">
          Nothing was recorded. Run <code>ccl proxy --record</code> or{" "}
          <code>ccl wrap --record -- claude</code>, give <code>withContext</code> or{" "}
          <code>createContextCompiler</code> the option{" "}
          <code>record: recordTo(".ccl/records")</code>, or name a folder of an agent's logs:{" "}
          <code>ccl ui --agents logs/</code>
        </p>
      ) : null}
      <SessionTable sessions={sessions} label="Sessions" />
      {left > 0 ? <p class="note">{count(left)} older files were not read.</p> : null}
    </>
  );
}

function Prompt({ route: { parameters } }: { route: Route }) {
  const { session = "", at, part, with: to, other, replay, policy } = parameters;
  // Without `at`, this is the newest prompt, and the page follows the session.
  const loading = useView("prompt", { session, at }, true);
  const whole = useView("session", { session }, true);
  const { view } = loading;
  if (view === undefined) return <Status loading={loading} />;
  const go: Go = (change) => {
    location.hash = hrefOf("context", { ...currentRoute().parameters, session, ...change });
  };
  return (
    <>
      <p class="lead">
        <a href={hrefOf("context")}>Sessions</a> / {visible(view.session.title)}
      </p>
      {whole.view === undefined || whole.view.prompts.length < 2 ? null : (
        <LineChart
          summary={`Tokens of ${whole.view.prompts.length} prompts; the last has ${count(view.session.tokens)}`}
          x={whole.view.prompts.map((row) => row.at + 1)}
          format={brief}
          onSelect={(index) => go({ at: index, part: undefined })}
          lines={[
            {
              label: "Original",
              colour: "muted",
              values: whole.view.prompts.map((row) => row.directTokens),
            },
            {
              label: "Sent",
              colour: "accent",
              values: whole.view.prompts.map((row) => row.cached + row.fresh),
              isFilled: true,
            },
            {
              label: "Cached",
              colour: "good",
              values: whole.view.prompts.map((row) => row.cached),
            },
          ]}
        />
      )}
      <Status loading={loading} />
      {whole.view === undefined ? null : <Prompts session={session} prompts={whole.view.prompts} />}
      <Steps view={view} compared={{ to, other }} go={go} />
      {replay !== undefined ? (
        <Replay session={session} budget={replay} policy={policy} go={go} />
      ) : to === undefined ? (
        <Parts view={view} part={part} go={go} />
      ) : (
        <ComparedPrompts view={view} with={Number(to)} other={other} />
      )}
    </>
  );
}

type Go = (to: Record<string, string | number | undefined>) => void;

function Steps({
  view,
  compared: { to, other },
  go,
}: {
  view: PromptView;
  compared: { to: string | undefined; other: string | undefined };
  go: Go;
}) {
  const {
    prompt,
    session: { prompts },
  } = view;
  const sessions = useView(to === undefined ? undefined : "sessions");
  const last = prompts - 1;
  const step = (at: number) => go({ at: at >= last ? undefined : at, part: undefined });
  // Use the URL, because the view lags behind during quick clicks.
  const stepBy = (steps: number) =>
    step(Math.max(0, Number(currentRoute().parameters["at"] ?? last) + steps));
  const isNewest = currentRoute().parameters["at"] === undefined;
  const known = sessions.view?.sessions ?? [];
  const length = other === undefined ? prompts : known.find(({ id }) => id === other)?.prompts;
  return (
    <div class="row">
      <button type="button" disabled={prompt.at === 0} onClick={() => stepBy(-1)}>
        Previous
      </button>
      <label>
        Prompt{" "}
        <input
          type="range"
          min={0}
          max={prompts - 1}
          value={prompt.at}
          aria-valuetext={`${prompt.at + 1} of ${prompts}`}
          onChange={(event) => step(Number(event.currentTarget.value))}
        />
      </label>
      <span>
        {prompt.at + 1} of {prompts}
      </span>
      <button type="button" disabled={isNewest} onClick={() => stepBy(1)}>
        Next
      </button>
      {isNewest ? <span class="badge">the newest, live</span> : null}
      <button type="button" onClick={() => go({ replay: 8_000, with: undefined, part: undefined })}>
        What would 8,000 tokens have done?
      </button>
      <label>
        Compare with{" "}
        <input
          type="number"
          min={1}
          max={length}
          placeholder="no other"
          value={to === undefined ? "" : Number(to) + 1}
          onChange={(event) => {
            const given = event.currentTarget.valueAsNumber;
            go({ with: Number.isNaN(given) ? undefined : given - 1, at: prompt.at });
          }}
        />
      </label>
      {known.length < 2 ? null : (
        <label>
          of{" "}
          <select
            value={other ?? ""}
            onChange={(event) => go({ with: 0, other: event.currentTarget.value, at: prompt.at })}
          >
            <option value="">this session</option>
            {known.map(({ id, title }) =>
              id === view.session.id ? null : (
                <option key={id} value={id}>
                  {visible(title).slice(0, 60)}
                </option>
              ),
            )}
          </select>
        </label>
      )}
    </div>
  );
}

/** Lists all prompts of the session. Open at first if the URL sorts or searches them. */
function Prompts({ session, prompts }: { session: string; prompts: readonly PromptRow[] }) {
  const isNamed = Object.keys(currentRoute().parameters).some((name) =>
    name.startsWith("prompts."),
  );
  const [isOpen, setOpen] = useState(isNamed);
  const failed = prompts.filter(({ isFailed }) => isFailed).length;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        All {count(prompts.length)} prompts{failed === 0 ? "" : `, ${count(failed)} failed`}
      </summary>
      <DataTable
        name="prompts"
        label="Prompts"
        rows={isOpen ? prompts : []}
        keyOf={({ at }) => String(at)}
        columns={[
          {
            title: "Prompt",
            value: ({ at }) => at + 1,
            show: ({ at }) => <a href={hrefOf("context", { session, at })}>{at + 1}</a>,
          },
          {
            title: "Status",
            value: ({ isFailed, status }) => (isFailed ? `failed: ${status ?? "no answer"}` : ""),
            show: ({ isFailed, status }) =>
              isFailed ? (
                <span class="badge status-failed">failed: {status ?? "no answer"}</span>
              ) : (
                (status ?? "")
              ),
          },
          {
            title: "By the provider",
            value: ({ reported }) => reported?.total,
            show: ({ reported }) => reported && count(reported.total),
          },
          { title: "Sent, estimate", value: sentOf, show: (row) => count(sentOf(row)) },
          {
            title: "Original, estimate",
            value: (row) => row.directTokens,
            show: (row) => count(row.directTokens),
          },
          { title: "Cost", value: ({ usd }) => usd, show: ({ usd }) => money(usd) },
          {
            title: "Took",
            value: ({ durationMs }) => durationMs,
            show: ({ durationMs }) => (durationMs === undefined ? "" : duration(durationMs)),
          },
          { title: "Time", value: ({ timeMs }) => timeMs, show: ({ timeMs }) => moment(timeMs) },
        ]}
      />
    </details>
  );
}

function sentOf({ cached, fresh }: PromptRow): number {
  return cached + fresh;
}

function Parts({ view, part, go }: { view: PromptView; part: string | undefined; go: Go }) {
  const { parts } = view;
  const names = useMemo(() => namesOf(parts), [parts]);
  const { find = "", order = "" } = currentRoute().parameters;
  const selected = part === undefined ? undefined : parts[Number(part)];
  const select = (id: string) => go({ part: id === part ? undefined : id });
  const type = (change: { find: string }) =>
    replaceRoute("context", { ...currentRoute().parameters, ...change });
  const listed = partsInOrder(parts, { names, find, order });
  // Rebuilt only if its content changes, because a live page renders often.
  const map = useMemo(
    () => <PartMap parts={parts} names={names} listed={listed} part={part} onSelect={select} />,
    [parts, part, find, order],
  );
  return (
    <>
      <PromptFigures view={view} />
      <WindowBar view={view} />
      {hasTexts(view) ? null : (
        <p class="note">
          Only sizes were recorded. With <code>ccl proxy --record</code>, or{" "}
          <code>recordTo(folder, {"{ texts: true }"})</code>, texts are recorded too, with secrets
          masked.
        </p>
      )}
      <div class="split">
        <div>
          <div class="row">
            <label>
              Find{" "}
              <input
                type="search"
                aria-label="Find in parts"
                value={find}
                onInput={(event) => type({ find: event.currentTarget.value })}
              />
            </label>
            <label>
              Order{" "}
              <select value={order} onChange={(event) => go({ order: event.currentTarget.value })}>
                <option value="">as the model reads</option>
                <option value="size">largest first</option>
                <option value="cut">most cut first</option>
              </select>
            </label>
            <span class="muted" role="status">
              {listed.length === parts.length ? "" : `${count(listed.length)} of `}
              {count(parts.length)} parts
            </span>
          </div>
          {map}
          <p class="muted">Faint: cached. Strong: new in this prompt. Dashed: cut.</p>
        </div>
        <div>
          {selected === undefined ? (
            <>
              <h2>By origin</h2>
              <Legend parts={parts} />
              <Answer view={view} />
            </>
          ) : (
            <PartPanel view={view} part={selected} name={names[selected.at] ?? ""} go={go} />
          )}
        </div>
      </div>
    </>
  );
}

function partsInOrder(
  parts: readonly PromptPart[],
  { names, find, order }: { names: readonly string[]; find: string; order: string },
): PromptPart[] {
  const found = parts.filter(
    ({ at, tool, origin, preview, form }) =>
      find === "" ||
      [names[at], tool, originNames[origin], preview, form]
        .join(" ")
        .toLowerCase()
        .includes(find.toLowerCase()),
  );
  const cut = ({ tokens, directTokens }: PromptPart): number => directTokens - tokens;
  if (order === "size") return found.toSorted((a, b) => b.tokens - a.tokens);
  return order === "cut" ? found.toSorted((a, b) => cut(b) - cut(a)) : found;
}

function PromptFigures({ view }: { view: PromptView }) {
  const { prompt, session, parts } = view;
  const tokens = prompt.cached + prompt.fresh;
  return (
    <dl class="figures">
      {prompt.reported === undefined ? null : (
        <>
          <Figure name="Input by the provider">{count(prompt.reported.total)}</Figure>
          <Figure name="Cached by the provider">{count(prompt.reported.cached)}</Figure>
        </>
      )}
      <Figure name="Sent, by estimate">{count(tokens)}</Figure>
      {prompt.budget === undefined ? null : (
        <Figure name={`Of a window of ${count(prompt.budget)}`}>
          {percent((prompt.reported?.total ?? tokens) / prompt.budget)}
        </Figure>
      )}
      <Figure name="Original, by estimate">{count(prompt.directTokens)}</Figure>
      <Figure name="Cached, by estimate">
        {percent(tokens === 0 ? 0 : prompt.cached / tokens)}
      </Figure>
      <Figure name="Input at list prices">{money(prompt.usd)}</Figure>
      {prompt.durationMs === undefined ? null : (
        <Figure name="Took">{duration(prompt.durationMs)}</Figure>
      )}
      {prompt.isFailed ? <Figure name="Failed">{prompt.status ?? "no answer"}</Figure> : null}
      {prompt.reason === undefined ? null : (
        <Figure name="Passed unchanged">{prompt.reason.replaceAll("_", " ")}</Figure>
      )}
      {hasTexts(view) ? (
        <Figure name="The request as JSON">
          <CopyButton text={() => requestText({ session: session.id, at: prompt.at }, parts)} />
        </Figure>
      ) : null}
    </dl>
  );
}

/** Loads the full texts of all parts as sent. */
async function requestText(
  place: { session: string; at: number },
  parts: readonly PromptPart[],
): Promise<string> {
  const sent = parts.filter(({ form }) => form !== "dropped");
  const read = async ({ at, origin, tool, callId }: PromptPart) => {
    let text = "";
    for (let total = 1; text.length < total;) {
      const piece = await fetchView("text", { ...place, part: at, offset: text.length });
      text += piece.text;
      total = piece.text === "" ? 0 : piece.total;
    }
    return { origin, tool, callId, text };
  };
  return JSON.stringify(await Promise.all(sent.map(read)), null, 2);
}

/** Shows the model's answer, which comes from the next prompt. */
function Answer({ view: { session, prompt, parts } }: { view: PromptView }) {
  const isLast = prompt.at >= session.prompts - 1;
  const at = prompt.at + 1;
  const next = useView(isLast ? undefined : "prompt", { session: session.id, at });
  const added = next.view?.parts.slice(parts.length) ?? [];
  const end = added.findIndex(({ origin }) => origin === "user" || origin === "result");
  const answer = end < 0 ? added : added.slice(0, end);
  return (
    <>
      <h2>The answer</h2>
      <Status loading={next} />
      {answer.length === 0 && !next.isLoading ? (
        <p class="muted">
          {isLast ? "It comes with the next prompt." : "The next prompt does not extend this one."}
        </p>
      ) : null}
      {answer.map((part) => (
        <section key={part.at} aria-label={labelOf(part)}>
          <h3>{labelOf(part)}</h3>
          {part.preview === undefined ? null : (
            <LongText parameters={{ session: session.id, at, part: part.at }} />
          )}
        </section>
      ))}
    </>
  );
}

function Legend({ parts }: { parts: readonly PromptPart[] }) {
  const sums = new Map<PromptPart["origin"], number>();
  for (const { origin, tokens } of parts) sums.set(origin, (sums.get(origin) ?? 0) + tokens);
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <ul class="legend">
      {[...sums]
        .sort(([, a], [, b]) => b - a)
        .map(([origin, tokens]) => (
          <li key={origin}>
            <span class={`swatch origin-${origin}`} aria-hidden="true" /> {originNames[origin]}{" "}
            {brief(tokens)} ({percent(total === 0 ? 0 : tokens / total)})
            <Bar share={total === 0 ? 0 : tokens / total} />
          </li>
        ))}
    </ul>
  );
}

/** Shows one part. It takes the focus, and Escape returns the focus to the list. */
function PartPanel({
  view,
  part,
  name,
  go,
}: {
  view: PromptView;
  part: PromptPart;
  name: string;
  go: Go;
}) {
  const place = useRef<HTMLElement>(null);
  const of = { session: view.session.id, at: view.prompt.at, part: part.at };
  const close = () => {
    go({ part: undefined });
    document.querySelector<HTMLElement>(`#part-${part.at}`)?.focus();
  };
  useEffect(() => {
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: "nearest" });
  }, [part.at]);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === "Escape") close();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  return (
    <section class="panel" aria-label={labelOf(part)} tabIndex={-1} ref={place}>
      <div class="row">
        <h2>{labelOf(part)}</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <p class="muted">{name}</p>
      {part.form === undefined ? null : (
        <p>
          <strong>{part.form}</strong>: {whys[part.why ?? ""] ?? reasons[part.form]}{" "}
          {count(part.directTokens)} tokens became {count(part.tokens)}.
          {part.handle === undefined ? "" : ` The whole: ${visible(part.handle)}.`}
        </p>
      )}
      {hasTexts(view) ? (
        <>
          {part.form === "dropped" ? null : (
            <div>
              {part.form === undefined ? null : <h3>Sent</h3>}
              <LongText parameters={of} />
            </div>
          )}
          {part.form === undefined || part.form === "added" ? null : (
            <div>
              <h3>Original</h3>
              <LongText parameters={{ ...of, of: "original" }} />
            </div>
          )}
        </>
      ) : null}
    </section>
  );
}

function hasTexts({ parts }: PromptView): boolean {
  return parts.some(({ preview }) => preview !== undefined);
}
