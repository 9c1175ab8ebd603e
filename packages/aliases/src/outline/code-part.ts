import { isRecord, parseJson } from "@ccl/core/json";

/**
 * The code of a file that holds more than code, other lines blank: the scripts of Vue and Svelte components, the
 * frontmatter of Astro. Of a notebook the cells, texts as comments, without outputs. Other files as they are.
 */
export function codePart(path: string, text: string): string {
  if (/\.(?:vue|svelte)$/i.test(path))
    return keepInside(text, /^[ \t]*<script\b[^>]*>[ \t\r]*$/i, /^[ \t]*<\/script>/i);
  if (/\.astro$/i.test(path)) return keepInside(text, /^---[ \t\r]*$/, /^---[ \t\r]*$/);
  return /\.ipynb$/i.test(path) ? (readCells(text) ?? text) : text;
}

function keepInside(text: string, open: RegExp, close: RegExp): string {
  let isInside = false;
  const kept = text.split("\n").map((line) => {
    const isEdge = (isInside ? close : open).test(line);
    if (isEdge) isInside = !isInside;
    return isInside && !isEdge ? line : "";
  });
  return kept.join("\n");
}

function readCells(text: string): string | undefined {
  const notebook = parseJson(text);
  const cells = isRecord(notebook) ? notebook["cells"] : undefined;
  if (!Array.isArray(cells)) return undefined;
  const read = cells.filter(isRecord).map(({ cell_type: type, source }) => {
    const own = Array.isArray(source) ? source.join("") : String(source ?? "");
    return type === "code" ? own : own.replace(/^/gm, "# ");
  });
  return read.join("\n\n");
}
