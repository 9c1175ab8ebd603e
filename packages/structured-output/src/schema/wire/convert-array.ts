import { isRecord } from "@ccl/core/json";
import { tupleOf } from "../schema-at.ts";
import { convertObject } from "./convert-object.ts";
import { dropConstraints } from "./drop-constraints.ts";
import {
  identity,
  below,
  type Converted,
  type Decode,
  jsonText,
  type Place,
  type WireNode,
} from "./wire-context.ts";

/**
 * Converts an array. A list with one kind of item stays a list, and a tuple becomes an object with one property per
 * item.
 */
export function convertArray(node: WireNode, place: Place): Converted {
  const { prefix, rest } = tupleOf(node);
  if (prefix.length > 0) return convertTuple(node, place);
  if (rest === false) return jsonText(node, place, "an array that must be empty");
  const item = place.context.convert(rest ?? true, below(place, 1, "items"));
  const sizes = ["minItems", "maxItems"].filter((keyword) => typeof node[keyword] === "number");
  const wire = {
    type: "array",
    items: item.schema,
    ...Object.fromEntries(sizes.map((keyword) => [keyword, node[keyword]])),
  };
  const decode: Decode = (list) => (Array.isArray(list) ? list.map(item.decode) : list);
  return {
    schema: dropConstraints(wire, node, place),
    decode: item.decode === identity ? identity : decode,
  };
}

function convertTuple(node: WireNode, place: Place): Converted {
  const { minItems, maxItems, ...others } = node;
  const { prefix, rest } = tupleOf(node);
  const names = prefix.map((_, index) => `item${index}`);
  const properties = names.map((name, index): [string, unknown] => [name, prefix[index]]);
  const required = names.slice(0, typeof minItems === "number" ? minItems : 0);
  if (rest !== false && !(typeof maxItems === "number" && maxItems <= prefix.length)) {
    properties.push(["rest", { type: "array", items: rest ?? true }]);
    required.push("rest");
  }
  const object = {
    ...others,
    type: "object",
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
  const { schema, decode } = convertObject(object, place);
  return { schema, decode: (wire) => itemsOf(decode(wire), names) };
}

/** Returns a decoded tuple's items. Anything else stays unchanged. */
function itemsOf(decoded: unknown, names: readonly string[]): unknown {
  const isTuple =
    isRecord(decoded) &&
    Object.keys(decoded).every((name) => name === "rest" || names.includes(name));
  if (!isTuple) return decoded;
  const rest = decoded["rest"] ?? [];
  if (!Array.isArray(rest)) return decoded;
  // A nullable item before others was decoded as absent.
  const last = names.findLastIndex((name) => Object.hasOwn(decoded, name)) + 1;
  const items = names.slice(0, rest.length > 0 ? undefined : last);
  return [...items.map((name) => decoded[name] ?? null), ...rest];
}
