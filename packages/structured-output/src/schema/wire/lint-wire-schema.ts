import type { Issue } from "@ccl/core";

import { formatPointer } from "../../json-schema/json-pointer.ts";
import { isRecord } from "@ccl/core/json";
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

/** What breaks a rule of the strict subset. */
type WireIssueCode =
  | "wire_root"
  | "wire_keyword"
  | "wire_type"
  | "wire_required"
  | "wire_additional_properties"
  | "wire_enum"
  | "wire_any_of"
  | "wire_ref"
  | "wire_format"
  | "wire_pattern"
  | "wire_depth"
  | "wire_size";

interface Step {
  node: unknown;
  path: (string | number)[];
  depth: number;
}

interface Findings {
  issues: Issue[];
  add(code: WireIssueCode, path: (string | number)[], message: string): void;
  properties: number;
  enumValues: number;
  nameCharacters: number;
}

/**
 * Everything in a JSON Schema that strict structured outputs refuse; empty for a schema that may be sent with
 * `strict: true`. Paths lead into the schema, codes are of `WireIssueCode`.
 */
export function lintWireSchema(schema: JsonSchema): Issue[] {
  const issues: Issue[] = [];
  const add: Findings["add"] = (code, path, message) => issues.push({ code, path, message });
  const findings: Findings = { issues, add, properties: 0, enumValues: 0, nameCharacters: 0 };
  if (schema["type"] !== "object")
    add("wire_root", [], 'The root must have "type": "object"; wrap it in a property.');
  const pending: Step[] = [{ node: schema, path: [], depth: 0 }];
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    pending.push(...lintNode(step, schema, findings).reverse());
  }
  lintSizes(findings);
  return issues;
}

function lintNode({ node, path, depth }: Step, root: JsonSchema, findings: Findings): Step[] {
  if (!isRecord(node)) {
    findings.add("wire_type", path, "A schema must be an object; true and false are refused.");
    return [];
  }
  lintKeywords(node, path, findings);
  const inner = node["type"] === "object" || node["type"] === "array" ? depth + 1 : depth;
  if (inner > wireLimits.depth) {
    findings.add(
      "wire_depth",
      path,
      `Nested deeper than ${wireLimits.depth} levels; move a part into $defs.`,
    );
    return [];
  }
  if ("$ref" in node) lintReference(node, path, { root, findings });
  else if ("anyOf" in node) lintAnyOf(node["anyOf"], path, findings);
  else lintTyped(node, path, findings);
  const children: Step[] = [];
  const add = (child: unknown, ...steps: (string | number)[]): void => {
    children.push({
      node: child,
      path: [...path, ...steps],
      depth: steps[0] === "$defs" ? 0 : inner,
    });
  };
  if (Array.isArray(node["anyOf"]))
    node["anyOf"].forEach((branch, index) => add(branch, "anyOf", index));
  for (const keyword of ["properties", "$defs"]) {
    const members = node[keyword];
    if (!isRecord(members)) continue;
    for (const [name, member] of Object.entries(members)) add(member, keyword, name);
    findings.nameCharacters += Object.keys(members).join("").length;
    if (keyword === "properties") findings.properties += Object.keys(members).length;
  }
  if ("items" in node) add(node["items"], "items");
  return children;
}

function lintKeywords(
  node: Record<string, unknown>,
  path: (string | number)[],
  findings: Findings,
): void {
  for (const keyword of Object.keys(node)) {
    if (!wireKeywords.has(keyword)) {
      findings.add(
        "wire_keyword",
        [...path, keyword],
        `The keyword ${JSON.stringify(keyword)} is not in the subset.`,
      );
    }
  }
  if (path.length === 0 && "anyOf" in node)
    findings.add("wire_root", ["anyOf"], "The root may not be a union.");
  const { format, pattern } = node;
  if (format !== undefined && !(typeof format === "string" && wireFormats.has(format))) {
    findings.add(
      "wire_format",
      [...path, "format"],
      `The format ${JSON.stringify(format)} is not in the subset.`,
    );
  }
  if (pattern !== undefined && !(typeof pattern === "string" && isPlainPattern(pattern))) {
    findings.add(
      "wire_pattern",
      [...path, "pattern"],
      "Look-around, \\b and back references are not in the subset.",
    );
  }
}

