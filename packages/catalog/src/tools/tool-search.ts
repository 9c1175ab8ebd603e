import { loadOnce } from "@ccl/core/async";

import { createCatalog } from "../catalog/create-catalog.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { callableFields } from "../schema/callable-fields.ts";
import { type ForeignTool, jsonSchemaOf } from "./tool-forms.ts";

/**
 * Ranks tools for a task, best first. If nothing matches, tools that were used come first, then all
 * others.
 */
type ToolSearch = (
  task: string,
  limit: number,
) => Promise<{ tools: ForeignTool[]; isMatch: boolean }>;

const searchDepth = 100;
/**
 * Weight of the best sentence, and of earlier successes. Measured by `bench/deferred-tools.mjs`.
 */
const weight = 0.5;
const maxSentences = 12;

/** Searches tools. A tool's share of all earlier successes raises its rank. */
export function createToolSearch(
  all: readonly ForeignTool[],
  successes: Pick<ReadonlyMap<string, number>, "get"> = new Map(),
): ToolSearch {
  const open = loadOnce(() => openCatalog(all));
  /** Scores by position: 1 for the best tool, 0 for a tool without any word of the text. */
  const scoresOf = async (text: string): Promise<number[]> => {
    const { hits } = await (await open()).search({ text, limit: searchDepth });
    const scores = new Map(hits.map(({ id, score }) => [id, score / (hits[0]?.score || 1)]));
    return all.map((_, at) => scores.get(idOf(at)) ?? 0);
  };
  return async (task, limit) => {
    // A task may need several tools, and each of its sentences may describe a different one.
    const texts = [task, ...sentencesOf(task)];
    const [whole = [], ...parts] = await Promise.all(texts.map(scoresOf));
    // A single success may be chance, so the first one does not count.
    const uses = all.map(({ name }) => Math.max((successes.get(name) ?? 0) - 1, 0));
    const total = uses.reduce((sum, count) => sum + count, 0) || 1;
    const isMatch = whole.some((score) => score > 0);
    const ranked = all
      .map((tool, at) => {
        const part = Math.max(0, ...parts.map((scores) => scores[at] ?? 0));
        const share = (uses[at] ?? 0) / total;
        return { tool, score: (whole[at] ?? 0) + weight * (part + Math.sqrt(share)) };
      })
      .filter(({ score }) => score > 0 || !isMatch)
      .sort((left, right) => right.score - left.score);
    return { tools: ranked.slice(0, limit).map(({ tool }) => tool), isMatch };
  };
}

/** Returns the sentences of three or more words, if there are several. */
function sentencesOf(text: string): string[] {
  const parts = text.split(/(?<=[.!?;])\s+|\n+/).filter((part) => /\S\s+\S+\s+\S/.test(part));
  return parts.length > 1 ? parts.slice(0, maxSentences) : [];
}

function idOf(at: number): string {
  return `skill:${at}`;
}

async function openCatalog(tools: readonly ForeignTool[]): Promise<Catalog> {
  const opened = createCatalog();
  const resources = tools.map(async ({ name, description, schema }, at) => ({
    ...callableFields({ name, description, inputSchema: await jsonSchemaOf(schema) }),
    usage: undefined,
    id: idOf(at),
    kind: "skill",
    title: name,
    // The server of `github__create_issue` and `github/create_issue` is `github`.
    container: /^(.+?)(?:__|[/.:])/.exec(name)?.[1] ?? name,
  }));
  await opened.register(await Promise.all(resources));
  return opened;
}
