import { objectOf } from "./convert-object.ts";
import {
  asItIs,
  type Converted,
  type Decode,
  type Position,
  type WireContext,
  type WireNode,
} from "./wire-context.ts";
import { areDisjoint, hasShape, tagNames, wireShapes, type WireShape } from "./wire-shape.ts";
import { isRecord } from "@ccl/core/json";

/**
 * Converts a union. Its branches stay plain if the shape of a wire value identifies its branch, or if no branch needs
 * decoding. Otherwise each is tagged with its number.
 */
export function convertUnion(
  nodes: readonly unknown[],
  position: Position,
  context: WireContext,
): Converted | undefined {
  const branches = nodes
    .filter((node) => node !== false)
    .map((node, index) =>
      context.convert(node, { ...position, path: [...position.path, "anyOf", index] }),
    );
  const [only, ...others] = branches;
  if (only === undefined || others.length === 0) return only;
  const schema: WireNode = { anyOf: branches.map((branch) => branch.schema) };
  if (branches.every((branch) => branch.decode === asItIs)) return { schema, decode: asItIs };
  let decode: Decode = asItIs;
  context.unsettled.add(schema);
  context.settle.push(() => {
    const shapes = branches.map((branch) => wireShapes(branch.schema, context));
    const isPlain = shapes.every((left, index) =>
      shapes.slice(index + 1).every((right) => areDisjoint(left, right)),
    );
    decode = isPlain ? byShape(branches, shapes) : byTag(branches);
    if (!isPlain) schema["anyOf"] = branches.map((branch, index) => tagged(branch.schema, index));
    context.unsettled.delete(schema);
  });
  return { schema, decode: (wire) => decode(wire) };
}

function byShape(branches: readonly Converted[], shapes: readonly WireShape[][]): Decode {
  return (wire) => {
    const index = shapes.findIndex((ofBranch) => hasShape(wire, ofBranch));
    return (branches[index]?.decode ?? asItIs)(wire);
  };
}

function byTag(branches: readonly Converted[]): Decode {
  return (wire) => {
    if (!isRecord(wire) || Object.keys(wire).length !== 2) return wire;
    const branch = branches.find((_, at) => tagOf(at) === wire[tagNames.variant]);
    return branch === undefined ? wire : branch.decode(wire[tagNames.value]);
  };
}

function tagged(schema: WireNode, index: number): WireNode {
  return objectOf([
    [tagNames.variant, { type: "string", enum: [tagOf(index)] }],
    [tagNames.value, schema],
  ]);
}

function tagOf(index: number): string {
  return String(index + 1);
}
