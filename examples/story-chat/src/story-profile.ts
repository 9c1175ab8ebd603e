import type { ChatMessage } from "@ccl/core";
import {
  createBuiltinOperations,
  createOperationRegistry,
  type OperationConfig,
  type OperationContext,
  type OperationProfile,
  type OperationRegistry,
} from "@ccl/operations";

import type { StoryModels } from "./open-models.ts";
import { ruleBook } from "./rule-book.ts";

/** The beginning of every chat. */
export const preamble: ChatMessage[] = [
  {
    role: "system",
    content: "You are the narrator of an adventure. Second person, present tense, no lists.",
  },
];

const worldState = {
  type: "object",
  properties: {
    location: { type: "string" },
    time: { type: "string" },
    health: { type: "integer", minimum: 0, maximum: 10 },
    foes: { type: "array", items: { type: "string" } },
    inventory: { type: "array", items: { type: "string" } },
  },
  required: ["location", "time", "health", "foes", "inventory"],
};

const fights = ["attack", "sword", "fight", "strike"];
const before = { enabled: true, hooks: ["before_main_llm"] } satisfies Partial<OperationConfig>;
const story = { providerRef: "story", credentialRef: "story" };
const inRun = { persisted: false, semantics: "intermediate" };

/** The profile of the story: is it a fight, its rules, working notes, and the state of the world afterwards. */
export const storyProfile: OperationProfile = {
  profileId: "story",
  name: "Story",
  enabled: true,
  operationProfileSessionId: "story-1",
  operations: [
    {
      operationId: "builtin:is_combat_guard",
      config: {
        ...before,
        required: true,
        order: 10,
        params: {
          condition: {
            any: fights.map((word) => ({
              ref: "userMessages.last.content",
              contains: word,
              ignoreCase: true,
            })),
          },
          writeArtifact: { ...inRun, tag: "is_combat", usage: "internal" },
        },
      },
    },
    {
      operationId: "builtin:combat_rag",
      config: {
        ...before,
        required: false,
        order: 20,
        dependsOn: ["builtin:is_combat_guard"],
        when: [{ ref: "art.is_combat" }],
        params: {
          query: "{{ chatHistory.last.content }}",
          topK: 2,
          template:
            "Rules that apply:{% for rule in value %}\n- {{ rule.title }}: {{ rule.text }}{% endfor %}",
          writeArtifact: { ...inRun, tag: "combat_rules", usage: "internal" },
          emit: [
            {
              type: "prompt.append_after_last_user",
              role: "developer",
              source: "art.combat_rules",
            },
          ],
        },
      },
    },
    {
      operationId: "builtin:augmentation_notes",
      config: {
        ...before,
        required: false,
        order: 30,
        params: {
          ...story,
          model: "notes",
          system: "You plan a scene for a narrator, in two sentences.",
          prompt:
            "{% if art.world_state %}World: {{ art.world_state | json }}\n{% endif %}The player: {{ chatHistory.last.content }}",
          writeArtifact: { ...inRun, tag: "augmentation_notes", usage: "prompt_only" },
          emit: [
            {
              type: "prompt.append_after_last_user",
              role: "developer",
              source: "art.augmentation_notes",
            },
          ],
        },
      },
    },
    {
      operationId: "builtin:world_state_update",
      config: {
        enabled: true,
        hooks: ["after_main_llm"],
        required: true,
        order: 10,
        params: {
          ...story,
          model: "world",
          system:
            "You keep the state of the world as JSON: location, time, health (0 to 10), foes, inventory.",
          prompt:
            "{% if art.world_state %}Before: {{ art.world_state | json }}\n{% endif %}The player: {{ chatHistory.last.content }}\nThe narrator: {{ main.text }}",
          output: { mode: "json", schemaRef: "world_state" },
          writeArtifact: {
            tag: "world_state",
            persisted: true,
            usage: "prompt+ui",
            semantics: "state",
            retention: { maxItems: 10 },
            inclusion: {
              mode: "append_system",
              template: "\n\nThe world as it is: {{ value | json }}",
            },
          },
        },
      },
    },
  ],
};

/** The operations that the profile names. Each call of one is reported first. */
export function createStoryRegistry(
  models: StoryModels,
  onExecution: (context: OperationContext) => void = () => {},
): OperationRegistry {
  const registry = createOperationRegistry();
  const { handlers } = createBuiltinOperations({
    models: ({ model }) => models.of(model === "notes" ? "notes" : "world"),
    retriever: ruleBook,
    schemas: { world_state: worldState },
  });
  const register = (operationId: string, kind: "guard" | "rag" | "llm", name: string): void => {
    const handler = handlers[kind];
    if (handler === undefined) throw new Error(`The kind ${kind} lacks what it needs.`);
    registry.register({ operationId, kind, name, paramsSchema: "kind" }, (context) => {
      onExecution(context);
      return handler(context);
    });
  };
  register("builtin:is_combat_guard", "guard", "Is it a fight?");
  register("builtin:combat_rag", "rag", "Rules of combat");
  register("builtin:augmentation_notes", "llm", "Working notes");
  register("builtin:world_state_update", "llm", "State of the world");
  return registry;
}
