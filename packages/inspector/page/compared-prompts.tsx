import type { PromptPart, PromptView } from "../src/views.ts";
import { labelOf } from "./part-names.ts";
import { count, visible } from "./format.ts";
import { Status } from "./parts.tsx";
import { useView } from "./use-view.ts";

/** Two prompts of a session beside each other, part by part. */
export function ComparedPrompts({ view, other }: { view: PromptView; other: number }) {
  const loading = useView("prompt", { session: view.session.id, at: other });
  if (loading.view === undefined) return <Status loading={loading} />;
  const [left, right] = [view.parts, loading.view.parts];
  const length = Math.max(left.length, right.length);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Compared prompts">
      <table class="compared">
        <thead>
          <tr>
            <th>Prompt {view.prompt.at + 1}</th>
            <th class="number">{count(view.prompt.cached + view.prompt.fresh)}</th>
            <th>Prompt {other + 1}</th>
            <th class="number">{count(loading.view.prompt.cached + loading.view.prompt.fresh)}</th>
            <th>Difference</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length }, (_, at) => {
            const [a, b] = [left[at], right[at]];
            const change = changeOf(a, b);
            return (
              <tr key={at} class={change === "same" ? "faint" : "changed"}>
                <Cells part={a} />
                <Cells part={b} />
                <td>{change}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Cells({ part }: { part: PromptPart | undefined }) {
  if (part === undefined) return <td colSpan={2}>—</td>;
  return (
    <>
      <td class="wide">
        <span class={`swatch origin-${part.origin}`} aria-hidden="true" /> {labelOf(part)}
        <div class="muted clip">{visible(part.preview ?? "").slice(0, 140)}</div>
      </td>
      <td class="number">{count(part.tokens)}</td>
    </>
  );
}

function changeOf(a: PromptPart | undefined, b: PromptPart | undefined): string {
  if (a === undefined) return "only in the second";
  if (b === undefined) return "only in the first";
  if (a.form !== b.form) return `${a.form ?? "whole"} → ${b.form ?? "whole"}`;
  return a.preview === b.preview && a.length === b.length && a.tokens === b.tokens
    ? "same"
    : "other text";
}
