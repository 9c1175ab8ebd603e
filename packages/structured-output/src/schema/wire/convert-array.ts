import { isRecord } from "@ccl/core/json";
import { convertObject } from "./convert-object.ts";
import { dropConstraints } from "./drop-constraints.ts";
import {
  asItIs,
  type Converted,
  type Decode,
  type Position,
  type WireContext,
  type WireNode,
} from "./wire-context.ts";

/**
 * Converts an array. A list with one kind of item stays a list, and a tuple becomes an object with one property per
 * item.
 */
export function convertArray(node: WireNode, position: Position, context: WireContext): Converted {
  const { prefix, rest } = tupleOf(node);
  const inner = { path: [...position.path, "items"], depth: position.depth + 1 };
  if (prefix.length > 0) return convertTuple({ prefix, rest }, node, { position, context });
  if (rest === false) return context.jsonText(node, position, "an array that must be empty");
  const item = context.convert(rest ?? true, inner);
  const sizes = ["minItems", "maxItems"].filter((keyword) => typeof node[keyword] === "number");
  const wire = {
    type: "array",
    items: item.schema,
    ...Object.fromEntries(sizes.map((key) => [key, node[key]])),
  };
  return {
    schema: dropConstraints(wire, node, { position, context }),
    decode: item.decode === asItIs ? asItIs : eachBy(item.decode),
  };
}

function eachBy(decode: Decode): Decode {
  return (wire) => (Array.isArray(wire) ? wire.map((item: unknown) => decode(item)) : wire);
}

/** `prefixItems` and `items` of 2020-12, or `items` and `additionalItems` of draft-07. */
function tupleOf({ prefixItems, items, additionalItems }: WireNode): {
  prefix: unknown[];
  rest: unknown;
} {
  if (Array.isArray(prefixItems)) return { prefix: prefixItems, rest: items };
  return Array.isArray(items)
    ? { prefix: items, rest: additionalItems }
    : { prefix: [], rest: items };
}

function convertTuple(
  { prefix, rest }: { prefix: unknown[]; rest: unknown },
  node: WireNode,
  { position, context }: { position: Position; context: WireContext },
): Converted {
  const named = prefix.map((item, index): [string, unknown] => [`item${index}`, item]);
  const sent = typeof node["minItems"] === "number" ? node["minItems"] : 0;
  const { minItems: _min, maxItems, ...others } = node;
  const isOpen = rest !== false && !(typeof maxItems === "number" && maxItems <= prefix.length);
  const object = convertObject(
    {
      ...others,
      type: "object",
      properties: Object.fromEntries(
        isOpen ? [...named, ["rest", { type: "array", items: rest ?? true }]] : named,
      ),
      required: [...named.slice(0, sent).map(([name]) => name), ...(isOpen ? ["rest"] : [])],
      additionalProperties: false,
    },
    position,
    context,
  );
  const names = named.map(([name]) => name);
  return { schema: object.schema, decode: tupleBy(names, object.decode) };
}

function tupleBy(names: readonly string[], decodeObject: Decode): Decode {
  return (wire) => {
    const decoded = decodeObject(wire);
    if (
      !isRecord(decoded) ||
      !Object.keys(decoded).every((name) => name === "rest" || names.includes(name))
    )
      return decoded;
    const rest = decoded["rest"] ?? [];
    if (!Array.isArray(rest)) return decoded;
    // A nullable item that precedes others was decoded as absent.
    const last = names.findLastIndex((name) => Object.hasOwn(decoded, name)) + 1;
    const items = names.slice(0, rest.length > 0 ? undefined : last);
    return [...items.map((name) => decoded[name] ?? null), ...rest];
  };
}
