import { isRecord } from "@ccl/core/json";
import type { WireContext, WireNode } from "./wire-context.ts";

/** What distinguishes wire values: the type, and for objects the names and fixed values. */
export interface WireShape {
  type: unknown;
  /** The allowed values of a string, number or boolean. */
  values?: ReadonlySet<unknown> | undefined;
  /** All names of an object, sorted. Wire objects always have all of them. */
  names?: string | undefined;
  /** The properties of an object that allow only certain values. */
  tags?: ReadonlyMap<string, ReadonlySet<unknown>> | undefined;
}

/** The property names of a tagged union branch. */
export const tagNames = { variant: "variant", value: "value" } as const;

/** All possible shapes of a wire schema's values. */
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
  // An unsettled union may still become tagged, so it may also have that shape.
  const names = nameList([tagNames.variant, tagNames.value]);
  return context.unsettled.has(node)
    ? [...shapes, { type: "object", names, tags: new Map() }]
    : shapes;
}

function singleShape(node: WireNode): WireShape {
  const type = node["type"] === "integer" ? "number" : node["type"];
  const values: unknown = node["enum"];
  if (Array.isArray(values)) return { type, values: new Set<unknown>(values) };
  if (type !== "object" || !isRecord(node["properties"])) return { type };
  const properties = Object.entries(node["properties"]);
  const tags = properties.flatMap(([name, property]): [string, Set<unknown>][] =>
    isRecord(property) && Array.isArray(property["enum"])
      ? [[name, new Set<unknown>(property["enum"])]]
      : [],
  );
  return { type, names: nameList(properties.map(([name]) => name)), tags: new Map(tags) };
}

/** True if no value can have both a left and a right shape. */
export function areDisjoint(left: readonly WireShape[], right: readonly WireShape[]): boolean {
  return left.every((ours) => right.every((theirs) => isDisjointPair(ours, theirs)));
}

function isDisjointPair(left: WireShape, right: WireShape): boolean {
  if (left.type !== right.type) return true;
  if (left.type !== "object") {
    return (
      left.values !== undefined &&
      right.values !== undefined &&
      shareNothing(left.values, right.values)
    );
  }
  if (left.names !== right.names) return true;
  return [...(left.tags ?? [])].some(([name, values]) => {
    const theirs = right.tags?.get(name);
    return theirs !== undefined && shareNothing(values, theirs);
  });
}

function shareNothing(left: ReadonlySet<unknown>, right: ReadonlySet<unknown>): boolean {
  return [...left].every((value) => !right.has(value));
}

/** True if a value has one of the shapes. */
export function hasShape(value: unknown, shapes: readonly WireShape[]): boolean {
  return shapes.some((shape) => {
    if (typeOf(value) !== shape.type) return false;
    if (shape.values !== undefined) return shape.values.has(value);
    if (shape.names === undefined || !isRecord(value)) return true;
    if (nameList(Object.keys(value)) !== shape.names) return false;
    return [...(shape.tags ?? [])].every(([name, values]) => values.has(value[name]));
  });
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

// JSON keeps lists of names distinct, whatever characters the names contain.
function nameList(names: readonly string[]): string {
  return JSON.stringify([...names].sort());
}
