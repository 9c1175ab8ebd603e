import { useState } from "preact/hooks";

import type { PackFile, PackView } from "../src/views.ts";
import { count, percent, visible } from "./format.ts";
import { Bar, CopyButton, Figure, Status } from "./parts.tsx";
import { replaceRoute, type Route } from "./route.ts";
import { useView } from "./use-view.ts";

const maxBudget = 64_000;

/** Shows what a model would read of the project for a task, and why. */
export function PackPage({ route: { parameters } }: { route: Route }) {
  const { task = "", budget = "8000" } = parameters;
  const [typed, setTyped] = useState(task);
  const [sliding, setSliding] = useState(budget);
  const loading = useView("pack", { task, budget });
  const { view } = loading;
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          replaceRoute("pack", { task: typed, budget });
        }}
      >
        <label class="grow">
          Task{" "}
          <input
            class="grow"
            type="text"
            value={typed}
            placeholder="what is to be done; empty for an overview of the project"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Rank</button>
        <label>
          Budget{" "}
          <input
            type="range"
            min={1000}
            max={maxBudget}
            step={1000}
            value={sliding}
            aria-valuetext={`${count(Number(sliding))} tokens`}
            onInput={(event) => setSliding(event.currentTarget.value)}
            onChange={(event) => replaceRoute("pack", { task, budget: event.currentTarget.value })}
          />{" "}
          {count(Number(sliding))} tokens
        </label>
      </form>
      <Status loading={loading} />
      {view === undefined ? null : <Pack view={view} isOld={loading.isLoading} />}
    </>
  );
}

function Pack({ view, isOld }: { view: PackView; isOld: boolean }) {
  const [length, setLength] = useState(100);
  const shown = view.files.filter(({ level }) => level !== undefined);
  return (
    <div class={isOld ? "old" : ""} aria-busy={isOld}>
      <dl class="figures">
        <Figure name="Tokens">
          {count(view.tokens)} of {count(view.budget)}
        </Figure>
        <Figure name="Files shown">
          {count(shown.length)} of {count(view.files.length)}
        </Figure>
      </dl>
      {view.task !== "" && view.isMatched === false ? (
        <p class="note">No file has any word of the task, so this is an overview.</p>
      ) : null}
      {view.unmatched.length === 0 ? null : (
        <p class="muted">In no file: {visible(view.unmatched.join(", "))}</p>
      )}
      <details>
        <summary>The exact text</summary>
        <div class="row">
          <CopyButton text={view.text} />
        </div>
        <pre tabIndex={0} aria-label="Text of the pack">
          {visible(view.text)}
        </pre>
      </details>
      <div class="scroll" tabIndex={0} role="region" aria-label="Files by rank">
        <table class="data">
          <thead>
            <tr>
              <th class="number">Rank</th>
              <th>File</th>
              <th>Shown</th>
              <th class="number">Tokens</th>
              <th>Why</th>
              <th>
                <span class="hidden">Share of the best score</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {view.files.slice(0, length).map((file) => (
              <FileRow key={file.path} file={file} best={view.files[0]?.score ?? 1} />
            ))}
          </tbody>
        </table>
      </div>
      {view.files.length > length ? (
        <button type="button" onClick={() => setLength(length + 500)}>
          Show more: {count(view.files.length - length)} files are not shown yet
        </button>
      ) : null}
    </div>
  );
}

function FileRow({ file, best }: { file: PackFile; best: number }) {
  const { rank, path, alias, level, tokens, reason, parts = {}, matched = [], commit } = file;
  const why = [
    ...Object.entries(parts)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 3)
      .map(([name, share]) => `${name} ${percent(share)}`),
    ...(matched.length > 0 ? [`words: ${matched.join(" ")}`] : []),
    ...(commit === undefined ? [] : [`commit: ${commit}`]),
  ];
  return (
    <tr class={level === undefined ? "faint" : ""}>
      <td data-title="Rank" class="number">
        {rank ?? ""}
      </td>
      <td class="wide">
        {visible(path)} <span class="muted">{visible(alias)}</span>
      </td>
      <td data-title="Shown">{level ?? `left out: ${reason}`}</td>
      <td data-title="Tokens" class="number">
        {tokens === undefined ? "" : count(tokens)}
      </td>
      <td data-title="Why" class="wide">
        {visible(why.join(" · "))}
      </td>
      <td class="bars">
        <Bar share={best === 0 ? 0 : (file.score ?? 0) / best} />
      </td>
    </tr>
  );
}
