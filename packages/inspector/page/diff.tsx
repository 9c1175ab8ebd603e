import { useState } from "preact/hooks";

import { count, visible } from "./format.ts";

const shownLines = 2_000;

/** Shows a unified diff. Of a long one, the user can load more. */
export function Diff({ text }: { text: string }) {
  const [length, setLength] = useState(shownLines);
  const lines = text.split("\n");
  return (
    <>
      <pre tabIndex={0} aria-label="Diff">
        {lines.slice(0, length).map((line, at) => (
          <span key={at} class={classOf(line)}>
            {visible(line)}
            {"\n"}
          </span>
        ))}
      </pre>
      {lines.length > length ? (
        <button type="button" onClick={() => setLength(length * 10)}>
          Show more: {count(lines.length - length)} lines are not shown yet
        </button>
      ) : null}
    </>
  );
}

function classOf(line: string): string {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "muted" : "";
}
