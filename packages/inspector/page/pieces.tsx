import { useState } from "preact/hooks";

import { count, visible } from "./format.ts";

const pieceLength = 20_000;

/** A text that is here as a whole: its beginning, and more of it when asked. */
export function Pieces({ text, label }: { text: string; label: string }) {
  const [length, setLength] = useState(pieceLength);
  return (
    <>
      <pre tabIndex={0} aria-label={label}>
        {visible(text.slice(0, length))}
      </pre>
      {text.length > length ? (
        <button type="button" onClick={() => setLength(length * 10)}>
          Show more: {count(text.length - length)} characters are not shown yet
        </button>
      ) : null}
    </>
  );
}
