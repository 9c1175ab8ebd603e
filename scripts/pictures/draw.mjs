// Draws the pictures of README.md and docs as SVG, in light and dark.
const style = `
  .paper { fill: #fff; stroke: #d8dbe2 } .ink { fill: #1f2430 } .muted { fill: #5b6270 } .line { stroke: #d8dbe2; fill: none }
  .kept { fill: #5b6ee1 } .task { fill: #1a7f4b } .lost { fill: none; stroke: #c0392b; stroke-width: 2 } .bad { fill: #b3261e } .good { fill: #1a7f4b }
  .ghost { fill: none; stroke: #9aa1ae; stroke-dasharray: 3 2 } .all { fill: #e3e6ed } .cached { fill: #7fc8a0 } .limit { stroke: #b3261e; stroke-width: 1.5; stroke-dasharray: 6 4 }
  .file { fill: #e3e6ed } .chosen { fill: #5b6ee1 } .code { font-family: ui-monospace, monospace; font-size: 11px } .added { fill: #1a7f4b } .arrow { stroke: #5b6ee1; stroke-width: 2; fill: none }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #14171f; stroke: #343a48 } .ink { fill: #e8eaf0 } .muted { fill: #a3aab8 } .line { stroke: #343a48 }
    .kept, .chosen { fill: #8594ff } .task, .good, .added { fill: #5cc98b } .bad { fill: #ff8a80 } .lost, .limit { stroke: #ff8a80 }
    .ghost { stroke: #6d7585 } .all, .file { fill: #2c3240 } .cached { fill: #2f7d57 } .arrow { stroke: #8594ff }
  }`;

const width = 880;
const count = (number) => Math.round(number).toLocaleString("en-US");
const round = (number) => Math.round(number * 10) / 10;
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const words = (x, y, text, ...[kind = "ink", attributes = ""]) =>
  `<text x="${x}" y="${y}" class="${kind}"${attributes}>${escaped(text)}</text>`;
/** Arguments: x, y, width, height and the class. */
const box = (...given) => {
  const [x, y, w, h] = given.slice(0, 4).map(round);
  return `<rect x="${x}" y="${y}" width="${w}" height="${h}" class="${given[4]}"/>`;
};

function picture(height, label, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="${escaped(label)}">
<style>${style}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" class="paper"/>
${parts.join("\n")}
</svg>
`;
}

/** The texts of a picture, in order. */
export function textsOf(svg) {
  return Array.from(svg.matchAll(/<text[^>]*>([^<]*)</g), ([, text]) => text);
}

/** Two windows over one history: sent content is filled, cut content is a ghost. */
export function drawWindows(windows, budget) {
  const [left, room] = [30, width - 60];
  const parts = windows.flatMap(({ name, task, parts: of }, row) => {
    const top = 62 + row * 100;
    const scale = (room - 9) / of.reduce((sum, { tokens }) => sum + tokens, 0);
    const sent = of.reduce((sum, one) => sum + one.sent, 0);
    const isLost = of.some((one) => one.isTask && one.sent === 0);
    let x = left;
    const bars = of.map(({ tokens, sent: own, isTask }) => {
      const [w, filled] = [tokens * scale, own * scale];
      const drawn = isTask
        ? box(x, top - 5, 7, 40, own > 0 ? "task" : "lost")
        : (filled > 0.3 ? box(x, top, filled, 30, "kept") : "") +
          (w - filled > 1 ? box(x + filled, top, w - filled, 30, "ghost") : "");
      x += isTask ? Math.max(w, 9) : w;
      return drawn;
    });
    return [
      words(left, top - 14, name, "ink", ' font-weight="600"'),
      words(left + 230, top - 14, task, isLost ? "bad" : "good"),
      words(width - 30, top - 14, `${count(sent)} tokens sent`, "muted", ' text-anchor="end"'),
      ...bars,
    ];
  });
  const [first] = windows;
  const whole = first.parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const label = `Two windows of ${count(budget)} tokens over a history of ${count(whole)}. ${windows.map(({ name, task }) => `${name}: ${task}.`).join(" ")}`;
  const legend = 228;
  return picture(250, label, [
    words(
      30,
      24,
      `One agent's history of ${count(whole)} tokens, in windows of ${count(budget)}`,
      "muted",
    ),
    ...parts.map((part) =>
      part.replaceAll(/ y="(\d+(?:\.\d)?)"/g, (_, y) => ` y="${round(Number(y) + 8)}"`),
    ),
    box(30, legend - 10, 12, 12, "task"),
    words(48, legend, "the task", "muted"),
    box(130, legend - 10, 12, 12, "kept"),
    words(148, legend, "sent", "muted"),
    box(200, legend - 10, 12, 12, "ghost"),
    words(218, legend, "cut", "muted"),
    box(270, legend - 10, 12, 12, "lost"),
    words(288, legend, "the task, lost", "muted"),
  ]);
}

