import type { Candidate } from "./find-candidates.ts";

/** Joins values into a list if they are the whole text, one per line (JSON Lines) or separated by commas. */
export function joinSequence(
  text: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const [first] = candidates;
  const last = candidates.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  if (text.slice(0, first.start).trim() !== "" || !/^,?$/.test(text.slice(last.end).trim()))
    return undefined;
  const isSequence = candidates.every((candidate, index) => {
    const next = candidates[index + 1];
    return next === undefined || isSeparator(text.slice(candidate.end, next.start));
  });
  if (!isSequence) return undefined;
  const repairs = [
    { kind: "sequence" as const, position: first.start },
    ...candidates.flatMap((one) => one.repairs),
  ];
  return {
    value: candidates.map(({ value }) => value),
    repairs,
    zone: "prose",
    start: first.start,
    end: last.end,
    digits: () => candidates.map(({ digits }) => digits()),
  };
}

function isSeparator(between: string): boolean {
  return /^\s*$/.test(between) ? between.includes("\n") : between.trim() === ",";
}
