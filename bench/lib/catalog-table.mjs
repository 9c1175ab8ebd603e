// How the benchmarks of the catalog show figures.

/** Markdown: the first column to the left, the others to the right. */
export function table(header, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(header),
    line(["---", ...header.slice(1).map(() => "---:")]),
    ...rows.map(line),
  ].join("\n");
}

/** The value below which a share of the list lies. */
export function quantileOf(list, share) {
  const sorted = list.toSorted((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) * share)];
}

/** The value in the middle of the list. */
export const medianOf = (list) => quantileOf(list, 0.5);

/** The value below which a share of the list lies, with two digits. */
export const at = (list, share) => quantileOf(list, share).toFixed(2);
