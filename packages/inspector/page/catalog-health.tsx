import type { ChangesView, VerifyView } from "../src/views.ts";
import { count, moment, visible } from "./format.ts";
import { Figure, Status } from "./parts.tsx";
import { hrefOf } from "./route.ts";
import { useView } from "./use-view.ts";

/** Shows problems of the catalog's records, and findings from a comparison with their sources. */
export function CatalogHealth({ run }: { run: string | undefined }) {
  const verified = useView("verify", { run });
  // Read again after a verification, so that its findings are included.
  const loading = useView("catalog", { seen: verified.view?.verified?.timeMs });
  const { view } = loading;
  return (
    <>
      <Status loading={loading} />
      {view === undefined ? null : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Health">
          <table>
            <caption class="left">Of {count(view.total)} resources</caption>
            <thead>
              <tr>
                <th>Problem</th>
                <th class="number">Resources</th>
                <th>What it means</th>
              </tr>
            </thead>
            <tbody>
              {view.health.map(({ name, about, count: matches }) => (
                <tr key={name} class={matches === 0 ? "faint" : ""}>
                  <td>
                    {matches === 0 ? (
                      name
                    ) : (
                      <a href={hrefOf("catalog", { health: name })}>{name}</a>
                    )}
                  </td>
                  <td class="number">{count(matches)}</td>
                  <td>{about}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <h2>Against the sources</h2>
      <p>
        <a href={hrefOf("catalog", { show: "health", run: String(Date.now()) })}>
          Ask all sources now
        </a>{" "}
        <span class="muted">as “ccl catalog verify” does, without changing anything</span>
      </p>
      {verified.isLoading && run !== undefined ? (
        <p class="note" role="status">
          Asking the sources…
        </p>
      ) : (
        <Status loading={verified} />
      )}
      {verified.view === undefined ? null : <Verified view={verified.view} />}
    </>
  );
}

function Verified({ view: { verified, findings } }: { view: VerifyView }) {
  if (verified === undefined)
    return <p class="muted">The sources have not been queried since this page was started.</p>;
  return (
    <>
      <dl class="figures">
        <Figure name="Asked">{moment(verified.timeMs)}</Figure>
        <Figure name="Answered">
          {count(verified.probed)} of {count(verified.resources)}
        </Figure>
        <Figure name="Snippets checked">{count(verified.snippets)}</Figure>
        <Figure name="Wrong">{count(verified.breaking)}</Figure>
        <Figure name="Unverified">{count(verified.unverified)}</Figure>
      </dl>
      <div class="scroll rows" tabIndex={0} role="region" aria-label="Findings">
        <table>
          <thead>
            <tr>
              <th>Severity</th>
              <th>Resource</th>
              <th>Finding</th>
            </tr>
          </thead>
          <tbody>
            {findings.map(({ severity, code, resourceId, message }, at) => (
              <tr key={at}>
                <td>
                  <span class={`badge severity-${severity}`}>{severity}</span>
                </td>
                <td class="wide">
                  <a href={hrefOf("catalog", { id: resourceId })}>{visible(resourceId)}</a>
                </td>
                <td class="wide">
                  {code.replaceAll("_", " ")}: {visible(message)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Shows the changes since a commit. */
export function CatalogChanges({ since = "HEAD" }: { since: string | undefined }) {
  const loading = useView("changes", { since });
  const { view } = loading;
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget).get("since");
          location.hash = hrefOf("catalog", { show: "changes", since: String(given) });
        }}
      >
        <label>
          Since the commit <input name="since" value={since} spellcheck={false} />
        </label>
        <button type="submit">Compare</button>
      </form>
      <Status loading={loading} />
      {view === undefined ? null : <Changes view={view} />}
    </>
  );
}

function Changes({ view: { against, counts, changes } }: { view: ChangesView }) {
  if (changes.length === 0) return <p class="note">Nothing changed since {visible(against)}.</p>;
  return (
    <>
      <dl class="figures">
        {Object.entries(counts).map(([severity, resources]) => (
          <Figure key={severity} name={severity}>
            {count(resources)}
          </Figure>
        ))}
      </dl>
      <div class="scroll rows" tabIndex={0} role="region" aria-label="Changes">
        <table>
          <thead>
            <tr>
              <th>Severity</th>
              <th>Resource</th>
              <th>Change</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ id, kind, severity, changes: parts }) => (
              <tr key={id}>
                <td>
                  <span class={`badge severity-${severity}`}>{severity}</span>
                </td>
                <td class="wide">
                  {kind === "removed" ? (
                    visible(id)
                  ) : (
                    <a href={hrefOf("catalog", { id })}>{visible(id)}</a>
                  )}
                </td>
                <td class="wide">
                  {kind === "changed" ? null : kind}
                  {parts.map((part, at) => (
                    <div key={at}>
                      {part.kind.replaceAll("_", " ")} {visible(part.path)}{" "}
                      {part.from === undefined ? null : (
                        <del class="removed">{visible(part.from)}</del>
                      )}{" "}
                      {part.to === undefined ? null : <ins class="added">{visible(part.to)}</ins>}
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
