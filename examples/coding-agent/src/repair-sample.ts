import assert from "node:assert/strict";

import { LanguageModelError, type Result } from "@ccl/core";
import { createPlanSession, type Proposal, type ProposedPlan } from "@ccl/plan-protocol";
import { type FileWorkspace, openWorkspace } from "@ccl/plan-protocol/node";

import type { OpenedModel } from "./open-model.ts";
import { packOf } from "./pack-of.ts";
import { printEvent } from "./print-event.ts";
import { copySample, type SampleProject } from "./sample-project.ts";

const goal = "Fix the failing test without changing the tests.";
const maxAttempts = 3;

/** Takes the sample from its failing test to a change that stays. Throws if a step does not do what it says. */
export async function repairSample({ model, recordedAnswers }: OpenedModel): Promise<void> {
  const project = await copySample();
  const source = await project.sourceFingerprint();
  const workspace = await openWorkspace({ root: project.root });
  try {
    await run({ project, workspace, model, recordedAnswers });
  } finally {
    await workspace.close();
    await project.remove();
  }
  assert.equal(await project.sourceFingerprint(), source, "the sample itself is as it was");
}

interface Stage extends Pick<OpenedModel, "model" | "recordedAnswers"> {
  project: SampleProject;
  workspace: FileWorkspace;
}

async function run({ project, workspace, model, recordedAnswers }: Stage): Promise<void> {
  const before = await project.runTests();
  assert.ok(!before.isPassed, "the sample has a failing test");
  console.log("1 The project's own tests: one fails");

  const { text: background } = await packOf(project.root, goal, 1_000);
  console.log(`2 Pack: ${background.length} characters for the whole project`);

  const session = createPlanSession({
    model,
    workspace,
    root: workspace.root,
    onEvent: printEvent,
  });
  console.log("3 Plan");
  const planned = proposedOf(await session.plan(goal, { report: before.output, background }));
  console.log(indent(planned.plan.summary));

  const outcomes: string[] = [];
  let said = "";
  let report = before.output;
  while (outcomes.length < maxAttempts && outcomes.at(-1) !== "applied") {
    console.log(`${4 + outcomes.length} Apply`);
    const state = await project.fingerprint();
    const proposed = proposedOf(await session.apply(said, { report }));
    if (proposed.preview === undefined)
      throw new LanguageModelError(
        "provider_error",
        `It changed nothing: ${proposed.plan.summary}`,
      );
    console.log(indent(proposed.preview.changes.map(({ diff }) => diff).join("")));
    const applied = await session.commit(proposed, {
      checks: project.checks,
      confirm: proposed.preview.planHash,
    });
    if (!applied.ok) {
      outcomes.push(applied.issues[0]?.code ?? "refused");
      assert.equal(
        await project.fingerprint(),
        state,
        "a change that was rolled back leaves every byte as it was",
      );
      report = reportOf(applied);
      said = `${goal} Your change was rolled back, because a test failed that had passed: see the report.`;
      continue;
    }
    for (const { name, status } of applied.value.checks) console.log(`  check ${name}: ${status}`);
    const { isPassed, output } = await project.runTests();
    outcomes.push(isPassed ? "applied" : "not_enough");
    if (isPassed) break;
    // Checks allow a test that failed before to keep failing. The goal does not.
    const undone = await workspace.rollback(applied.value.transactionId);
    assert.ok(undone.ok, "a transaction that stands can be rolled back");
    report = output;
    said = `${goal} Your change was rolled back, because the test still fails: see the report.`;
  }

  const after = await project.runTests();
  console.log(
    `${4 + outcomes.length} The project's own tests: ${after.isPassed ? "all pass" : after.output}`,
  );
  if (!after.isPassed)
    throw new LanguageModelError("provider_error", "It did not bring the tests to pass");
  if (recordedAnswers === undefined) return;
  assert.deepEqual(
    outcomes,
    ["AUTO_CHECK_FAILED_ROLLED_BACK", "applied"],
    "a failing answer is rolled back, the next one stands",
  );
  const transactions = await workspace.transactions();
  assert.deepEqual(
    transactions.map(({ status }) => status),
    ["rolled_back", "committed"],
  );
}

function proposedOf(proposal: Proposal): ProposedPlan {
  if (proposal.ok) return proposal.value;
  throw new LanguageModelError("provider_error", reportOf(proposal));
}

function reportOf(result: Result<unknown>): string {
  return result.ok
    ? ""
    : result.issues.map(({ code, message }) => `${code}: ${message}`).join("\n");
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  | ");
}
