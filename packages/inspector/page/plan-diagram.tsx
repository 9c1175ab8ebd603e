import type { QueryPlace, QueryView } from "../src/views.ts";
import { brief, visible } from "./format.ts";

/**
 * Shows the steps of each source side by side, the steps that run here on their rows, and the
 * result.
 */
export function PlanDiagram({ diagram: { sources, here } }: { diagram: QueryView["diagram"] }) {
  return (
    <figure class="diagram" aria-label="How the query runs">
      <div class="sources">
        {sources.map((place, at) => (
          <div key={at} class="flow">
            <Place place={place} />
            <Arrow rows={place.rows} />
          </div>
        ))}
      </div>
      {here === undefined ? null : (
        <div class="flow">
          <Place place={here} />
          <Arrow rows={here.rows} />
        </div>
      )}
      <div class="place end">result</div>
    </figure>
  );
}

function Place({ place: { name, steps } }: { place: QueryPlace }) {
  return (
    <section class="place">
      <h3>{visible(name)}</h3>
      <ol>
        {steps.map(({ text, rows }, at) => (
          <li key={at}>
            {visible(text)}
            {rows === undefined ? null : <span class="muted"> ~{brief(rows)}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Arrow({ rows }: { rows: number | undefined }) {
  return (
    <span class="arrow">
      {rows === undefined ? null : <span class="muted">~{brief(rows)} rows</span>}
      <svg viewBox="0 0 48 10" aria-hidden="true">
        <path d="M0 5H46M41 1l5 4-5 4" />
      </svg>
    </span>
  );
}
