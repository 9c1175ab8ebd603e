import { withoutUndefined } from "@ccl/core/json";
import { type ToolDefinition, compareCodeUnits } from "@ccl/core";
import type {
  CostHint,
  ResourceExample,
  ResourceInput,
  ResourceSnippet,
} from "../record/resource-record.ts";
import { callableFields } from "../schema/callable-fields.ts";
import { cleanText } from "../schema/clean-text.ts";
import { resourceId, resourceUri } from "./resource-address.ts";

/** A tool, executable or not, plus catalog fields that its schemas cannot express. */
export interface SkillDeclaration extends Pick<
  ToolDefinition,
  "name" | "description" | "inputSchema" | "outputSchema"
> {
  title?: string | undefined;
  tags?: readonly string[] | undefined;
  owner?: string | undefined;
  cost_hint?: CostHint | undefined;
  /** Tasks that the tool is suited for. */
  examples?: readonly ResourceExample[] | undefined;
  /** Shown before the example call derived from the schema. */
  snippets?: readonly ResourceSnippet[] | undefined;
  anti_patterns?: readonly string[] | undefined;
  /** For example, `rbac:analyst-read`. */
  policy?: string | undefined;
  /** References to secrets, such as `ada://secret/crm`. Never the values. */
  secrets?: readonly string[] | undefined;
}

/** Options of `fromTools`. */
export interface FromToolsOptions {
  /** Prefix of names in ids and uris, such as `sales` in `res:skill.sales.daily_revenue`. */
  group?: string | undefined;
  tags?: readonly string[] | undefined;
  owner?: string | undefined;
}

/**
 * Imports tool definitions as resources of kind `skill`, sorted by id. If two have the same name,
 * the later one wins.
 */
export function fromTools(
  tools: readonly SkillDeclaration[],
  options: FromToolsOptions = {},
): ResourceInput[] {
  return lastById(tools.map((tool) => skillResource(tool, options)));
}

/** Returns the resources sorted by id. If two have the same id, the later one wins. */
export function lastById(resources: readonly ResourceInput[]): ResourceInput[] {
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  return [...byId.values()].sort((left, right) => compareCodeUnits(left.id, right.id));
}

function skillResource(
  tool: SkillDeclaration,
  { group, tags = [], owner }: FromToolsOptions,
): ResourceInput {
  const parts = group === undefined ? [tool.name] : [group, tool.name];
  const { usage, ...fields } = callableFields(tool);
  return withoutUndefined({
    id: resourceId("skill", ...parts),
    uri: resourceUri("skill", ...parts),
    kind: "skill",
    title: cleanText(tool.title ?? tool.name, 200) ?? "skill",
    tags: [...new Set([...(tool.tags ?? []), ...tags])],
    owner: tool.owner ?? owner,
    cost_hint: tool.cost_hint,
    examples: tool.examples === undefined ? undefined : [...tool.examples],
    ...fields,
    usage: {
      snippets: [...(tool.snippets ?? []).map(cleanSnippet), ...(usage?.snippets ?? [])],
      anti_patterns: tool.anti_patterns === undefined ? undefined : [...tool.anti_patterns],
    },
    access: accessOf(tool),
  });
}

function cleanSnippet(snippet: ResourceSnippet): ResourceSnippet {
  return { ...snippet, code: cleanText(snippet.code, 20_000) ?? "" };
}

function accessOf({ policy, secrets }: SkillDeclaration): ResourceInput["access"] {
  if (policy === undefined && secrets === undefined) return undefined;
  return { policy, secrets: secrets?.map(secretReference) };
}

/** Masks a value that is not a reference, because it may be the secret itself. */
function secretReference(secret: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^@\s]+$/i.test(secret) ? secret : "[redacted:secret_value]";
}
