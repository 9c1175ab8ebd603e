// The goals of search by words, and by words and vectors, next to the measured figures.
import { quantileOf } from "./figures.mjs";

const [ours, peer] = ["@ccl/catalog", "MiniSearch"];
const most = { p95Ms: 2, buildMs: 1_000 };
const leastRatio = 5;
const mostLost = 0.01;

/** A line for each goal: the figures of each set, and if all of them reach it. */
export function goalsText({ speed, evaluations, sets, size }) {
  const figures = sets.map(({ name }) => figuresOf({ speed, evaluations, name, size }));
  const goals = [
    [
      `p95 below ${most.p95Ms} ms`,
      ({ name, p95 }) => `${p95.toFixed(2)} ms on ${name}`,
      ({ p95 }) => p95 < most.p95Ms,
    ],
    [
      `at least ${leastRatio} times as fast as ${peer} (p95), at no less nDCG@10`,
      ({ name, ratio, ndcg, peerNdcg }) =>
        `${ratio.toFixed(1)} times at ${ndcg.toFixed(3)} against ${peerNdcg.toFixed(3)} on ${name}`,
      ({ ratio, ndcg, peerNdcg }) => ratio >= leastRatio && ndcg >= peerNdcg,
    ],
    [
      `index built in less than ${most.buildMs} ms`,
      ({ name, buildMs }) => `${buildMs.toFixed(0)} ms on ${name}`,
      ({ buildMs }) => buildMs < most.buildMs,
    ],
  ];
  const lines = goals.map(([goal, say, isReached]) => {
    const verdict = figures.every(isReached) ? "reached" : "missed";
    return `- ${goal}: ${verdict}, ${figures.map(say).join(", ")}`;
  });
  return `Goals at ${size} records, words alone:\n\n${lines.join("\n")}`;
}

/** A line for each goal of search by words and vectors, from the evaluations of `evaluateHybrid`. */
export function hybridGoalsText(evaluations) {
  const recallOf = (half, way) => evaluations[`${half}: ${way}`].recallAt10;
  const halves = [...new Set(Object.keys(evaluations).map((name) => name.split(": ")[0]))];
  const fused = halves.map((half) => [
    half,
    recallOf(half, ours),
    recallOf(half, "min-max 0.7/0.3"),
  ]);
  const lost = Object.keys(evaluations)
    .map((name) => name.split(": "))
    .filter(([, way]) => way.startsWith(ours))
    .map(([half, way]) => [`${half}: ${way}`, recallOf(half, "words alone") - recallOf(half, way)])
    .sort(([, left], [, right]) => right - left);
  const say = fused.map(
    ([half, both, plain]) => `${both.toFixed(3)} against ${plain.toFixed(3)} on ${half}`,
  );
  const [[worst, most]] = lost;
  const loss = most > 0 ? `at worst ${most.toFixed(3)} below (${worst})` : "nowhere below";
  const verdictOf = (isReached) => (isReached ? "reached" : "missed");
  return [
    "Goals of words and vectors together:\n",
    `- R@10 at least that of min-max 0.7/0.3: ${verdictOf(fused.every(([, both, plain]) => both >= plain))}, ${say.join("; ")}`,
    `- R@10 at most ${mostLost} below words alone, whatever the vectors: ${verdictOf(most <= mostLost)}, ${loss}`,
  ].join("\n");
}

function figuresOf({ speed, evaluations, name, size }) {
  const timesOf = (engine) =>
    speed.find((row) => row.set === name && row.size === size && row.engine === engine);
  const ndcgOf = (engine) => evaluations[`${name}, test: ${engine}`].ndcgAt10;
  const p95 = quantileOf(timesOf(ours).askMs, 0.95);
  return {
    name,
    p95,
    ratio: quantileOf(timesOf(peer).askMs, 0.95) / p95,
    ndcg: ndcgOf(ours),
    peerNdcg: ndcgOf(peer),
    buildMs: timesOf(ours).buildMs,
  };
}
