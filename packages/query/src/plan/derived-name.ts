// A control character, which no name of a plan contains.
const mark = "\u0001";

/** Names a step that the planner derives from a step of the plan. `id` distinguishes several. */
export function derivedName(name: string, id: string | number): string {
  return `${name}${mark}${id}`;
}

/** The plan's name for a step, or for the step that it was derived from. */
export function shownName(name: string): string {
  return name.split(mark)[0] ?? name;
}
