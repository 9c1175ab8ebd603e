// Draws what each call's prompt shows of the log as SVG: a row for each call, from the start of the log to its end.
import { gone, shortened, whole } from "./visible-parts.mjs";

const width = 960;
const panel = 220;
const margin = { left: 60, right: 20, top: 34, bottom: 14 };
const colours = { [gone]: "#f0ebe3", [shortened]: "#e3a857", [whole]: "#0b6e99" };
const legend = [
  ["shown whole", whole],
  ["shortened", shortened],
  ["left out", gone],
];

/**
 * Each of `panels` is `{ title, rows: state[][] }`. `sizes` are the tokens of the log's messages. The same input gives
 * the same bytes.
 */
export function drawChart(title, { panels, sizes }) {
  const starts = [0];
  for (const size of sizes) starts.push(starts.at(-1) + size);
  const total = starts.at(-1);
  const x = (message) =>
    round(margin.left + (starts[message] / total) * (width - margin.left - margin.right));
  const height = panels.length * panel + 40;
  const drawn = panels.map(({ title: name, rows }, at) => {
    const top = 30 + at * panel + margin.top;
    const step = (panel - margin.top - margin.bottom) / rows.length;
    const bars = rows.flatMap((states, row) =>
      runsOf(states).map(({ state, from, to }) => {
        const y = round(top + row * step);
        return `<rect x="${x(from)}" y="${y}" width="${round(x(to) - x(from))}" height="${round(step + 0.3)}" fill="${colours[state]}"/>`;
      }),
    );
    return [
      `<text x="${margin.left}" y="${top - 8}">${escapeText(name)}</text>`,
      `<text x="${margin.left - 6}" y="${top + 10}" text-anchor="end">call 1</text>`,
      `<text x="${margin.left - 6}" y="${top + rows.length * step}" text-anchor="end">${rows.length}</text>`,
      ...bars,
    ].join("\n");
  });
  const keys = legend.map(
    ([name, state], at) =>
      `<rect x="${560 + at * 130}" y="8" width="12" height="12" fill="${colours[state]}" stroke="#999"/>` +
      `<text x="${578 + at * 130}" y="18">${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${margin.left}" y="18" font-size="14">${escapeText(title)}</text>
${keys.join("\n")}
${drawn.join("\n")}
</svg>
`;
}

function runsOf(states) {
  const runs = [];
  for (const [at, state] of states.entries()) {
    const last = runs.at(-1);
    if (last?.state === state) last.to = at + 1;
    else runs.push({ state, from: at, to: at + 1 });
  }
  return runs;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
