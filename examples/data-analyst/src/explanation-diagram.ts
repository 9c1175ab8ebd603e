import type { explainPlan } from "@ccl/query";

type Explanation = ReturnType<typeof explainPlan>;

/** A Mermaid flowchart: a box for each source and one for local work, and arrows with the data that is moved. */
export function explanationDiagram({ sources, local }: Explanation): string {
  const lines = ["flowchart LR"];
  for (const [index, source] of sources.entries()) {
    lines.push(`  subgraph s${index}["${escaped(source.name)}"]`);
    lines.push(...chain(source.steps, `s${index}n`), "  end");
  }
  if (local.length > 0) lines.push('  subgraph here["here"]', ...chain(local, "h"), "  end");
  const target = local.length > 0 ? "h0" : "result";
  for (const [index, { steps, rows: moved }] of sources.entries()) {
    lines.push(`  s${index}n${steps.length - 1} -->|${label(moved)}| ${target}`);
  }
  if (local.length > 0) lines.push(`  h${local.length - 1} --> result`);
  lines.push('  result(["result"])');
  return `${lines.join("\n")}\n`;
}

function chain(steps: Explanation["local"], prefix: string): string[] {
  const boxes = steps.map(({ text }, index) => `    ${prefix}${index}["${escaped(text)}"]`);
  const arrows = steps
    .slice(1)
    .map((_, index) => `    ${prefix}${index} --> ${prefix}${index + 1}`);
  return [...boxes, ...arrows];
}

function label(rows: number | undefined): string {
  return rows === undefined ? '"?"' : `"~${rows.toLocaleString("en")}"`;
}

/** Escapes text so that a plan cannot end its label. Mermaid recognizes entities by `#` and a semicolon. */
function escaped(text: string): string {
  const short = text.length > 160 ? `${text.slice(0, 160)}...` : text;
  return short.replace(
    /[#"<>`\\[\]{}|;&\p{Cc}]/gu,
    (character) => `#${character.codePointAt(0) ?? 32};`,
  );
}
