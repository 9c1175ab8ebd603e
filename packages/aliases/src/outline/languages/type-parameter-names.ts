const PARAMETER_NAME = /^\s*(?:(?:const|in|out|type|impl)\s+)*('?[\w$]+)/;

/** `<T, U>` of type parameters with bounds and defaults, in any brackets. Empty if there are none. */
export function typeParameterNames(text: string): string {
  const names: string[] = [];
  let depth = 0;
  let start = 1;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    const isArrow = character === ">" && "=-".includes(text.charAt(index - 1));
    if ("<([{".includes(character)) depth++;
    else if (">)]}".includes(character) && !isArrow) depth--;
    const isEnd = depth === 0 || (depth === 1 && character === ",");
    if (!isEnd) continue;
    const name = PARAMETER_NAME.exec(text.slice(start, index))?.[1];
    if (name !== undefined) names.push(name);
    start = index + 1;
  }
  return names.length === 0
    ? ""
    : `${text.charAt(0)}${names.join(", ")}${text.charAt(text.length - 1)}`;
}
