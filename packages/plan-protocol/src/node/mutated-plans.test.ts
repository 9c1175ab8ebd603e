import { sha256Hex } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { SimulatedDisk } from "@ccl/core/testing/node";
import { mutatedAnswers, type SaidPlan } from "../../test-support/mutated-answers.ts";
import { wrappings } from "../../test-support/plan-of-commit.ts";
import { addFiles, factsOf } from "../../test-support/simulated-folder.ts";
import { openSimulatedWorkspace } from "../../test-support/simulated-workspace.ts";
import { parsePlan } from "../parse/parse-plan.ts";
import type { PlanVersion } from "../plan/plan.ts";
import { validatePlan } from "../validate/validate-plan.ts";

const PORT =
  "import { env } from './env';\n\nexport const host = 'a';\nexport const port = 80;\n\nexport default port;\n";
const MAIN = "one();\ntwo();\nthree();\n";
const FILES = { "src/port.ts": PORT, "src/main.ts": MAIN, "src/old.ts": "old\n" };
const PATCH =
  "--- a/src/port.ts\n+++ b/src/port.ts\n@@ -2,4 +2,4 @@\n \n export const host = 'a';\n-export const port = 80;\n+export const port = 8080;\n \n";

const create = { kind: "CREATE_FILE", path: "docs/new.md", content: "# New\n\nText.\n" } as const;
const remove = { kind: "DELETE_FILE", path: "src/old.ts" } as const;
const folder = { kind: "CREATE_DIR", path: "docs/img" } as const;
const patch = {
  kind: "PATCH_FILE",
  path: "src/port.ts",
  patch: PATCH,
  base_sha256: sha256Hex(PORT),
} as const;

const PLANS: readonly SaidPlan[] = [
  {
    version: 1,
    summary: "All.",
    actions: [
      create,
      folder,
      { kind: "UPDATE_FILE", path: "src/main.ts", content: "one();\n" },
      remove,
    ],
  },
  { version: 2, summary: "All.", actions: [create, patch, remove, folder] },
  {
    version: 3,
    summary: "All.",
    actions: [
      patch,
      {
        kind: "EDIT_FILE",
        path: "src/main.ts",
        base_sha256: sha256Hex(MAIN),
        edits: [
          { before: "two();\n", after: "2();\n" },
          { before: "three", after: "3" },
        ],
      },
      create,
    ],
  },
];

/** What a plan would make of the files, or undefined where it is refused on the way to the disk. */
async function outcomeOf(answer: string, version: number): Promise<string | undefined> {
  const disk = new SimulatedDisk();
  addFiles(disk, FILES);
  const workspace = openSimulatedWorkspace(disk, { durability: "off" });
  const parsed = parsePlan(answer, { version: version as PlanVersion });
  if (!parsed.ok) return undefined;
  await workspace.read(Object.keys(FILES).map((path) => ({ type: "read_file" as const, path })));
  const plan = validatePlan(parsed.value, { mode: "apply", readSet: workspace.readSet });
  if (!plan.ok) return undefined;
  const preview = await workspace.preview(plan.value);
  if (!preview.ok) return undefined;
  const applied = await workspace.apply(plan.value, { confirm: preview.value.planHash });
  if (!applied.ok) return undefined;
  return JSON.stringify(
    Object.entries(factsOf(disk)).map(([path, entry]) => [path, "text" in entry ? entry.text : ""]),
  );
}

describe.each(PLANS)("a mutated plan of version $version", (plan) => {
  it("fits as it was meant, from each wrapping", async () => {
    const outcomes = await Promise.all(
      Object.values(wrappings).map((wrap) => outcomeOf(wrap(plan), plan.version)),
    );
    expect(new Set(outcomes).size).toBe(1);
    expect(outcomes[0]).toContain("docs/new.md");
  });

  it("is refused, or does exactly what was meant where that is still sure", async () => {
    const meant = await outcomeOf(JSON.stringify(plan), plan.version);
    const mutated = mutatedAnswers(plan);
    const wrong: string[] = [];
    for (const { name, answer, mayStillFit } of mutated) {
      const outcome = await outcomeOf(answer, plan.version);
      const isRight = outcome === undefined || (mayStillFit && outcome === meant);
      if (!isRight) wrong.push(`${name}: ${outcome === meant ? "accepted" : String(outcome)}`);
    }
    expect(wrong).toEqual([]);
    expect(mutated.length).toBeGreaterThan(300);
  });
});
