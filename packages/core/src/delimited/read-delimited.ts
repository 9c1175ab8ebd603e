import { createDelimitedScanner, type Delimiter } from "./delimited-scanner.ts";

const delimiters: readonly Delimiter[] = [",", ";", "\t", "|"];
const pieceChars = 65_536;
const sampleRows = 50;

/** The rows of a whole text, read piece by piece as they are asked for; an open quote ends with the text. */
export function* readDelimited(text: string, delimiter: Delimiter): Generator<string[]> {
  const scanner = createDelimitedScanner(delimiter);
  for (let start = 0; start < text.length; start += pieceChars) {
    yield* scanner.push(text.slice(start, start + pieceChars));
  }
  yield* scanner.end();
}

/**
 * The delimiter under which the first rows have the most cells, as many in each: consistency counts more than number.
 * A comma where the text has one column only.
 */
export function detectDelimiter(text: string): Delimiter {
  const sample = text.slice(0, pieceChars);
  let best: Delimiter = ",";
  let bestScore = 0;
  for (const delimiter of delimiters) {
    const widths: number[] = [];
    for (const row of readDelimited(sample, delimiter)) {
      widths.push(row.length);
      if (widths.length >= sampleRows) break;
    }
    const width = widths[0] ?? 1;
    const evenness = widths.filter((other) => other === width).length / Math.max(1, widths.length);
    const score = width > 1 ? evenness ** 3 * Math.log2(width + 1) : 0;
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

/** Column names that are never empty and all differ: blanks become `column_1`, repeats get `_2`, `_3`. */
export function columnNames(header: readonly string[], width: number = header.length): string[] {
  const taken = new Set<string>();
  const repeats = new Map<string, number>();
  return Array.from({ length: Math.max(width, header.length) }, (_, index) => {
    const given = header[index]?.trim() ?? "";
    const base = given === "" ? `column_${index + 1}` : given;
    let count = repeats.get(base) ?? 1;
    let name = count === 1 ? base : `${base}_${count}`;
    while (taken.has(name)) name = `${base}_${++count}`;
    repeats.set(base, count);
    taken.add(name);
    return name;
  });
}
