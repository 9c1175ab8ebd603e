import { useEffect, useState } from "preact/hooks";

import type { PromptPart } from "../src/views.ts";
import { count, visible } from "./format.ts";
import { moveByArrows } from "./move-by-arrows.ts";
import { labelOf, originNames } from "./part-names.ts";
import { Treemap } from "./treemap.tsx";

/** How many parts are painted before the rest is built. */
const firstParts = 60;

/** Shows the parts of a prompt as a list, and as areas by size. */
export function PartMap({
  parts,
  names,
  listed,
  part,
  onSelect,
}: {
  parts: readonly PromptPart[];
  /** By the part's index, as `part`, the selected one. */
  names: readonly string[];
  /** The parts of the list, in its order. */
  listed: readonly PromptPart[];
  part: string | undefined;
  onSelect: (id: string) => void;
}) {
  const [isWhole, setWhole] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setWhole(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  // A single tab stop instead of one for each of hundreds of parts.
  const stop = (listed.find(({ at }) => String(at) === part) ?? listed[0])?.at;
  return (
    <>
      <ol class="parts list" aria-label="Parts; arrow keys move" onKeyDown={moveByArrows}>
        {listed.slice(0, isWhole ? undefined : firstParts).map((one) => (
          <li key={one.at} class={one.isCached || one.form === "dropped" ? "faint" : ""}>
            <button
              type="button"
              id={`part-${one.at}`}
              tabIndex={one.at === stop ? 0 : -1}
              aria-expanded={String(one.at) === part}
              onClick={() => onSelect(String(one.at))}
            >
              <span class={`chip origin-${one.origin}`}>{originNames[one.origin]}</span>
              <span class="tokens">{count(one.tokens)}</span>
              <span class="what">
                {one.tool === undefined ? "" : `${visible(one.tool)} · `}
                {names[one.at]}
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
      <Treemap
        leaves={parts.map((one) => ({
          id: String(one.at),
          label: `${names[one.at]}, ${labelOf(one)}`,
          name: names[one.at] ?? "",
          group: one.origin,
          value: Math.max(one.tokens, one.directTokens),
          kept: one.tokens / Math.max(1, one.tokens, one.directTokens),
          isFaint: one.isCached,
          mark: one.form === undefined ? undefined : "✂",
        }))}
        selected={part}
        onSelect={onSelect}
      />
    </>
  );
}
