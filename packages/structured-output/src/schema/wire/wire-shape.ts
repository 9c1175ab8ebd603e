import { arrayAt, isRecord, isSameJson, valueAt } from "@ccl/core/json";
import type { WireContext, WireNode } from "./wire-context.ts";

/** What distinguishes wire values: type, an object's names, and fixed values. */
export interface WireShape {
  type: unknown;
  /** All names in an object, sorted. Wire objects always have all of them. */
  names?: string | undefined;
  /** Allowed values at a path: of the scalar itself, or of an object's properties. */
  tags: readonly [path: readonly string[], values: readonly unknown[]][];
}

/** Returns all possible shapes of a wire schema's values. */
export function wireShapes(
  node: WireNode,
  context: WireContext,
  seen: Set<WireNode> = new Set(),
): WireShape[] {
  if (seen.has(node)) return [];
  seen.add(node);
  if ("$ref" in node) {
    const target = context.wireTarget(node["$ref"]);
    return target === undefined ? [] : wireShapes(target, context, seen);
  }
  const branches: unknown = node["anyOf"];
  if (!Array.isArray(branches)) return [singleShape(node)];
  const shapes = branches
    .filter((branch) => isRecord(branch))
    .flatMap((branch) => wireShapes(branch, context, seen));
  // An unsettled union may yet be tagged, so it may also have that shape.
  const names = nameList(["variant", "value"]);
  return context.unsettled.has(node) ? [...shapes, { type: "object", names, tags: [] }] : shapes;
}

function singleShape(node: WireNode): WireShape {
  const type = node["type"] === "integer" ? "number" : node["type"];
  const { enum: values, properties } = node;
  if (Array.isArray(values)) return { type, tags: [[[], values]] };
  if (!isRecord(properties)) return { type, tags: [] };
  const names = Object.keys(properties);
  const tags = names.flatMap((name): WireShape["tags"] => {
    const allowed = arrayAt(properties[name], "enum");
    return allowed.length === 0 ? [] : [[[name], allowed]];
  });
  return { type, names: nameList(names), tags };
}

/** True if no value can have both a left and a right shape. */
export function areDisjoint(left: readonly WireShape[], right: readonly WireShape[]): boolean {
  return left.every((ours) => right.every((theirs) => isDisjointPair(ours, theirs)));
}

function isDisjointPair(left: WireShape, right: WireShape): boolean {
  if (left.type !== right.type || left.names !== right.names) return true;
  return left.tags.some(([path, values]) =>
    right.tags.some(
      ([other, theirs]) =>
        isSameJson(path, other) && !values.some((value) => theirs.includes(value)),
    ),
  );
}

/** True if a value has one of the shapes. */
export function hasShape(value: unknown, shapes: readonly WireShape[]): boolean {
  return shapes.some(
    ({ type, names, tags }) =>
      typeOf(value) === type &&
      (names === undefined || (isRecord(value) && nameList(Object.keys(value)) === names)) &&
      tags.every(([path, values]) => values.includes(valueAt(value, path))),
  );
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

// JSON keeps lists of names distinct, whatever characters they contain.
function nameList(names: readonly string[]): string {
  return JSON.stringify([...names].sort());
}
