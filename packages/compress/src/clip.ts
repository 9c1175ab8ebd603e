const mark = "[...]";

/** About `max` characters of a text around a place; its beginning and its end where no place is given (-1). */
export function clipAround(text: string, max: number, place: number): string {
  if (text.length <= max) return text;
  if (place < 0) {
    const tail = Math.floor(max / 4);
    return `${whole(text.slice(0, max - tail))}${mark}${whole(text.slice(text.length - tail))}`;
  }
  const start = Math.min(Math.max(0, place - Math.floor(max / 3)), text.length - max);
  const end = start + max;
  return `${start > 0 ? mark : ""}${whole(text.slice(start, end))}${end < text.length ? mark : ""}`;
}

/** Without half a pair of surrogates at either end. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
