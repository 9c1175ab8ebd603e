import type { PromptPart, PromptView, SessionRow } from "../src/views.ts";
import { ComparedPrompts } from "./compared-prompts.tsx";
import { labelOf, originNames } from "./part-names.ts";
import { brief, count, moment, money, percent, visible } from "./format.ts";
import { LineChart } from "./line-chart.tsx";
import { LongText } from "./long-text.tsx";
import { moveByArrows } from "./move-by-arrows.ts";
import { Figure, Status } from "./parts.tsx";
import { currentRoute, hrefOf, type Route } from "./route.ts";
import { Treemap } from "./treemap.tsx";
import { useView } from "./use-view.ts";

const reasons: Record<string, string> = {
  lossless: "The same content in fewer tokens; nothing is missing.",
  repeat: "An earlier result in this prompt says the same, so that one is referred to.",
  selection:
    "Long for one result: lines that match the question, errors and rare values stay, the rest is named with a way to get it.",
  cut: "An old result in a long prompt: sending it again with every request costs more than writing the cache anew.",
  dropped: "Left out, so that the prompt keeps within its budget.",
  truncated: "Shortened, so that the prompt keeps within its budget.",
  compacted: "Its content in fewer tokens, so that the prompt keeps within its budget.",
  repaired: "Changed, so that every provider accepts the prompt.",
  added: "Stands for what was left out.",
};

/** Reasons that are not the budget. */
const whys: Record<string, string> = {
  empty: "It had no content.",
  orphaned_result: "It answers no call that is open.",
  duplicate_result: "Its call had an answer already.",
  duplicate_call: "A call with its id was there already.",
  unanswered_call: "A call of it had no answer.",
  misplaced_calls: "Calls stood outside a message of the assistant.",
  no_user_first: "The user has to open a conversation.",
};

/** Sessions, or the prompts of one. */
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
      <SessionTable sessions={sessions} />
      {left > 0 ? <p class="note">{count(left)} older files were not read.</p> : null}
    </>
  );
}

