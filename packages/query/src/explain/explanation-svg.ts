import { grouped } from "./explanation-text.ts";
import type { PlanExplanation } from "./plan-explanation.ts";
import type { ExplainedStep } from "./plan-explanation.ts";

type Body = Pick<PlanExplanation, "sources" | "local" | "rows">;

const lineChars = 44;
const mostLines = 4;
const lineHeight = 16;
const boxWidth = 332;
const padding = 12;
const gap = 28;
const columnGap = 96;

interface Placed {
  y: number;
  height: number;
  svg: string;
}

/** The sources on the left, what stays here on the right of them, then the result; arrows say how many rows are moved. */
export function explanationSvg({ sources, local, rows }: Body): string {
  const groups = stacked(sources.map(({ name, steps }) => ({ title: name, steps })));
  const here = local.length > 0 ? stacked([{ title: "here", steps: local }], columnX(1)) : [];
  const contentHeight = Math.max(bottomOf(groups), bottomOf(here), 60);
  const resultColumn = here.length > 0 ? 2 : 1;
  const resultX = columnX(resultColumn);
  const hereY = middleOf(here[0]) ?? contentHeight / 2;
  const resultY = here.length > 0 ? hereY : (middleOf(groups[0]) ?? contentHeight / 2);
  const targetY = here.length > 0 ? hereY : resultY;
  const arrows = groups.map((group, index) =>
    arrow({
      from: { x: padding + boxWidth, y: middleOf(group) ?? 0 },
      to: { x: columnX(1), y: targetY + (index - (groups.length - 1) / 2) * 18 },
      label: countText(sources[index]?.rows),
    }),
  );
  if (here.length > 0)
    arrows.push(
      arrow({
        from: { x: columnX(1) + boxWidth, y: hereY },
        to: { x: resultX, y: resultY },
        label: countText(rows),
      }),
    );
  const width = resultX + 90 + padding;
  const result = `<rect class="box" x="${resultX}" y="${resultY - 18}" width="90" height="36" rx="18"/><text x="${resultX + 45}" y="${resultY + 5}" text-anchor="middle">result</text>`;
  const parts = [...groups, ...here].map(({ svg }) => svg);
  return `${head(width, contentHeight + padding)}\n${[...parts, ...arrows, result].join("\n")}\n</svg>\n`;
}

const columnX = (column: number): number => padding + column * (boxWidth + columnGap);

const middleOf = (group: Placed | undefined): number | undefined =>
  group === undefined ? undefined : group.y + group.height / 2;

const bottomOf = (groups: readonly Placed[]): number =>
  Math.max(0, ...groups.map(({ y, height }) => y + height));

function head(width: number, height: number): string {
  const style =
    "svg{color-scheme:light dark;--ink:#1f2933;--paper:#ffffff;--box:#f1f5f9;--line:#64748b}@media(prefers-color-scheme:dark){svg{--ink:#e5e7eb;--paper:#111827;--box:#1f2937;--line:#94a3b8}}.paper{fill:var(--paper)}.group{fill:none;stroke:var(--line);stroke-dasharray:4 3}.box{fill:var(--box);stroke:var(--line)}text{fill:var(--ink)}.title{font-weight:bold}.label{paint-order:stroke;stroke:var(--paper);stroke-width:5}.arrow{fill:none;stroke:var(--line);stroke-width:1.5}.tip{fill:var(--line)}";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img" aria-label="Who does what of a query plan"><style>${style}</style><defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs><rect class="paper" width="${width}" height="${height}"/>`;
}

/** Groups one under the other, each a frame with a box a step. */
function stacked(
  groups: readonly { title: string; steps: readonly ExplainedStep[] }[],
  x = padding,
): Placed[] {
  let y = padding;
  return groups.map(({ title, steps }) => {
    const parts: string[] = [];
    let at = y + 28;
    for (const [index, step] of steps.entries()) {
      const lines = wrapped(step.text);
      const height = lines.length * lineHeight + 12;
      const left = x + padding;
      parts.push(
        `<rect class="box" x="${left}" y="${at}" width="${boxWidth - 2 * padding}" height="${height}" rx="4"/>`,
      );
      for (const [line, text] of lines.entries())
        parts.push(
          `<text x="${left + 8}" y="${at + 18 + line * lineHeight}">${escapeXml(text)}</text>`,
        );
      at += height;
      if (index === steps.length - 1) break;
      const middle = x + boxWidth / 2;
      parts.push(`<path class="arrow" d="M${middle} ${at}V${at + 16}" marker-end="url(#tip)"/>`);
      at += 16;
    }
    const height = at + padding - y;
    const frame = `<rect class="group" x="${x}" y="${y}" width="${boxWidth}" height="${height}" rx="6"/><text class="title" x="${x + padding}" y="${y + 18}">${escapeXml(shortened(title, lineChars))}</text>`;
    const placed = { y, height, svg: [frame, ...parts].join("") };
    y += height + gap;
    return placed;
  });
}

interface Point {
  x: number;
  y: number;
}

function arrow({ from, to, label }: { from: Point; to: Point; label: string }): string {
  const middle = (from.x + to.x) / 2;
  const path = `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
  return `<path class="arrow" d="${path}" marker-end="url(#tip)"/><text class="label" x="${from.x + 6}" y="${from.y - 6}">${label}</text>`;
}

const countText = (rows: number | undefined): string =>
  rows === undefined ? "? rows" : `~${grouped(rows)} rows`;

/** Lines of a text, cut at spaces where there are some. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let rest = [...text.replaceAll(/\s+/g, " ").trim()];
  while (rest.length > lineChars && lines.length < mostLines - 1) {
    const space = rest.slice(0, lineChars + 1).lastIndexOf(" ");
    const end = space > lineChars / 3 ? space : lineChars;
    lines.push(rest.slice(0, end).join(""));
    rest = rest.slice(rest[end] === " " ? end + 1 : end);
  }
  return [...lines, shortened(rest.join(""), lineChars)];
}

function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 3).join("")}...`;
}

/** Text of a document: what XML cannot hold is left out. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
