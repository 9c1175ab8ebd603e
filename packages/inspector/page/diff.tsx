import { count, visible } from "./format.ts";

const maxLines = 5_000;

/** A unified diff; longer ones are cut, and say so. */
export function Diff({ text }: { text: string }) {
  const lines = text.split("\n");
  return (
    <pre tabIndex={0} aria-label="Diff">
      {lines.slice(0, maxLines).map((line, at) => (
        <span key={at} class={classOf(line)}>
          {visible(line.slice(0, 2_000))}
          {"\n"}
        </span>
      ))}
      {lines.length > maxLines ? `${count(lines.length - maxLines)} more lines` : null}
    </pre>
  );
}

function classOf(line: string): string {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "muted" : "";
}
