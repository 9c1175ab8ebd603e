// The repository map of Aider by its published algorithm (repomap.py): a graph of files by the names that one uses and
// another defines, a page rank biased towards what the task mentions, then the lines of the best definitions that fit.
// Patterns find definitions here, while Aider uses tree-sitter's tags. The weights are Aider's own.
const DEFINITION =
  /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:(?:def|class|function\*?|interface|type|enum|namespace|module)\s+([\w$]+)|(?:const|let|var)\s+([\w$]+)\s*[:=].*(?:=>|function|\()|(?:public |private |protected |static |async |get |set )*([\w$]+)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::[^;]+)?\{\s*$)/;
const KEYWORDS = new Set([
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "return",
  "with",
  "constructor",
]);
const DAMPING = 0.85;
const ROUNDS = 40;

function tagsOf({ path, text }) {
  const definitions = new Map();
  for (const [at, line] of text.split("\n").entries()) {
    const name = DEFINITION.exec(line)?.slice(1).find(Boolean);
    if (name === undefined || KEYWORDS.has(name)) continue;
    definitions.set(name, [...(definitions.get(name) ?? []), { at, line }]);
  }
  const uses = new Map();
  for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g))
    uses.set(name, (uses.get(name) ?? 0) + 1);
  return { path, definitions, uses };
}

/** The weight of a use of a name: mentioned, long and in snake or camel case, private, defined by many files. */
function weightOf(name, definers, mentioned) {
  let weight = mentioned.has(name) ? 10 : 1;
  const isSpelled = name.includes("_") || (/[a-z]/.test(name) && /[A-Z]/.test(name));
  if (isSpelled && name.length >= 8) weight *= 10;
  if (name.startsWith("_")) weight *= 0.1;
  return definers > 5 ? weight * 0.1 : weight;
}

function edgesOf(files, mentioned) {
  const definers = new Map();
  for (const [at, { definitions }] of files.entries())
    for (const name of definitions.keys()) definers.set(name, [...(definers.get(name) ?? []), at]);
  return files.flatMap(({ uses }, from) =>
    [...uses].flatMap(([name, count]) => {
      const targets = definers.get(name) ?? [];
      const weight = weightOf(name, targets.length, mentioned) * Math.sqrt(count);
      return targets.filter((to) => to !== from).map((to) => ({ from, to, name, weight }));
    }),
  );
}

function pageRank(count, edges, lean) {
  const out = new Float64Array(count);
  for (const { from, weight } of edges) out[from] += weight;
  const total = lean.reduce((sum, each) => sum + each, 0);
  const start = lean.map((each) => (total > 0 ? each / total : 1 / count));
  let ranks = start;
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(count);
    let lost = 0;
    for (const [at, rank] of ranks.entries()) if (out[at] === 0) lost += rank;
    for (const { from, to, weight } of edges) next[to] += (ranks[from] * weight) / out[from];
    ranks = Array.from(
      next,
      (rank, at) => DAMPING * (rank + lost * start[at]) + (1 - DAMPING) * start[at],
    );
  }
  return { ranks, out };
}

/** The lines that the map shows within the budget, by path. */
export function aiderMap(sources, task, { budget, counter }) {
  const files = sources.map(tagsOf);
  const mentioned = new Set(task.match(/[A-Za-z_$][\w$]*/g));
  const edges = edgesOf(files, mentioned);
  const lean = files.map(({ path }) => {
    const own = path.split(/[/.]/);
    return own.some((part) => mentioned.has(part)) ? 1 : 0;
  });
  const { ranks, out } = pageRank(files.length, edges, lean);
  const worth = new Map();
  for (const { from, to, name, weight } of edges) {
    const key = `${to} ${name}`;
    const found = worth.get(key) ?? { to, name, rank: 0 };
    found.rank += (ranks[from] * weight) / out[from];
    worth.set(key, found);
  }
  const shown = new Map();
  let left = budget;
  for (const { to, name } of [...worth.values()].sort((a, b) => b.rank - a.rank)) {
    const { path, definitions } = files[to];
    const lines = definitions.get(name).map(({ line }) => line);
    left -= counter.count(`${lines.join("\n")}\n⋮\n${shown.has(path) ? "" : `${path}:\n`}`);
    if (left < 0) break;
    shown.set(path, [...(shown.get(path) ?? []), ...lines]);
  }
  return shown;
}
