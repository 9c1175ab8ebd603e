import type { ToolCall } from "@ccl/core";

/** Replaces empty and duplicate ids within an answer, so that each result can refer to its call. */
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

/** Creates a call, or a piece of one, from an answer. A missing id or name becomes an empty string. */
export function answeredCall(id: unknown, name: unknown, input: unknown): ToolCall {
  const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
  return { id: textOf(id), name: textOf(name), arguments: argumentText(input) };
}

/** Returns the arguments of a call as text. Some servers send an object, or nothing if the tool has no parameters. */
export function argumentText(given: unknown): string {
  return typeof given === "string" && given !== "" ? given : JSON.stringify(given || {});
}
