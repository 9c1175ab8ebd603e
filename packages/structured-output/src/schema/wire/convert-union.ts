import { objectOf } from "./convert-object.ts";
import { identityCodec, type WireCodec } from "./wire-codec.ts";
import type { Converted, Position, WireContext, WireNode } from "./wire-context.ts";
import { areDisjoint, hasShape, tagNames, wireShapes, type WireShape } from "./wire-shape.ts";
import { isRecord } from "@ccl/core/json";

interface Branch extends Converted {
  node: unknown;
}

/**
 * A union: its branches as they are where each wire value belongs to one branch at a glance, tagged with the number of
 * the branch where it doesn't and the branches are decoded differently.
 */
export function convertUnion(
  nodes: readonly unknown[],
  position: Position,
  context: WireContext,
): Converted | undefined {
  const branches = nodes
    .filter((node) => node !== false)
    .map((node, index): Branch => ({
      node,
      ...context.convert(node, { ...position, path: [...position.path, "anyOf", index] }),
    }));
  const [only, ...others] = branches;
  if (only === undefined || others.length === 0) return only;
  const schema: WireNode = { anyOf: branches.map((branch) => branch.schema) };
  if (branches.every((branch) => branch.codec === identityCodec))
    return { schema, codec: identityCodec };
  let codec: WireCodec = identityCodec;
  context.unsettled.add(schema);
  context.settle.push(() => {
    const shapes = branches.map((branch) => wireShapes(branch.schema, context));
    const isPlain = shapes.every((left, index) =>
      shapes.slice(index + 1).every((right) => areDisjoint(left, right)),
    );
    codec = isPlain ? plainCodec(branches, shapes, context) : taggedCodec(branches, context);
    if (!isPlain) schema["anyOf"] = branches.map((branch, index) => tagged(branch.schema, index));
    context.unsettled.delete(schema);
  });
  return {
    schema,
    codec: { encode: (value) => codec.encode(value), decode: (wire) => codec.decode(wire) },
  };
}

function plainCodec(
  branches: readonly Branch[],
  shapes: readonly WireShape[][],
  context: WireContext,
): WireCodec {
  return {
    encode: (value) =>
      (branches.find((branch) => context.fits(branch.node, value))?.codec ?? identityCodec).encode(
        value,
      ),
    decode: (wire) => {
      const index = shapes.findIndex((ofBranch) => hasShape(wire, ofBranch));
      return (branches[index]?.codec ?? identityCodec).decode(wire);
    },
  };
}

function tagged(schema: WireNode, index: number): WireNode {
  return objectOf([
    [tagNames.variant, { type: "string", enum: [tagOf(index)] }],
    [tagNames.value, schema],
  ]);
}

function taggedCodec(branches: readonly Branch[], context: WireContext): WireCodec {
  return {
    encode: (value) => {
      const index = branches.findIndex((branch) => context.fits(branch.node, value));
      const inner = branches[index]?.codec ?? identityCodec;
      return { [tagNames.variant]: tagOf(index), [tagNames.value]: inner.encode(value) };
    },
    decode: (wire) => {
      if (!isRecord(wire) || Object.keys(wire).length !== 2) return wire;
      const index = branches.findIndex((_, at) => tagOf(at) === wire[tagNames.variant]);
      const branch = branches[index];
      return branch === undefined ? wire : branch.codec.decode(wire[tagNames.value]);
    },
  };
}

function tagOf(index: number): string {
  return String(index + 1);
}
