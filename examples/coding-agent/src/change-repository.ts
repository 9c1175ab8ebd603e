import { createPlanSession, editFormatFor, type PlanCheck } from "@ccl/plan-protocol";
import { type FileWorkspace, openWorkspace } from "@ccl/plan-protocol/node";

import type { OpenedModel } from "./open-model.ts";
import { packOf } from "./pack-of.ts";
import { printEvent } from "./print-event.ts";

const maxAttempts = 3;

/** The task, and where to do it. */
export interface RepositoryTask {
  root: string;
  goal: string;
  /** Commands, split at spaces, that must pass after the change. Without one nothing is written. */
  checks: readonly string[];
  opened: OpenedModel;
}

/** Changes your files until all checks pass, or leaves them unchanged. Without checks it only shows the change. */
export async function changeRepository(task: RepositoryTask): Promise<void> {
  if (task.opened.recordedAnswers !== undefined) {
    console.error(
      "No model was found, and the recording knows only the sample. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama with a model.",
    );
    process.exitCode = 1;
    return;
  }
  const workspace = await openWorkspace({ root: task.root });
  try {
    await change(workspace, task);
  } finally {
    await workspace.close();
  }
}

async function change(workspace: FileWorkspace, task: RepositoryTask): Promise<void> {
  const { root, goal, opened } = task;
  const checks = task.checks.map(checkOf);
  const pack = await packOf(root, goal, 8_000);
  const session = createPlanSession({
    model: opened.model,
    workspace,
    root: workspace.root,
    editFormat: editFormatFor(opened.model.modelId),
    onEvent: printEvent,
  });
  const shownFiles = pack.entries.map(({ path }) => path);
  const failing = (await workspace.check(checks)).filter(({ status }) => status !== "passed");
  let report = failing.map(({ name, output }) => `$ ${name}\n${output}`).join("\n\n");
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const proposal = await session.apply(goal, { background: pack.text, shownFiles, report });
    if (!proposal.ok) return fail(proposal.issues);
    const { plan, preview } = proposal.value;
    console.log(preview?.changes.map(({ diff }) => diff).join("") ?? plan.summary);
    if (preview === undefined || checks.length === 0) return;
    const confirm = preview.planHash;
    const applied = await session.commit(proposal.value, { checks, confirm, mustPass: true });
    if (applied.ok) {
      console.log(`All checks pass. Back again: npx @ccl/cli plan rollback last -C ${root}`);
      return;
    }
    report = applied.issues.map(({ message }) => message).join("\n");
    if (attempt === maxAttempts) fail(applied.issues);
  }
}

function checkOf(line: string): PlanCheck {
  const [program = "", ...args] = line.split(" ");
  return { name: line, command: [program, ...args] };
}

function fail(issues: readonly { message: string }[]): void {
  console.error(`Nothing was changed.\n${issues.map(({ message }) => message).join("\n")}`);
  process.exitCode = 1;
}