/** Each prompt of a session: cached and new tokens with CCL, in front of the whole history. */
export function drawPrompts(prompts, budget) {
  const [left, bottom, height] = [80, 300, 240];
  const highest = Math.max(...prompts.map(({ everything }) => everything));
  const y = (tokens) => (tokens / highest) * height;
  const step = (width - left - 30) / prompts.length;
  const sum = (value) => prompts.reduce((total, one) => total + value(one), 0);
  const share = Math.round((100 * sum(({ cached }) => cached)) / sum(({ tokens }) => tokens));
  const columns = prompts.flatMap(({ everything, tokens, cached }, at) => {
    const x = left + at * step;
    return [
      box(x, bottom - y(everything), step - 2, y(everything), "all"),
      box(x, bottom - y(tokens), step - 2, y(tokens), "kept"),
      box(x, bottom - y(cached), step - 2, y(cached), "cached"),
    ];
  });
  const axis = [0, 0.5, 1].flatMap((part) => [
    `<path d="M${left} ${round(bottom - part * height)}H${width - 30}" class="line"/>`,
    words(
      left - 8,
      round(bottom - part * height) + 5,
      `${count((part * highest) / 1000)}k`,
      "muted",
      ' text-anchor="end"',
    ),
  ]);
  const limit = round(bottom - y(budget));
  const label = `Tokens of ${prompts.length} prompts. Everything grows to ${count(highest)}. With CCL none is above ${count(budget)}, and ${share} % of it is in the provider's cache.`;
  return picture(372, label, [
    words(
      30,
      30,
      `Tokens of each of ${prompts.length} prompts of an agent that reads file after file`,
      "muted",
    ),
    ...axis,
    ...columns,
    `<path d="M${left} ${limit}H${width - 30}" class="limit"/>`,
    words(left + 4, limit - 8, `budget: ${count(budget)}`, "bad"),
    words(left, bottom + 22, "first prompt", "muted"),
    words(width - 30, bottom + 22, `prompt ${prompts.length}`, "muted", ' text-anchor="end"'),
    box(80, 342, 12, 12, "all"),
    words(98, 352, `everything: ${count(highest)} at the end`, "muted"),
    box(330, 342, 12, 12, "kept"),
    words(348, 352, "with CCL: new", "muted"),
    box(480, 342, 12, 12, "cached"),
    words(498, 352, `with CCL: from the cache, ${share} % of all`, "muted"),
  ]);
}

/** A repository, the part that a task needs, and the resulting edit. */
export function drawEdit({ task, total, files, pack, diff, checks }) {
  const perRow = 20;
  const squares = files.map((isChosen, at) =>
    box(
      30 + (at % perRow) * 11,
      84 + Math.floor(at / perRow) * 11,
      9,
      9,
      isChosen ? "chosen" : "file",
    ),
  );
  const end = 84 + Math.ceil(files.length / perRow) * 11;
  const height = Math.max(end + 30, 290);
  const short = (path, most) => (path.length > most ? `…${path.slice(1 - most)}` : path);
  const lines = diff
    .filter((line) => /^[ +-]/.test(line) && !/^(---|\+\+\+)/.test(line))
    .slice(0, 8);
  const green = checks.every(({ status }) => status === "passed");
  const arrow = (x) => `<path d="M${x} 150h22m-7 -6l7 6l-7 6" class="arrow"/>`;
  const label = `${count(files.length)} files of ${count(total)} tokens, a pack of ${pack.entries.length} files in ${count(pack.tokens)} tokens, and an edit whose check ${green ? "passed" : "failed"}.`;
  return picture(height, label, [
    words(30, 30, `“${task}”`, "muted"),
    words(30, 58, "Repository", "ink", ' font-weight="600"'),
    words(
      30,
      76,
      `${count(files.length)} files, ${count(total)} tokens`,
      "muted",
      ' font-size="12"',
    ),
    ...squares,
    arrow(258),
    words(294, 58, "Pack", "ink", ' font-weight="600"'),
    words(
      294,
      76,
      `${pack.entries.length} files, ${count(pack.tokens)} tokens`,
      "muted",
      ' font-size="12"',
    ),
    ...pack.entries
      .slice(0, 8)
      .flatMap(({ path, level }, at) => [
        words(294, 104 + at * 20, short(path, 26), "ink code"),
        words(540, 104 + at * 20, level, "muted code", ' text-anchor="end"'),
      ]),
    arrow(552),
    words(588, 58, "Applied edit", "ink", ' font-weight="600"'),
    words(588, 76, short(pack.entries[0].path, 36), "muted", ' font-size="12"'),
    ...lines.map((line, at) =>
      words(
        588,
        104 + at * 18,
        line.length > 38 ? `${line.slice(0, 37)}…` : line,
        `${line.startsWith("+") ? "added" : "muted"} code`,
        ' xml:space="preserve"',
      ),
    ),
    `<circle cx="598" cy="${112 + lines.length * 18}" r="9" class="${green ? "good" : "bad"}"/>`,
    `<path d="M593.5 ${112 + lines.length * 18}l3 3.5l6 -7" style="fill:none;stroke:#fff;stroke-width:2"/>`,
    ...checks.map(({ name, status }) =>
      words(614, 117 + lines.length * 18, `${name}: ${status}`, green ? "good" : "bad"),
    ),
  ]);
}
