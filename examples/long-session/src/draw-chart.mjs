// A line chart as SVG: tokens of each call's prompt, a line for each budget, what was cached as the area below.

const width = 960;
const height = 480;
const margin = { left: 70, right: 160, top: 30, bottom: 45 };
const colours = ["#8c8c8c", "#0b6e99", "#0f7b6c", "#d9730d", "#ad1a72"];

/** `series`: `{ name, calls: { tokens, cached }[] }` each. The same input gives the same bytes. */
export function drawChart(title, series) {
  const most = Math.max(...series.flatMap(({ calls }) => calls.map(({ tokens }) => tokens)));
  const count = Math.max(...series.map(({ calls }) => calls.length));
  const step = tickStep(most);
  const top = Math.ceil(most / step) * step;
  const x = (at) =>
    round(margin.left + (at / Math.max(1, count - 1)) * (width - margin.left - margin.right));
  const y = (tokens) =>
    round(height - margin.bottom - (tokens / top) * (height - margin.top - margin.bottom));
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step);
  const grid = ticks.map(
    (tick) =>
      `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y(tick)}" y2="${y(tick)}" stroke="#ddd"/>` +
      `<text x="${margin.left - 8}" y="${y(tick) + 4}" text-anchor="end">${tick.toLocaleString("en")}</text>`,
  );
  const lines = series.map(({ name, calls }, index) => {
    const colour = colours[index % colours.length];
    const line = calls.map(({ tokens }, at) => `${x(at)},${y(tokens)}`).join(" ");
    const cached = calls.map(({ cached: tokens }, at) => `${x(at)},${y(tokens)}`).join(" ");
    const area = `${x(0)},${y(0)} ${cached} ${x(calls.length - 1)},${y(0)}`;
    const legend = margin.top + 20 + index * 22;
    return (
      `<polygon points="${area}" fill="${colour}" fill-opacity="0.12"/>` +
      `<polyline points="${line}" fill="none" stroke="${colour}" stroke-width="1.5"/>` +
      `<text x="${width - margin.right + 14}" y="${legend}" fill="${colour}">${escapeText(name)}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${margin.left}" y="18" font-size="14">${escapeText(title)}</text>
${grid.join("\n")}
${lines.join("\n")}
<text x="${width - margin.right}" y="${height - 12}" text-anchor="end">model calls (${count}); areas: tokens from the cache</text>
</svg>
`;
}

function tickStep(most) {
  const rough = most / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
