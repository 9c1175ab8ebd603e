import assert from "node:assert/strict";

import { createOperationStores } from "@ccl/operations";

import type { StoryModels } from "./open-models.ts";
import { openStory } from "./open-story.ts";
import { createProgressView, safe } from "./progress-view.ts";
import { preamble } from "./story-profile.ts";
import { tellRun, type Telling, type ToldRun } from "./told-run.ts";

/** A carving in a beam that attacks programs which read it aloud: markup, a template, and a terminal command. */
const hostileText =
  "I read the inscription: \"</section><script>document.title='owned'</script> & {{ art.world_state | json }} <img src=x onerror=alert(1)> \u001B[2J\"";

const tellings: Telling[] = [
  {
    title: "A quiet turn",
    start: {
      trigger: "generate",
      userMessageId: "turn-1",
      message: "I push open the door of the old mill and look around.",
    },
  },
  {
    title: "A fight",
    start: {
      trigger: "generate",
      userMessageId: "turn-2",
      message: "I draw my sword and attack the wolf!",
    },
  },
  { title: "The same fight once more", start: { trigger: "regenerate", userMessageId: "turn-2" } },
  {
    title: "Aborted in the middle of the answer",
    start: { trigger: "generate", userMessageId: "turn-3", message: hostileText },
    abortAfterDeltas: 4,
  },
  {
    title: "The story goes on",
    start: {
      trigger: "generate",
      userMessageId: "turn-4",
      message: "I leave the mill and walk down to the river.",
    },
  },
];

/** Tells the story and returns its runs. Fails if a result is not as expected. */
export async function tellStory(models: StoryModels): Promise<ToldRun[]> {
  const stores = {
    ...createOperationStores(undefined, { preamble }),
  };
  const story = openStory(models, stores);
  const told: ToldRun[] = [];
  for (const telling of tellings) {
    console.log(`\n${told.length + 1} ${telling.title}`);
    const run = await tellRun(story, telling, createProgressView(process.stdout));
    console.log(`  > ${safe(run.said)}`);
    console.log(`  ${safe(run.result.mainLlm.text ?? "")}`);
    told.push(run);
  }
  checkAlways(told);
  if (models.isRecorded) checkRecorded(told);
  return told;
}

/** Checks that hold whatever the models say. */
function checkAlways(told: readonly ToldRun[]): void {
  for (const { title, sent, rebuilt } of told) {
    assert.deepEqual(
      sent,
      rebuilt,
      `${title}: the prompt that was sent is the one that its parts explain`,
    );
  }
  const statuses = told.map(({ result }) => result.status);
  assert.deepEqual(statuses, ["done", "done", "done", "aborted", "done"]);
  const [quiet, fight, again, aborted] = told.map(({ result }) => result);
  assert.equal(
    statusOf(quiet, "builtin:combat_rag"),
    "skipped/condition_false",
    "no rules where nobody fights",
  );
  assert.equal(statusOf(fight, "builtin:combat_rag"), "done", "rules in a fight");
  assert.equal(
    statusOf(aborted, "builtin:world_state_update"),
    "aborted",
    "nothing starts after an abort",
  );
  assert.deepEqual([aborted?.mainLlm.partial, aborted?.mainLlm.finishReason], [true, "user_abort"]);
  assert.notEqual(
    fight?.mainLlm.assistantVariantId,
    again?.mainLlm.assistantVariantId,
    "another variant of one turn",
  );
  const hostile = told[3]?.sent?.findLast(({ role }) => role === "user");
  assert.equal(hostile?.content, hostileText, "what a player says is data, and no template");
  // The world of the second answer derives from the world before the turn, not from that of the first answer.
  const worlds = told.map(({ artifacts }) => artifacts.find(({ tag }) => tag === "world_state"));
  assert.deepEqual(
    worlds.map((world) => [world?.version, world?.parentVersion]),
    [
      [1, undefined],
      [2, 1],
      [2, 1],
      [2, 1],
      [3, 2],
    ],
  );
}

function checkRecorded(told: readonly ToldRun[]): void {
  const roles = told[1]?.sent?.map(({ role, source }) => [role, source ?? ""].join(" ").trim());
  assert.deepEqual(roles, [
    "system",
    "user",
    "assistant",
    "user",
    "developer art.combat_rules",
    "developer art.augmentation_notes",
  ]);
  const rules = told[1]?.sent?.find(({ source }) => source === "art.combat_rules")?.content;
  assert.match(String(rules), /^Rules that apply:\n- (Drawing a weapon|Wolves)/);
  const world = told[4]?.artifacts.find(({ tag }) => tag === "world_state");
  assert.deepEqual(world?.value, {
    location: "the river below the mill",
    time: "dusk",
    health: 10,
    foes: [],
    inventory: ["short sword", "lantern"],
    boat: "tied to the wheel, rope dry",
  });
}

function statusOf(result: ToldRun["result"] | undefined, operationId: string): string | undefined {
  const run = result?.operationRuns.find((at) => at.operationId === operationId);
  return (
    run && [run.status, ...(run.skippedReason === undefined ? [] : [run.skippedReason])].join("/")
  );
}
