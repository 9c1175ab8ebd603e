import type { TokenCounter } from "@ccl/core";

/**
 * Lists names readably in few tokens. Names of one server share a line, and a common prefix is
 * written once, as in `github__: {create,list}_issue`. If the budget is small, each server loses
 * the same share of names and the text gives the number of dropped ones.
 */
export function nameList(
  names: readonly string[],
  { budget, counter }: { budget: number; counter: TokenCounter },
): string {
  const inTurns = namesInTurns(names);
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    // Counted as the text appears inside the JSON of a tool's description.
    const text = JSON.stringify(listText(inTurns.slice(0, middle), names.length, counter));
    if (counter.count(text) <= budget) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : listText(inTurns.slice(0, low), names.length, counter);
}

/** A server prefix and the rest of the name. */
type OwnName = readonly [server: string, own: string];

/** Returns the first name of each server, then the second of each, and so on. */
function namesInTurns(names: readonly string[]): OwnName[] {
  const rounds: OwnName[][] = [];
  const counts = new Map<string, number>();
  for (const name of names) {
    const [, server = "", bareName = name] = /^(.+?(?:__|[/:]))(.+)$/.exec(name) ?? [];
    const at = counts.get(server) ?? 0;
    counts.set(server, at + 1);
    (rounds[at] ??= []).push([server, bareName]);
  }
  return rounds.flat();
}

function listText(shown: readonly OwnName[], total: number, counter: TokenCounter): string {
  const groups = new Map<string, string[]>();
  for (const [server, bareName] of shown)
    groups.set(server, [...(groups.get(server) ?? []), bareName]);
  const lines = [...groups].map(([server, bareNames]) => {
    const text = branchTexts(bareNames.sort(), counter).join(" ");
    if (server === "") return text;
    return bareNames.length === 1 ? `${server}${text}` : `${server}: ${text}`;
  });
  const rest = total - shown.length;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

/** Returns sorted names. Groups names with a common prefix in braces if that is shorter. */
function branchTexts(names: readonly string[], counter: TokenCounter): string[] {
  const branches = new Map<string, string[]>();
  for (const name of names) {
    const [head = name] = /^[A-Za-z0-9]+[_\-.]?(?=.)/.exec(name) ?? [];
    branches.set(head, [...(branches.get(head) ?? []), name.slice(head.length)]);
  }
  return [...branches].flatMap(([head, tails]) => {
    const plain = tails.map((tail) => head + tail);
    // Braces and commas in a name would be ambiguous.
    if (tails.length === 1 || plain.some((name) => /[{},\s]/.test(name))) return plain;
    const inner = branchTexts(tails, counter);
    const joined = inner.length === 1 ? `${head}${inner[0] ?? ""}` : `${head}{${inner.join(",")}}`;
    return counter.count(joined) < counter.count(plain.join(" ")) ? [joined] : plain;
  });
}
