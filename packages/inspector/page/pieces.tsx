import { useState } from "preact/hooks";

import { count, visible } from "./format.ts";

const pieceLength = 20_000;

/** Shows the beginning of a loaded text. The user can show more. */
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
