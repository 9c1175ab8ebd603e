import type { PromptPart, PromptView } from "../src/views.ts";
import { count, percent } from "./format.ts";

/** Consecutive parts of one origin. */
interface Segment {
  origin: PromptPart["origin"];
  sent: number;
  /** Tokens that were cut. */
  ghost: number;
}

/** Shows the context window in reading order, with cut parts as ghosts and the limit as a line. */
export function WindowBar({ view: { prompt, parts } }: { view: PromptView }) {
  const segments = segmentsOf(parts);
  const sent = prompt.cached + prompt.fresh;
  const ghost = segments.reduce((sum, one) => sum + one.ghost, 0);
  const { budget, reported } = prompt;
  const scale = Math.max(1, budget ?? 0, sent + ghost);
  const width = (tokens: number) => ({ width: `${(100 * tokens) / scale}%` });
  const full = reported?.total ?? sent;
  const summary = [
    `${count(full)} tokens ${reported === undefined ? "sent, by estimate" : "by the provider"}`,
    budget === undefined
      ? "the limit is not known"
      : `${percent(full / budget)} of ${count(budget)}`,
    ghost === 0 ? "nothing was cut" : `${count(ghost)} cut`,
  ].join(", ");
  return (
    <figure class="window">
      <div class="window-bar" role="img" aria-label={`The window: ${summary}`}>
        {segments.map(({ origin, sent: tokens, ghost: cut }, at) => (
          <span key={at} class="segment" style={width(tokens + cut)}>
            <span
              class={`origin-${origin}`}
              style={{ width: `${(100 * tokens) / Math.max(1, tokens + cut)}%` }}
            />
            {cut === 0 ? null : <span class="ghost" />}
          </span>
        ))}
        {budget === undefined ? null : (
          <span class="limit" style={{ left: `${(100 * budget) / scale}%` }} />
        )}
      </div>
      <figcaption>{summary}. Dashed: cut.</figcaption>
    </figure>
  );
}

function segmentsOf(parts: readonly PromptPart[]): Segment[] {
  const segments: Segment[] = [];
  for (const { origin, tokens, directTokens } of parts) {
    const ghost = Math.max(0, directTokens - tokens);
    const last = segments.at(-1);
    if (last?.origin === origin && last.ghost === 0) {
      last.sent += tokens;
      last.ghost = ghost;
    } else segments.push({ origin, sent: tokens, ghost });
  }
  return segments;
}
