import { useEffect, useState } from "preact/hooks";

import { CopyButton } from "./parts.tsx";
import { count, visible } from "./format.ts";
import { fetchView, useView } from "./use-view.ts";

/** Shows a text of any length, loaded in pieces. */
export function LongText({ parameters }: { parameters: Record<string, string | number> }) {
  const first = useView("text", parameters);
  const key = JSON.stringify(parameters);
  const [more, setMore] = useState<string[]>([]);
  useEffect(() => setMore([]), [key]);
  if (first.error !== undefined) return <p class="note">{first.error}</p>;
  if (first.view === undefined) return <p class="note">Reading…</p>;
  const { text, total } = first.view;
  const shown = text.length + more.reduce((sum, piece) => sum + piece.length, 0);
  const next = async (offset: number) => {
    const piece = await fetchView("text", { ...parameters, offset });
    setMore(offset === shown ? [...more, piece.text] : [piece.text]);
  };
  return (
    <div class="long-text">
      <div class="row">
        <CopyButton text={text + more.join("")} label="Copy what is shown" />
        <span class="muted">
          {count(shown)} of {count(total)} characters
        </span>
        {shown < total ? (
          <button type="button" onClick={() => next(shown)}>
            Show more
          </button>
        ) : null}
      </div>
      <pre tabIndex={0} aria-label="Text">
        {visible(text)}
        {more.map((piece, at) => (
          <span key={at}>{visible(piece)}</span>
        ))}
      </pre>
    </div>
  );
}
