/** Deeper nesting ends the text. */
const maxDepth = 100;
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*("|$)|[{}[\],]/gs;

/** The JSON text up to its last comma outside of a string, with the open objects and arrays closed there. */
export function closedJson(text: string): string {
  let [open, end, closers] = ["", 0, ""];
  for (const { 0: sign, 1: quote, index } of text.matchAll(tokens)) {
    if (quote === "" || open.length > maxDepth) break;
    if (sign === "{" || sign === "[") open = (sign === "{" ? "}" : "]") + open;
    else if (sign === "}" || sign === "]") open = open.slice(1);
    else if (sign === ",") [end, closers] = [index, open];
  }
  return text.slice(0, end) + closers;
}
