import type { ToolCall } from "@ccl/core";

/** Calls that results can name: an id that is empty or stands twice in the answer is replaced. */
export function withCallIds(calls: readonly ToolCall[], answerId = ""): ToolCall[] {
  const given = new Set(calls.map(({ id }) => id));
  const seen = new Set([""]);
  return calls.map((call, index) => {
    let { id } = call;
    for (let next = index; seen.has(id); next += 1) {
      const own = `call_${answerId === "" ? "" : `${answerId}_`}${next}`;
      id = given.has(own) ? "" : own;
    }
    seen.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

/** The arguments of a call as text; some servers give an object, or nothing where a tool takes none. */
export function argumentText(given: unknown): string {
  return typeof given === "string" && given !== "" ? given : JSON.stringify(given || {});
}
