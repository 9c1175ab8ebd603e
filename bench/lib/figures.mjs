// Formats the figures of benchmarks.

/** A Markdown table with the first column, or the first few, left-aligned and the others right-aligned. */
export function table(header, rows, left = 1) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(header),
    line(header.map((_, index) => (index < left ? "---" : "---:"))),
    ...rows.map(line),
  ].join("\n");
}

/** The value below which the given share of the list lies. */
export function quantileOf(list, share) {
  const sorted = list.toSorted((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) * share)];
}

/** The median of the list. */
export const medianOf = (list) => quantileOf(list, 0.5);

/** The value below which the given share of the list lies, with two digits. */
export const at = (list, share) => quantileOf(list, share).toFixed(2);
