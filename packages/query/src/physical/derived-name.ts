// A control character: no name of a plan has one.
const mark = "\u0001";

/** The name of a step that planning puts beside one of the plan's own; `id` tells several apart. */
export function derivedName(name: string, id: string | number): string {
  return `${name}${mark}${id}`;
}

/** The plan's own name of a step, also of one that was put beside it. */
export function shownName(name: string): string {
  return name.split(mark)[0] ?? name;
}
