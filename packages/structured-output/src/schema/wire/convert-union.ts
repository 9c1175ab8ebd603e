import { isRecord } from "@ccl/core/json";
import { objectOf } from "./convert-object.ts";
import {
  identity,
  below,
  type Converted,
  type Decode,
  type Place,
  type WireNode,
} from "./wire-context.ts";
import { areDisjoint, hasShape, wireShapes } from "./wire-shape.ts";

/**
 * Converts a union. Branches stay plain if a wire value's shape identifies its branch, or if no branch needs decoding.
 * Otherwise, each is tagged with its number.
 */
export function convertUnion(nodes: readonly unknown[], place: Place): Converted | undefined {
  const { convert, settle, unsettled } = place.context;
  const branches = nodes
    .filter((node) => node !== false)
    .map((node, index) => convert(node, below(place, 0, "anyOf", index)));
  if (branches.length < 2) return branches[0];
  const schema: WireNode = { anyOf: branches.map((branch) => branch.schema) };
  if (branches.every((branch) => branch.decode === identity)) return { schema, decode: identity };
  let decode: Decode = identity;
  unsettled.add(schema);
  settle.push(() => {
    const shapes = branches.map((branch) => wireShapes(branch.schema, place.context));
    const isPlain = shapes.every((left, index) =>
      shapes.slice(index + 1).every((right) => areDisjoint(left, right)),
    );
    if (isPlain) {
      decode = (wire) => {
        const index = shapes.findIndex((ofBranch) => hasShape(wire, ofBranch));
        return (branches[index]?.decode ?? identity)(wire);
      };
    } else {
      decode = byTag(branches);
      schema["anyOf"] = branches.map((branch, index) => tagged(branch.schema, index));
    }
    unsettled.delete(schema);
  });
  return { schema, decode: (wire) => decode(wire) };
}

function byTag(branches: readonly Converted[]): Decode {
  return (wire) => {
    if (!isRecord(wire) || Object.keys(wire).length !== 2) return wire;
    const branch = branches.find((_, at) => tagOf(at) === wire["variant"]);
    return branch === undefined ? wire : branch.decode(wire["value"]);
  };
}

function tagged(schema: WireNode, index: number): WireNode {
  return objectOf([
    ["variant", { type: "string", enum: [tagOf(index)] }],
    ["value", schema],
  ]);
}

function tagOf(index: number): string {
  return String(index + 1);
}
