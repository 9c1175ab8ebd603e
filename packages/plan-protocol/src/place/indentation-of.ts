/** Converts a line to the file's indentation. Undefined if that is unknown. */
export type Reindent = (line: string) => string | undefined;

/**
 * Derives how to indent new lines from pairs of the same line, as given and as in the file, which differ in leading
 * whitespace. All given lines must lack the same indentation, or use a fixed number of spaces per tab. Otherwise
 * returns undefined.
 */
export function indentationOf(
  pairs: readonly (readonly [given: string, own: string])[],
): Reindent | undefined {
  const indents = pairs
    .filter(([given]) => given.trim() !== "")
    .map(([given, own]) => [blanksOf(given), blanksOf(own)] as const);
  const [first] = indents;
  if (first === undefined) return (line) => line;
  const lacking = first[1].slice(0, Math.max(0, first[1].length - first[0].length));
  if (indents.every(([given, own]) => own === lacking + given))
    return (line) => (line.trim() === "" ? line : lacking + line);
  const units = indents.flatMap(([given, own]) => unitOf(given, own) ?? unitOf(own, given) ?? []);
  const unit = units.find((one) => one > 0);
  if (unit === undefined) return undefined;
  const [spaces, isToTabs] = [" ".repeat(unit), indents.every(([, own]) => /^\t*$/.test(own))];
  const convert = (blanks: string): string =>
    isToTabs ? blanks.replaceAll(spaces, "\t") : blanks.replaceAll("\t", spaces);
  if (indents.some(([given, own]) => convert(given) !== own)) return undefined;
  return (line) => {
    const blanks = convert(blanksOf(line));
    const isWhole = line.trim() === "" || !blanks.includes(isToTabs ? " " : "\t");
    return isWhole ? (line.trim() === "" ? line : blanks + line.trimStart()) : undefined;
  };
}

/** Returns how many spaces equal a tab. Undefined if the two are not such a pair. */
function unitOf(spaces: string, tabs: string): number | undefined {
  const unit = spaces.length / tabs.length;
  return /^ +$/.test(spaces) && /^\t+$/.test(tabs) && Number.isInteger(unit) ? unit : undefined;
}

function blanksOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
