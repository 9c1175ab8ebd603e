import type { Issue } from "@ccl/core";

import { formatPointer } from "../../json-schema/json-pointer.ts";
import { arrayAt, isRecord, type JsonRecord, valueAt } from "@ccl/core/json";
import type { JsonSchema } from "../../json-schema/json-schema.ts";
import {
  enumCharacters,
  isPlainPattern,
  isSmallEnum,
  wireFormats,
  wireKeywords,
  wireLimits,
  wireTypes,
} from "./wire-rules.ts";

type Path = (string | number)[];

/** Adds a finding at a path below the node. */
type Add = (code: `wire_${string}`, message: string, ...at: Path) => void;

/**
 * Finds everything in a JSON Schema that strict structured outputs reject. Empty if the schema can be sent with
 * `strict: true`. Paths point into the schema. Codes are `wire_root`, `wire_keyword`, `wire_type`, `wire_required`,
 * `wire_additional_properties`, `wire_enum`, `wire_any_of`, `wire_ref`, `wire_format`, `wire_pattern`, `wire_depth` and
 * `wire_size`.
 */
export function lintWireSchema(schema: JsonSchema): Issue[] {
  const issues: Issue[] = [];
  const sizes = { properties: 0, enumValues: 0, nameCharacters: 0 };
  const references = new Set<unknown>([
    "#",
    ...namesIn(schema["$defs"]).map((name) => `#${formatPointer(["$defs", name])}`),
  ]);
  const visit = (node: unknown, path: Path, outer: number): void => {
    const add: Add = (code, message, ...at) =>
      issues.push({ code, path: [...path, ...at], message });
    if (!isRecord(node))
      return add("wire_type", "A schema must be an object; true and false are rejected.");
    const { type, $ref: reference } = node;
    if (path.length === 0 && type !== "object")
      add("wire_root", 'The root must have "type": "object"; wrap it in a property.');
    if (path.length === 0 && "anyOf" in node)
      add("wire_root", "The root may not be a union.", "anyOf");
    lintKeywords(node, add);
    const depth = outer + (type === "object" || type === "array" ? 1 : 0);
    if (depth > wireLimits.depth)
      return add(
        "wire_depth",
        `Nested deeper than ${wireLimits.depth} levels; move a part into $defs.`,
      );
    if ("$ref" in node) {
      if (Object.keys(node).length > 1)
        add("wire_ref", "$ref cannot be combined with other keywords.");
      if (!references.has(reference))
        add("wire_ref", `${JSON.stringify(reference)} is neither # nor in $defs.`, "$ref");
    } else if ("anyOf" in node) {
      if (arrayAt(node, "anyOf").length === 0)
        add("wire_any_of", "A union needs at least one branch.", "anyOf");
    } else {
      lintTyped(node, add);
      const { enum: listed, const: constant } = node;
      for (const values of [listed, "const" in node ? [constant] : undefined]) {
        if (values === undefined || !lintEnum(values, add)) continue;
        sizes.enumValues += values.length;
        sizes.nameCharacters += enumCharacters(values);
      }
    }
    for (const [index, branch] of arrayAt(node, "anyOf").entries())
      visit(branch, [...path, "anyOf", index], depth);
    for (const keyword of ["properties", "$defs"]) {
      const names = namesIn(node[keyword]);
      sizes.nameCharacters += names.join("").length;
      if (keyword === "properties") sizes.properties += names.length;
      const inner = keyword === "$defs" ? 0 : depth;
      for (const name of names)
        visit(valueAt(node, [keyword, name]), [...path, keyword, name], inner);
    }
    if ("items" in node) visit(node["items"], [...path, "items"], depth);
  };
  visit(schema, [], 0);
  for (const name of ["properties", "enumValues", "nameCharacters"] as const) {
    const message = `${name} is ${sizes[name]}, more than ${wireLimits[name]}.`;
    if (sizes[name] > wireLimits[name]) issues.push({ code: "wire_size", path: [], message });
  }
  return issues;
}

function namesIn(members: unknown): string[] {
  return isRecord(members) ? Object.keys(members) : [];
}

function lintKeywords(node: JsonRecord, add: Add): void {
  for (const keyword of Object.keys(node))
    if (!wireKeywords.has(keyword))
      add("wire_keyword", `The keyword ${JSON.stringify(keyword)} is not in the subset.`, keyword);
  const { format, pattern } = node;
  if (format !== undefined && !(typeof format === "string" && wireFormats.has(format)))
    add("wire_format", `The format ${JSON.stringify(format)} is not in the subset.`, "format");
  if (pattern !== undefined && !(typeof pattern === "string" && isPlainPattern(pattern)))
    add("wire_pattern", "Look-around, \\b and back references are not in the subset.", "pattern");
}

function lintTyped(node: JsonRecord, add: Add): void {
  const types = [node["type"]].flat();
  if (types.length === 0 || !types.every((type) => wireTypes.has(type)))
    add("wire_type", `"type" must be one of ${[...wireTypes].join(", ")}.`);
  if (types.includes("object")) {
    if (node["additionalProperties"] !== false)
      add("wire_additional_properties", '"additionalProperties" must be false.');
    const names = new Set<unknown>(namesIn(node["properties"]));
    const required = new Set(arrayAt(node, "required"));
    for (const name of names)
      if (!required.has(name))
        add(
          "wire_required",
          "Every property must be required; make it nullable.",
          "properties",
          String(name),
        );
    for (const name of required)
      if (!names.has(name))
        add(
          "wire_required",
          `${JSON.stringify(name)} is required but is not a property.`,
          "required",
        );
  }
  if (types.includes("array") && !("items" in node)) add("wire_type", "An array needs items.");
}

function lintEnum(values: unknown, add: Add): values is unknown[] {
  if (
    !Array.isArray(values) ||
    values.length === 0 ||
    values.some((value) => typeof value === "object" && value)
  ) {
    add("wire_enum", "An enum needs at least one value, and scalars only.");
    return false;
  }
  const { largeEnumValues, largeEnumCharacters } = wireLimits;
  if (!isSmallEnum(values))
    add(
      "wire_size",
      `An enum of more than ${largeEnumValues} values may have ${largeEnumCharacters} characters in all.`,
    );
  return true;
}
