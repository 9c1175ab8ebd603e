import { type ChangeLine, linesOf, type TextChange } from "./file-change.ts";
import { type LineReplacement, placeHunks } from "./place-change.ts";

/** The places of a text that is replaced: exact where it stands, once or everywhere, else one place by its lines. */
export function placeText(
  file: readonly string[],
  { before, after, isEverywhere = false }: TextChange,
): LineReplacement[] | "missing" | "ambiguous" {
  const text = file.map((line) => `${line}\n`).join("");
  const wanted = before.replaceAll("\r\n", "\n");
  const wantedAfter = after.replaceAll("\r\n", "\n");
  if (wanted.trim() === "") return "missing";
  const first = text.indexOf(wanted);
  if (first >= 0) {
    const isOnly = text.indexOf(wanted, first + 1) < 0;
    return isOnly || isEverywhere ? replaceEach(text, wanted, wantedAfter) : "ambiguous";
  }
  const placed = placeHunks(file, [{ lines: diffLines(linesOf(wanted), linesOf(wantedAfter)) }]);
  if (!Array.isArray(placed)) return placed.reason === "ambiguous" ? "ambiguous" : "missing";
  return placed.length === 0 ? "missing" : placed;
}

/** The lines around each place of a text, with the new text in them; places that share a line are one replacement. */
function replaceEach(text: string, wanted: string, after: string): LineReplacement[] {
  const spans: { from: number; to: number }[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    const from = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const to = text.charAt(end - 1) === "\n" ? end : text.indexOf("\n", end) + 1;
    const last = spans.at(-1);
    if (last !== undefined && from < last.to) last.to = to;
    else spans.push({ from, to });
  }
  let line = 0;
  let counted = 0;
  const lineAt = (offset: number): number => {
    line += text.slice(counted, offset).split("\n").length - 1;
    counted = offset;
    return line;
  };
  return spans.map(({ from, to }) => {
    const lines = linesOf(text.slice(from, to).replaceAll(wanted, () => after));
    return { start: lineAt(from), end: lineAt(to), lines };
  });
}

const MAX_TABLE = 4_000_000;

/** Old and new lines as those of a hunk: what both have in order is context. */
function diffLines(old: readonly string[], fresh: readonly string[]): ChangeLine[] {
  const columns = fresh.length + 1;
  if (old.length * fresh.length > MAX_TABLE)
    return [
      ...old.map((text): ChangeLine => ({ mark: "-", text })),
      ...fresh.map((text): ChangeLine => ({ mark: "+", text })),
    ];
  const table = new Uint32Array((old.length + 1) * columns);
  const lengthAt = (i: number, j: number): number => table[i * columns + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      table[i * columns + j] =
        old[i] === fresh[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const lines: ChangeLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    const [one, other] = [old[i], fresh[j]];
    if (one !== undefined && one === other) {
      lines.push({ mark: " ", text: one });
      i += 1;
      j += 1;
    } else if (
      one !== undefined &&
      (other === undefined || lengthAt(i + 1, j) >= lengthAt(i, j + 1))
    ) {
      lines.push({ mark: "-", text: one });
      i += 1;
    } else {
      lines.push({ mark: "+", text: other ?? "" });
      j += 1;
    }
  }
  return lines;
}
