/** One way to show a file: what it costs, and how much it says on a scale where a list of its declarations is 1. */
export interface Form {
  tokens: number;
  value: number;
}

/** A file that may stand in the pack. */
export interface Candidate<F extends Form = Form> {
  /** How likely the file is needed; only the ratios matter. */
  weight: number;
  forms: F[];
  /** Files of one group share a cap, where the group has one. */
  group?: string | undefined;
}

/** What may be spent: on everything, and on the groups that have a cap. */
export interface Capacity {
  tokens: number;
  groups?: Readonly<Record<string, number>> | undefined;
}

interface Step {
  candidate: number;
  form: number;
  tokens: number;
  ratio: number;
}

/**
 * Chooses at most one form a candidate so that the sums of tokens stay within the capacity and the sum of
 * weight x value is large: upgrades are taken by gain for each token, ties by the order of the candidates.
 * A greedy walk over each candidate's convex hull; at the end what is left is spent on whatever still fits.
 * Gives the index of the chosen form for each candidate, -1 for none.
 */
export function fitForms(candidates: Candidate[], capacity: Capacity): number[] {
  const chosen = candidates.map(() => -1);
  const purse = createPurse(capacity);
  const hullSteps = candidates.flatMap((candidate, index) => stepsOf(candidate, index));
  hullSteps.sort((a, b) => b.ratio - a.ratio || a.candidate - b.candidate || a.form - b.form);
  const stuck = new Set<number>();
  for (const step of hullSteps) {
    // A candidate whose step did not fit stays where it is: its later steps build on that one.
    if (stuck.has(step.candidate)) continue;
    if (purse.spend(step.tokens, candidates[step.candidate]?.group))
      chosen[step.candidate] = step.form;
    else stuck.add(step.candidate);
  }
  for (const [index, candidate] of candidates.entries()) {
    chosen[index] = improve(candidate, chosen[index] ?? -1, purse);
  }
  return chosen;
}

interface Purse {
  /** False, and nothing spent, when it does not fit. */
  spend(tokens: number, group: string | undefined): boolean;
}

function createPurse(capacity: Capacity): Purse {
  let left = capacity.tokens;
  const groups = new Map(Object.entries(capacity.groups ?? {}));
  const spend = (tokens: number, group = ""): boolean => {
    const inGroup = groups.get(group);
    if (tokens > left || (inGroup !== undefined && tokens > inGroup)) return false;
    left -= tokens;
    if (inGroup !== undefined) groups.set(group, inGroup - tokens);
    return true;
  };
  return { spend };
}

/** The form of the highest value that what is left pays for. */
function improve(candidate: Candidate, chosen: number, purse: Purse): number {
  const current = candidate.forms[chosen] ?? { tokens: 0, value: 0 };
  const better = [...candidate.forms.entries()]
    .filter(([, form]) => form.value > current.value)
    .sort(([, a], [, b]) => b.value - a.value);
  return (
    better.find(([, form]) => purse.spend(form.tokens - current.tokens, candidate.group))?.[0] ??
    chosen
  );
}

/** The upper convex hull of a candidate's forms over tokens, as steps with falling ratios. */
function stepsOf(candidate: Candidate, index: number): Step[] {
  const points = candidate.forms
    .map((form, position) => ({ ...form, position }))
    .sort((a, b) => a.tokens - b.tokens || b.value - a.value);
  const hull: { tokens: number; value: number; position: number }[] = [
    { tokens: 0, value: 0, position: -1 },
  ];
  for (const point of points) {
    if (point.value <= (hull.at(-1)?.value ?? 0)) continue;
    while (hull.length > 1 && slope(hull.at(-1), point) >= slope(hull.at(-2), hull.at(-1)))
      hull.pop();
    hull.push(point);
  }
  return hull.slice(1).map((point, step) => ({
    candidate: index,
    form: point.position,
    tokens: point.tokens - (hull[step]?.tokens ?? 0),
    ratio: candidate.weight * slope(hull[step], point),
  }));
}

function slope(from: Form | undefined, to: Form | undefined): number {
  if (from === undefined || to === undefined) return 0;
  return (to.value - from.value) / Math.max(1, to.tokens - from.tokens);
}
