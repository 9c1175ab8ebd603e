import type { PromptPart, PromptView } from "../src/views.ts";
import { count, percent } from "./format.ts";

/** Consecutive parts with the same origin. */
interface Segment {
  origin: PromptPart["origin"];
  sent: number;
  /** Tokens that were cut. */
  ghost: number;
}

/** Shows the context window in reading order, with cut parts as ghosts and the limit as a line. */
export function WindowBar({ view: { prompt, parts } }: { view: PromptView }) {
  const sent = prompt.cached + prompt.fresh;
  const ghost = parts.reduce((sum, part) => sum + ghostOf(part), 0);
  const { budget, reported } = prompt;
  const scale = Math.max(1, budget ?? 0, sent + ghost);
  const segments = segmentsOf(parts, scale / maxSegments);
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

/** With more segments, each would be too narrow to see. */
const maxSegments = 500;

function ghostOf({ tokens, directTokens }: PromptPart): number {
  return Math.max(0, directTokens - tokens);
}

/**
 * Merges consecutive parts with the same origin into segments. A segment that is too narrow absorbs
 * the next part.
 */
function segmentsOf(parts: readonly PromptPart[], minTokens: number): Segment[] {
  const segments: Segment[] = [];
  for (const part of parts) {
    const { origin, tokens } = part;
    const ghost = ghostOf(part);
    const last = segments.at(-1);
    const isNarrow = last !== undefined && last.sent + last.ghost < minTokens;
    if (last !== undefined && (isNarrow || (last.origin === origin && last.ghost === 0))) {
      if (tokens > last.sent) last.origin = origin;
      last.sent += tokens;
      last.ghost += ghost;
    } else segments.push({ origin, sent: tokens, ghost });
  }
  return segments;
}
