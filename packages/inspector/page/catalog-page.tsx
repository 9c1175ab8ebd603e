import { useEffect, useState } from "preact/hooks";

import { CatalogChanges, CatalogHealth } from "./catalog-health.tsx";
import type { CatalogView, ResourceView } from "../src/views.ts";
import { count, visible } from "./format.ts";
import { CopyButton, Status } from "./parts.tsx";
import { hrefOf, replaceRoute, type Route } from "./route.ts";
import { useView } from "./use-view.ts";

const typingMs = 120;

const tabs = { "": "Resources", health: "Health", changes: "What changed" };

/** Shows resources, their health, and changes. */
export function CatalogPage({ route: { parameters } }: { route: Route }) {
  const { show = "" } = parameters;
  return (
    <>
      <nav aria-label="Catalog" class="tabs">
        {Object.entries(tabs).map(([name, title]) => (
          <a
            key={name}
            href={hrefOf("catalog", { show: name })}
            aria-current={name === show ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {show === "health" ? (
        <CatalogHealth run={parameters["run"]} />
      ) : show === "changes" ? (
        <CatalogChanges since={parameters["since"]} />
      ) : (
        <Resources parameters={parameters} />
      )}
    </>
  );
}

/** Searches resources as the user types. */
function Resources({ parameters }: { parameters: Record<string, string> }) {
  const { id, ...asked } = parameters;
  const [typed, setTyped] = useState(asked["text"] ?? "");
  const loading = useView("catalog", asked);
  const card = useView(id === undefined ? undefined : "resource", { id });
  const { view } = loading;
  const key = JSON.stringify(parameters);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed !== (asked["text"] ?? "")) replaceRoute("catalog", { ...parameters, text: typed });
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed, key]);
  return (
    <>
      <div class="row">
        <label class="grow">
          Search{" "}
          <input
            class="grow"
            type="search"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <span class="muted" role="status">
          {view === undefined ? "" : `${count(view.hits.length)} shown of ${count(view.total)}`}
        </span>
      </div>
      <Status loading={loading} />
      {view === undefined ? null : (
        <div class="catalog">
          <Facets view={view} parameters={parameters} />
          <div class="scroll" tabIndex={0} role="region" aria-label="Resources">
            {view.unmatched.length === 0 ? null : (
              <p class="muted">No resource has: {visible(view.unmatched.join(", "))}</p>
            )}
            <ul class="hits">
              {view.hits.map((hit) => (
                <li key={hit.id}>
                  <a
                    href={hrefOf("catalog", { ...parameters, id: hit.id })}
                    aria-current={hit.id === id ? "true" : undefined}
                  >
                    {visible(hit.title)}
                  </a>{" "}
                  <span class="badge">{visible(hit.kind)}</span>{" "}
                  {hit.problems.slice(0, 3).map((problem) => (
                    <span key={problem} class="badge problem">
                      {problem}
                    </span>
                  ))}
                  <div class="muted clip">{visible(hit.fields.join(" ") || hit.id)}</div>
                </li>
              ))}
            </ul>
          </div>
          {id === undefined ? null : (
            <div>
              <Status loading={card} />
              {card.view === undefined ? null : <Card card={card.view} />}
            </div>
          )}
        </div>
      )}
    </>
  );
}

function Facets({
  view: { facets, health },
  parameters,
}: {
  view: CatalogView;
  parameters: Record<string, string>;
}) {
  const problems = health.flatMap(({ name: value, count: matches }) =>
    matches > 0 ? [{ value, count: matches }] : [],
  );
  const groups = [
    { name: "health", key: "health", values: problems },
    ...Object.entries(facets).flatMap(([name, values]) =>
      values.length === 0 ? [] : [{ name, key: `facet.${name}`, values }],
    ),
  ];
  return (
    <nav aria-label="Facets" class="facets">
      {groups.slice(0, 9).map(({ name, key, values }) => (
        <section key={key}>
          <h2>{visible(name)}</h2>
          <ul>
            {values.slice(0, 10).map(({ value, count: matches }) => {
              const isOn = parameters[key] === value;
              const next = { ...parameters, id: "", [key]: isOn ? "" : value };
              return (
                <li key={value}>
                  <a href={hrefOf("catalog", next)} aria-current={isOn ? "true" : undefined}>
                    {visible(value)}
                  </a>{" "}
                  <span class="muted">{count(matches)}</span>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Card({ card }: { card: ResourceView }) {
  return (
    <section class="panel" aria-label={card.title}>
      <h2>{visible(card.title)}</h2>
      <dl class="facts">
        {card.facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{visible(value)}</dd>
          </div>
        ))}
      </dl>
      {card.columns.length === 0 ? null : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Columns">
          <table>
            <thead>
              <tr>
                <th>Column</th>
                <th>Type</th>
                <th>Key</th>
                <th>About</th>
              </tr>
            </thead>
            <tbody>
              {card.columns.map(({ name, type, key, about }) => (
                <tr key={name}>
                  <td>{visible(name)}</td>
                  <td>{visible(type)}</td>
                  <td>{visible(key)}</td>
                  <td class="wide">{visible(about)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {card.snippets.map(({ title, code }, at) => (
        <div key={at}>
          <div class="row">
            <h3>{visible(title)}</h3>
            <CopyButton text={code} />
          </div>
          <pre tabIndex={0} aria-label={title}>
            {visible(code)}
          </pre>
        </div>
      ))}
    </section>
  );
}
