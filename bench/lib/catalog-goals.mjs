// What searching by words is held to, and what was measured.
import { quantileOf } from "./catalog-table.mjs";

const [ours, peer] = ["@ccl/catalog", "MiniSearch"];
const most = { p95Ms: 2, buildMs: 1_000 };
const leastRatio = 5;

/** A line for each goal: the figures of each set, and whether it is reached with all of them. */
export function goalsText({ speed, evaluations, sets, size }) {
  const figures = sets.map(({ name }) => figuresOf({ speed, evaluations, name, size }));
  const goals = [
    [`p95 below ${most.p95Ms} ms`, ({ name, p95 }) => `${p95.toFixed(2)} ms on ${name}`, ({ p95 }) => p95 < most.p95Ms],
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

function figuresOf({ speed, evaluations, name, size }) {
  const timesOf = (engine) => speed.find((row) => row.set === name && row.size === size && row.engine === engine);
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
