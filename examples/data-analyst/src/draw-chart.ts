const width = 720;
const barHeight = 22;
const labelWidth = 200;

/** Horizontal bars as an SVG document, one a row, in the order given. */
export function drawChart(
  title: string,
  bars: readonly { label: string; value: number }[],
): string {
  const most = Math.max(...bars.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
  const height = 40 + bars.length * barHeight;
  const lines = bars.map(({ label, value }, index) => {
    const y = 36 + index * barHeight;
    const length = ((width - labelWidth - 120) * Math.abs(value)) / most;
    const shown = Number(value.toPrecision(4)).toString();
    return [
      `<text x="${labelWidth - 8}" y="${y + 14}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight - 5}" fill="#4477aa"/>`,
      `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 14}">${shown}</text>`,
    ].join("");
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="13">`;
  return `${head}<text x="8" y="20" font-weight="bold">${escaped(title)}</text>\n${lines.join("\n")}\n</svg>\n`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