function lintReference(
  node: Record<string, unknown>,
  path: (string | number)[],
  { root, findings }: { root: JsonSchema; findings: Findings },
): void {
  const target = node["$ref"];
  if (Object.keys(node).length > 1) findings.add("wire_ref", path, "$ref must stand alone.");
  const definitions = isRecord(root["$defs"]) ? root["$defs"] : {};
  const isKnown =
    target === "#" ||
    Object.keys(definitions).some((name) => target === `#${formatPointer(["$defs", name])}`);
  if (!isKnown)
    findings.add(
      "wire_ref",
      [...path, "$ref"],
      `${JSON.stringify(target)} is neither # nor in $defs.`,
    );
}

function lintAnyOf(branches: unknown, path: (string | number)[], findings: Findings): void {
  if (Array.isArray(branches) && branches.length > 0) return;
  findings.add("wire_any_of", [...path, "anyOf"], "A union needs at least one branch.");
}

function lintTyped(
  node: Record<string, unknown>,
  path: (string | number)[],
  findings: Findings,
): void {
  const { type } = node;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (
    types.length === 0 ||
    !types.every((item) => typeof item === "string" && wireTypes.includes(item))
  ) {
    findings.add("wire_type", path, `"type" must be one of ${wireTypes.join(", ")}.`);
  }
  if (types.includes("object")) lintObject(node, path, findings);
  if (types.includes("array") && !("items" in node))
    findings.add("wire_type", path, "An array needs items.");
  for (const values of [node["enum"], "const" in node ? [node["const"]] : undefined]) {
    if (values !== undefined) lintEnum(values, path, findings);
  }
}

function lintObject(
  node: Record<string, unknown>,
  path: (string | number)[],
  findings: Findings,
): void {
  if (node["additionalProperties"] !== false) {
    findings.add("wire_additional_properties", path, '"additionalProperties" must be false.');
  }
  const names = isRecord(node["properties"]) ? Object.keys(node["properties"]) : [];
  const required = new Set<unknown>(Array.isArray(node["required"]) ? node["required"] : []);
  for (const name of names.filter((item) => !required.has(item))) {
    findings.add(
      "wire_required",
      [...path, "properties", name],
      "Every property must be required; make it nullable.",
    );
  }
  for (const name of [...required].filter((item) => !names.some((known) => known === item))) {
    findings.add(
      "wire_required",
      [...path, "required"],
      `${JSON.stringify(name)} is required and not a property.`,
    );
  }
}

function lintEnum(values: unknown, path: (string | number)[], findings: Findings): void {
  if (
    !Array.isArray(values) ||
    values.length === 0 ||
    values.some((value) => typeof value === "object" && value)
  ) {
    findings.add("wire_enum", path, "An enum needs at least one value, and scalars only.");
    return;
  }
  findings.enumValues += values.length;
  findings.nameCharacters += enumCharacters(values);
  if (!isSmallEnum(values)) {
    const { largeEnumValues, largeEnumCharacters } = wireLimits;
    const message = `An enum of more than ${largeEnumValues} values may have ${largeEnumCharacters} characters in all.`;
    findings.add("wire_size", path, message);
  }
}

function lintSizes({ properties, enumValues, nameCharacters, add }: Findings): void {
  const sizes = { properties, enumValues, nameCharacters };
  for (const [name, size] of Object.entries(sizes)) {
    const limit =
      name === "properties" || name === "enumValues" || name === "nameCharacters"
        ? wireLimits[name]
        : 0;
    if (size > limit) add("wire_size", [], `${name} is ${size}, more than ${limit}.`);
  }
}
