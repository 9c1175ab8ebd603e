import { identifiersOf, parseExactly, rankValue } from "@ccl/compress";

/** Values of one key in a text, in order of first occurrence. */
interface Fact {
  /** Empty for values in plain text. */
  key: string;
  /** The highest rank of any of its values. See `rankValue`. */
  rank: number;
  values: string[];
}

const shortText = 120;
const maxValues = 40;

/**
 * Collects the facts in a call's arguments or result: JSON scalars, or else identifiers in the
 * text.
 */
export function collectFacts(text: string): Fact[] {
  const facts = new Map<string, Fact>();
  const add = (key: string, value: unknown): void => {
    const rank = rankValue(key, value);
    if (rank === 0) return;
    const fact = facts.get(key) ?? { key, rank, values: [] };
    fact.rank = Math.max(fact.rank, rank);
    if (!fact.values.includes(String(value)) && fact.values.length < maxValues)
      fact.values.push(String(value));
    facts.set(key, fact);
  };
  const value = parse(text);
  if (typeof value === "object" && value !== null) {
    visit(value, add);
  } else if (text.length <= shortText) {
    add("", text.replace(/\s+/g, " ").trim());
  } else {
    for (const name of identifiersOf(text).slice(0, maxValues)) add("", name);
  }
  const keyedValues = new Set([...facts].flatMap(([key, fact]) => (key === "" ? [] : fact.values)));
  const plain = facts.get("");
  if (plain !== undefined) plain.values = plain.values.filter((name) => !keyedValues.has(name));
  return [...facts.values()];
}

const maxSteps = 20_000;

function visit(root: object, add: (key: string, value: unknown) => void): void {
  const stack: [string, unknown][] = [["", root]];
  for (let steps = 0; stack.length > 0 && steps < maxSteps; steps++) {
    const [key, value] = stack.pop() ?? ["", undefined];
    if (typeof value !== "object" || value === null) {
      add(key, value);
      continue;
    }
    const entries: [string, unknown][] = Array.isArray(value)
      ? value.map((item: unknown) => [key, item])
      : Object.entries(value);
    for (const entry of entries.reverse()) stack.push(entry);
  }
}

/** Does not try to parse plain text, because throwing is slow. */
function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
