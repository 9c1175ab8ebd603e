import type { ToolDefinition } from "@ccl/core";
import { TurnQueue } from "@ccl/core/async";
import { createJsonSchemaChecker, type JsonSchema } from "@ccl/structured-output/json-schema";

import { editedPaths } from "../any-format/parse-edits.ts";
import type { ContextRequest } from "../plan/plan.ts";
import { refusal } from "../plan-issue.ts";
import { PlanProtocolError } from "../plan-protocol-error.ts";
import type { FileWorkspace } from "../workspace/file-workspace.ts";
import type { ApplyOptions, PlanPreview } from "../workspace/plan-workspace.ts";

/** How the edits of a model's tool calls are applied. */
export interface EditToolsOptions extends Pick<ApplyOptions, "checks" | "mustPass" | "mayFail"> {
  /** Asked before an edit that deletes something; without it such an edit is refused. */
  confirm?: ((preview: PlanPreview) => boolean | Promise<boolean>) | undefined;
}

interface EditTool<Input> {
  name: string;
  description: string;
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly (keyof Input & string)[];
  run(input: Input, signal: AbortSignal | undefined): Promise<string>;
}

const text = (description: string): JsonSchema => ({ type: "string", description });
const line: JsonSchema = { type: "integer", minimum: 1 };
const path = text("Relative to the root of the project, with forward slashes.");

/**
 * Tools for an agent loop: `read_file`, `str_replace`, `create_file`, `apply_patch`, `undo_edit`. Each edit is one transaction
 * of the workspace, whole or not at all, and `undo_edit` takes back the last that is left. A call gives text for the model,
 * which begins with `Not done.` where it was refused; calls run one at a time, in their order.
 */
export function createEditTools(
  workspace: FileWorkspace,
  options: EditToolsOptions = {},
): ToolDefinition<unknown, string>[] {
  const applied: string[] = [];
  const turns = new TurnQueue(PlanProtocolError);

  const edit = async (answer: string, signal: AbortSignal | undefined): Promise<string> => {
    const requests = editedPaths(answer, { root: workspace.root }).map(
      (edited): ContextRequest => ({ type: "read_file", path: edited }),
    );
    await workspace.read(requests, { signal });
    const edits = workspace.propose(answer);
    if (!edits.ok) return refused(edits.issues);
    const { actions } = edits.value.plan;
    if (actions.length === 0) return "Not done. The answer changes no file.";
    const done = await applyEdits(workspace, edits.value.plan, { ...options, signal });
    if (!done.ok) return refused(done.issues);
    const { transactionId, changes, rewrittenPaths } = done.value;
    applied.push(transactionId);
    return [
      ...changes.map((change) => `${change.kind} ${change.path}`),
      ...actions.flatMap((action) => ("remarks" in action ? (action.remarks ?? []) : [])),
      ...rewrittenPaths.map((rewritten) => `A check rewrote ${rewritten}. Read it again.`),
    ].join("\n");
  };

  const tool = <Input>({
    name,
    description,
    properties,
    required,
    run,
  }: EditTool<Input>): ToolDefinition<unknown, string> => {
    const inputSchema = { type: "object", properties, required, additionalProperties: false };
    const check = createJsonSchemaChecker<Input>(inputSchema);
    return {
      name,
      description,
      inputSchema,
      async execute(input, { signal }) {
        const checked = check(input);
        if (!checked.ok)
          return refused(
            checked.issues.map(({ code, path: at, message }) => ({
              code,
              message: `${["input", ...at].join(".")}: ${message}`,
            })),
          );
        return await turns.run(() => run(checked.value, signal), signal);
      },
    };
  };

  return [
    tool<{ path: string; start_line?: number; end_line?: number }>({
      name: "read_file",
      description: "Gives a file's text, or the lines from start_line to end_line.",
      properties: { path, start_line: line, end_line: line },
      required: ["path"],
      async run(input, signal) {
        const { blocks, issues } = await workspace.read([{ type: "read_file", ...input }], {
          signal,
        });
        return issues.length > 0 ? refused(issues) : (blocks[0]?.text ?? "");
      },
    }),
    tool<{ path: string; old_str: string; new_str: string; replace_all?: boolean }>({
      name: "str_replace",
      description: "Replaces a text of a file. old_str has to stand there exactly once.",
      properties: {
        path,
        old_str: {
          ...text("The text to the letter, with as many lines as make it unique."),
          minLength: 1,
        },
        new_str: text("What replaces it; empty to remove it."),
        replace_all: { type: "boolean", description: "Replaces it wherever it stands." },
      },
      required: ["path", "old_str", "new_str"],
      run: (input, signal) => edit(JSON.stringify({ command: "str_replace", ...input }), signal),
    }),
    tool<{ path: string; file_text: string }>({
      name: "create_file",
      description: "Makes a file that does not exist yet, with the folders on its way.",
      properties: { path, file_text: text("The whole text.") },
      required: ["path", "file_text"],
      run: (input, signal) => edit(JSON.stringify({ command: "create", ...input }), signal),
    }),
    tool<{ patch: string }>({
      name: "apply_patch",
      description: "Applies one patch to any number of files: all of it, or nothing.",
      properties: { patch: text("*** Begin Patch ... *** End Patch, or a unified diff.") },
      required: ["patch"],
      run: ({ patch }, signal) => edit(patch, signal),
    }),
    tool<object>({
      name: "undo_edit",
      description: "Takes back the last edit of these tools that was not taken back yet.",
      properties: {},
      required: [],
      async run(_input, signal) {
        const last = applied.at(-1);
        if (last === undefined) return "Not done. No edit is left to take back.";
        const undone = await workspace.rollback(last, { signal });
        if (!undone.ok) return refused(undone.issues);
        applied.pop();
        return `As before: ${undone.value.paths.join(", ")}`;
      },
    }),
  ];
}

/** Applies a plan with the hash of its preview, after the caller's consent where it deletes something. */
async function applyEdits(
  workspace: FileWorkspace,
  plan: Parameters<FileWorkspace["apply"]>[0],
  { confirm, ...options }: EditToolsOptions & { signal: AbortSignal | undefined },
): ReturnType<FileWorkspace["apply"]> {
  const preview = await workspace.preview(plan, { signal: options.signal });
  if (!preview.ok) return preview;
  const { planHash, needsConfirmation } = preview.value;
  if (needsConfirmation && (await confirm?.(preview.value)) !== true)
    return refusal("CONFIRM_REQUIRED", "The edit deletes something, which is not allowed here.");
  return await workspace.apply(plan, { ...options, confirm: planHash });
}

function refused(issues: readonly { code: string; message: string }[]): string {
  return `Not done. ${issues.map(({ code, message }) => `${code}: ${message}`).join("\n")}`;
}
