// Words that this project does not use in names and comments, because the field has other words for the same things.

/** In code, say `run context` for a desk, `max` for most and `Error` for a fault. */
const words = {
  desk: /^desks?$/,
  seat: /^seat(s|ed)?$/,
  rendezvous: /^rendezvous$/,
  meeting: /^meetings?$/,
  unmade: /^unmade$/,
  made: /^made$/,
  mend: /^mend(s|ed|ing)?$/,
  stretch: /^stretch(es)?$/,
  taste: /^tast(e|es|ed|ing)$/,
  lent: /^(lent|lend|lends)$/,
  guest: /^guests?$/,
  most: /^most$/,
  least: /^least$/,
  hear: /^(hear|hears|heard)$/,
  tell: /^(tell|tells|told)$/,
  fault: /^faults?$/,
  note: /^notes?$/,
  blockage: /^blockages?$/,
  nudge: /^nudges?$/,
  whoever: /^whoever$/,
  nobody: /^nobody$/,
};

/**
 * How often each of these words occurs in the names and comments of each package. Words that do not occur are omitted.
 * @param {import("./read-sources.mjs").Source[]} sources
 * @returns {Record<string, Record<string, number>>}
 */
export function countWords(sources) {
  const counts = {};
  for (const source of sources) {
    const found = [...source.identifiers.flatMap(partsOfName), ...source.comments.flatMap(wordsOf)];
    for (const word of found.flatMap(forbiddenWord)) {
      const row = (counts[source.package] ??= {});
      row[word] = (row[word] ?? 0) + 1;
    }
  }
  return counts;
}

const wordsOf = (text) => text.toLowerCase().split(/[^a-z]+/);

function partsOfName(name) {
  return wordsOf(
    name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2"),
  );
}

function forbiddenWord(word) {
  return Object.keys(words).filter((key) => words[key].test(word));
}
