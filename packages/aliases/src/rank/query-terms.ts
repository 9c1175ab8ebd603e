/** Words of a task that say nothing of where the work is: function words, request verbs, commit types. */
const STOP_WORDS = new Set(
  (
    "a an the and or but not no nor of in on at to for from by with without into onto over under as is are was were be " +
    "been being it its this that these those there here then than so such if when while which who what how why where " +
    "do does did done can could should would will may might must have has had we you they he she i me my our your their " +
    "all any some each every more most only just also too very please add adds added fix fixes fixed feat feature chore " +
    "make makes made use uses used using support supports supported allow allows allowed implement implements implemented " +
    "improve improves improved update updates updated change changes changed remove removes removed ensure correct " +
    "handle refactor perf bug issue pr via instead let get new up out off about between after before again other same"
  ).split(" "),
);

/** Reduces a lower-case word to the part that its inflections share: caching, cached, caches give cach. */
export function stemWord(word: string): string {
  if (word.length < 4) return word;
  const first = word.charCodeAt(0);
  if (first >= 0x400 && first < 0x530) return word.slice(0, 5);
  if (first > 0x7a) return word;
  let stem = word;
  if (stem.endsWith("ies") && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^sui]s$/.test(stem)) stem = stem.slice(0, -1);
  if (stem.length > 6)
    stem = stem.replace(/(?:ation|ator)$/, "at").replace(/(?:ment|able|ible)$/, "");
  if (stem.length > 5) stem = stem.replace(/(?:ing|er|or)$/, "");
  if (stem.length > 4) stem = stem.replace(/ed$/, "");
  if (stem.length > 4) stem = stem.replace(/e$/, "");
  return stem.length > 3 && stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem;
}

/** Cuts an identifier at case changes, digits and punctuation: `parseJSON5_value` gives parse, json, 5, value. */
export function splitIdentifier(identifier: string): string[] {
  return (
    identifier.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}|\p{N}+/gu) ?? []
  ).map((part) => part.toLowerCase());
}

/** A task as what is looked for: each term with its weight, compounds (`ratelimit` for rateLimit) beside their parts. */
export function queryTerms(task: string): Map<string, number> {
  const terms = new Map<string, number>();
  const put = (term: string, weight: number): void => {
    terms.set(term, Math.max(weight, terms.get(term) ?? 0));
  };
  for (const run of task
    .slice(0, MAX_TASK_CHARS)
    .match(/[\p{L}\p{N}_$]+(?:[-./][\p{L}\p{N}_$]+)*/gu) ?? []) {
    const parts = splitIdentifier(run);
    const isIdentifier = /[_./]|\p{Ll}\p{Lu}/u.test(run);
    for (const part of parts) {
      if (STOP_WORDS.has(part) && !isIdentifier) continue;
      if (part.length > 1 || /\p{Lo}/u.test(part))
        put(stemWord(part), STOP_WORDS.has(part) ? 0.3 : 1);
    }
    if (parts.length > 1 && parts.length < 6) put(parts.join(""), 1.5);
  }
  return terms;
}

/** A longer task adds words, not meaning; the bound keeps ranking linear in the files. */
const MAX_TASK_CHARS = 20_000;
