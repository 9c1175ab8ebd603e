import { useEffect, useState } from "preact/hooks";

import type { PromptPart } from "../src/views.ts";
import { count, visible } from "./format.ts";
import { moveByArrows } from "./move-by-arrows.ts";
import { labelOf, originNames } from "./part-names.ts";
import { Treemap } from "./treemap.tsx";

/** How many parts the list shows at first, and how many more a button adds. */
const step = 150;

/** Shows the parts of a prompt as a list, and as areas by size. */
export function PartMap({
  parts,
  names,
  listed,
  part,
  onSelect,
}: {
  parts: readonly PromptPart[];
  /** Indexed by part, like `part`, the selected one. */
  names: readonly string[];
  /** The parts of the list, in its order. */
  listed: readonly PromptPart[];
  part: string | undefined;
  onSelect: (id: string) => void;
}) {
  const [range, setRange] = useState({ from: 0, to: step });
  const place = listed.findIndex(({ at }) => String(at) === part);
  const isThere = place < 0 || (place >= range.from && place < range.to);
  const around = Math.max(0, place - step / 2);
  const { from, to } = isThere ? range : { from: around, to: around + step };
  useEffect(() => setRange({ from, to }), [from, to]);
  const shown = listed.slice(from, to);
  const later = Math.max(0, listed.length - to);
  // The list is a single tab stop, although it has hundreds of parts.
  const stop = (listed[place] ?? shown[0])?.at;
  return (
    <>
      {from === 0 ? null : (
        <button type="button" onClick={() => setRange({ from: Math.max(0, from - step), to })}>
          Show earlier ones: {count(from)}
        </button>
      )}
      <ol class="parts list" aria-label="Parts; arrow keys move" onKeyDown={moveByArrows}>
        {shown.map((one) => (
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
      {later === 0 ? null : (
        <button type="button" onClick={() => setRange({ from, to: to + step })}>
          Show later ones: {count(later)}
        </button>
      )}
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
