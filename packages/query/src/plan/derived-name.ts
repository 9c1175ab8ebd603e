// A control character, which no name of a plan contains.
const mark = "\u0001";

/** The name of a step that the planner adds for one of the plan's own. `id` keeps several apart. */
export function derivedName(name: string, id: string | number): string {
  return `${name}${mark}${id}`;
}

/** The plan's own name of a step, or of the step that it was derived from. */
export function shownName(name: string): string {
  return name.split(mark)[0] ?? name;
}