function SessionTable({ sessions }: { sessions: readonly SessionRow[] }) {
  if (sessions.length === 0) return null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Sessions">
      <table>
        <thead>
          <tr>
            <th>Session</th>
            <th>Source</th>
            <th>Model</th>
            <th class="number">Prompts</th>
            <th class="number">Last prompt</th>
            <th>Time</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map(({ id, title, source, model, prompts, tokens, timeMs }) => (
            <tr key={id}>
              <td class="wide">
                <a href={hrefOf("context", { session: id })}>{visible(title)}</a>
              </td>
              <td>{source}</td>
              <td>{visible(model ?? "")}</td>
              <td class="number">{count(prompts)}</td>
              <td class="number">{brief(tokens)}</td>
              <td>{moment(timeMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Prompt({ route: { parameters } }: { route: Route }) {
  const { session = "", at, part, with: to, other } = parameters;
  // Without a place it is the newest prompt, so that the page moves as the session does.
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
              label: "As it came",
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
              label: "Of these sent before",
              colour: "good",
              values: whole.view.prompts.map((row) => row.cached),
            },
          ]}
        />
      )}
      <Status loading={loading} />
      <Steps view={view} compared={{ to, other }} go={go} />
      {to === undefined ? (
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
  // From the address, which is ahead of what is shown while clicks follow each other.
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

function Parts({ view, part, go }: { view: PromptView; part: string | undefined; go: Go }) {
  const { prompt, parts } = view;
  const tokens = prompt.cached + prompt.fresh;
  const sent = parts.filter((one) => one.form !== "dropped");
  const selected = part === undefined ? undefined : parts[Number(part)];
  const select = (id: string) => go({ part: id === part ? undefined : id });
  // One stop for the Tab key, not one for each of hundreds.
  const stop = (selected ?? parts[0])?.at;
  return (
    <>
      <dl class="figures">
        {prompt.reported === undefined ? null : (
          <Figure name="Input by the provider">{count(prompt.reported.total)}</Figure>
        )}
        <Figure name="Tokens sent, by estimate">{count(tokens)}</Figure>
        {prompt.budget === undefined ? null : (
          <Figure name={`Of a window of ${count(prompt.budget)}`}>
            {percent((prompt.reported?.total ?? tokens) / prompt.budget)}
          </Figure>
        )}
        <Figure name="Before anything was cut">{count(prompt.directTokens)}</Figure>
        <Figure name="Sent before, so cached">
          {percent(tokens === 0 ? 0 : prompt.cached / tokens)}
        </Figure>
        <Figure name="Input at list prices">{money(prompt.usd)}</Figure>
        {prompt.reason === undefined ? null : (
          <Figure name="Passed unchanged">{prompt.reason.replaceAll("_", " ")}</Figure>
        )}
      </dl>
      <Legend parts={parts} />
      <Treemap
        leaves={sent.map((one) => ({
          id: String(one.at),
          label: labelOf(one),
          group: one.origin,
          value: one.tokens,
          isFaint: one.isCached,
          mark: one.form === undefined ? undefined : "✂",
        }))}
        selected={part}
        onSelect={select}
      />
      <p class="muted">
        Faint: sent before, so read from the cache. Strong: new in this prompt. ✂: shown in part or
        shorter.
      </p>
      {hasTexts(view) ? null : (
        <p class="note">
          Only sizes were kept. With <code>ccl proxy --record</code>, or{" "}
          <code>recordTo(folder, {"{ texts: true }"})</code>, the texts are kept too, without
          secrets.
        </p>
      )}
      {selected === undefined ? null : <PartPanel view={view} part={selected} go={go} />}
      <h2>In the order in which the model read them</h2>
      <ol class="parts" aria-label="Parts; arrow keys move" onKeyDown={moveByArrows}>
        {parts.map((one) => (
          <li key={one.at} class={one.isCached || one.form === "dropped" ? "faint" : ""}>
            <button
              type="button"
              tabIndex={one.at === stop ? 0 : -1}
              aria-expanded={String(one.at) === part}
              onClick={() => select(String(one.at))}
            >
              <span class={`chip origin-${one.origin}`}>{originNames[one.origin]}</span>
              <span class="tokens">{count(one.tokens)}</span>
              <span class="what">
                {one.tool === undefined ? "" : `${visible(one.tool)} · `}
                {visible(one.preview ?? "").slice(0, 160)}
              </span>
              {one.form === undefined ? null : (
                <span class="badge">
                  {one.form}
                  {one.directTokens === 0 ? "" : ` of ${count(one.directTokens)}`}
                </span>
              )}
              {one.form === "dropped" ? null : (
                <span class="badge">{one.isCached ? "cached" : "new"}</span>
              )}
            </button>
          </li>
        ))}
      </ol>
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
          </li>
        ))}
    </ul>
  );
}

function PartPanel({ view, part, go }: { view: PromptView; part: PromptPart; go: Go }) {
  const of = { session: view.session.id, at: view.prompt.at, part: part.at };
  return (
    <section class="panel" aria-label={labelOf(part)}>
      <div class="row">
        <h2>{labelOf(part)}</h2>
        <button type="button" onClick={() => go({ part: undefined })}>
          Close
        </button>
      </div>
      {part.form === undefined ? null : (
        <p>
          <strong>{part.form}</strong>: {whys[part.why ?? ""] ?? reasons[part.form]}{" "}
          {count(part.directTokens)} tokens became {count(part.tokens)}.
          {part.handle === undefined ? "" : ` The whole: ${visible(part.handle)}.`}
        </p>
      )}
      {hasTexts(view) ? (
        <div class={part.form === undefined ? "" : "columns"}>
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
        </div>
      ) : null}
    </section>
  );
}

function hasTexts({ parts }: PromptView): boolean {
  return parts.some(({ preview }) => preview !== undefined);
}
