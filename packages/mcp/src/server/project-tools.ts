import type { AliasRegistry, FileHistory, GetAliasOutput } from "@ccl/aliases";
import type { TokenCounter } from "@ccl/core";
import { arrayAt, jsonText, numberAt, stringAt } from "@ccl/core/json";

import {
  issuesError,
  readingTool,
  type ServerTool,
  type ServerToolCall,
  toolError,
} from "./server-tool.ts";
import { openOnce, type Opener } from "./source.ts";

/** A folder whose files have short names. */
export interface ProjectSource {
  registry: AliasRegistry;
  /** Commit history. Ranks files that changed together with those that a task names. */
  history?: FileHistory | undefined;
}

const defaultBudget = 8_000;
const maxBudget = 32_000;
const orientation =
  "Get to know this project: what it is for, which parts it has, how they work together.";
const steps = { files_read: "Reading files", files_outlined: "Outlining", fitted: "Fitting" };

/** Creates `pack` and `get_alias`. Both find new files. */
export function projectTools(
  open: Opener<ProjectSource>,
  counter: Opener<TokenCounter>,
): ServerTool[] {
  const openTool = openOnce(async () => {
    const { createGetAliasTool } = await import("@ccl/aliases");
    return createGetAliasTool((await open()).registry, { counter: await counter() });
  });
  const scan = async ({ signal }: ServerToolCall): Promise<ProjectSource> => {
    const project = await open();
    await project.registry.scan({ signal });
    return project;
  };
  return [
    readingTool(
      {
        name: "pack",
        title: "Show what a task needs",
        description:
          "Shows what matters in this project for a task, within a token budget. Call it first.",
        properties: {
          task: {
            type: "string",
            description: "what you will change or want to know, in a sentence or two, with names",
          },
          budget: { type: "integer", minimum: 500, maximum: maxBudget },
          focus: {
            type: "array",
            items: { type: "string" },
            description: "paths or aliases of files that the task is about",
          },
        },
      },
      async (input, call) => {
        const { buildPack } = await import("@ccl/aliases");
        const { registry, history } = await scan(call);
        const entries = registry.list();
        const focus = arrayAt(input, "focus").map((name) => ({
          name: jsonText(name),
          ...entries.find(({ alias, path }) => [alias, path, `./${path}`].includes(String(name))),
        }));
        const pack = await buildPack({
          registry,
          history,
          counter: await counter(),
          task: stringAt(input, "task") ?? orientation,
          budget: numberAt(input, "budget") ?? defaultBudget,
          focus: focus.flatMap(({ alias }) => alias ?? []),
          signal: call.signal,
          onEvent: ({ type, done, total }) => call.progress(done, total, steps[type]),
        });
        const unknown = focus.flatMap(({ name, alias }) =>
          alias === undefined ? `[focus: there is no file ${name}]\n` : [],
        );
        return unknown.join("") + pack.text;
      },
    ),
    readingTool(
      {
        name: "get_alias",
        title: "Read files",
        description:
          "Gives files by alias, path or path#symbol (or a list), or the best places for words in `search`.",
        properties: {
          alias: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
          search: { type: "string" },
          lines: { type: "string", description: "10-40" },
        },
      },
      async (input, call) => {
        if (input["alias"] === undefined && input["search"] === undefined)
          return toolError(
            "get_alias needs alias, such as src/main.ts#greet, or search with words.",
          );
        if (input["search"] !== undefined) await scan(call);
        const getAlias = await openTool();
        let answer = await getAlias.execute(input, call);
        if (!answer.ok && answer.issues.some(({ code }) => code === "alias_unknown")) {
          await scan(call);
          answer = await getAlias.execute(input, call);
        }
        return answer.ok ? fileText(answer.value) : issuesError(answer.issues);
      },
    ),
  ];
}

/** Formats files for a model: a line that describes the content, then the text. */
function fileText(output: GetAliasOutput): string {
  const { issues = [], others = [] } = output;
  const parts = [output, ...others].map(
    ({ alias, path, sha8, text, firstLine, lastLine, totalLines, next }) => {
      const rest = next === undefined ? "" : `, next lines: ${next.lines}`;
      return `[${alias}@${sha8} ${path}, lines ${firstLine}-${lastLine} of ${totalLines}${rest}]\n${text}`;
    },
  );
  return [...parts, ...issues.map(({ message }) => `[${message}]`)].join("\n");
}
