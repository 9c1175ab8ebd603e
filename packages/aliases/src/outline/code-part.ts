import { isRecord, parseJson } from "@ccl/core/json";

/**
 * Extracts the code of a file that also has other content, and blanks the other lines. Extracts the
 * scripts of Vue and Svelte components, and the frontmatter of Astro. For a notebook, returns the
 * cells, with prose as comments and without outputs. Other files are returned unchanged.
 */
export function codePart(path: string, text: string): string {
  if (/\.(?:vue|svelte)$/i.test(path))
    return keepInside(text, /^[ \t]*<script\b[^>]*>[ \t\r]*$/i, /^[ \t]*<\/script>/i);
  if (/\.astro$/i.test(path)) return keepInside(text, /^---[ \t\r]*$/, /^---[ \t\r]*$/);
  return /\.ipynb$/i.test(path) ? (readCells(text) ?? text) : text;
}

function keepInside(text: string, open: RegExp, close: RegExp): string {
  let isInside = false;
  const lines = text.split("\n").map((line) => {
    const isEdge = (isInside ? close : open).test(line);
    if (isEdge) isInside = !isInside;
    return isInside && !isEdge ? line : "";
  });
  return lines.join("\n");
}

function readCells(text: string): string | undefined {
  const notebook = parseJson(text);
  const cells = isRecord(notebook) ? notebook["cells"] : undefined;
  if (!Array.isArray(cells)) return undefined;
  const read = cells.filter(isRecord).map(({ cell_type: type, source }) => {
    const cellText = Array.isArray(source) ? source.join("") : String(source ?? "");
    return type === "code" ? cellText : cellText.replace(/^/gm, "# ");
  });
  return read.join("\n\n");
}
