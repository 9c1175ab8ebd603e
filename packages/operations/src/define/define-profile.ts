import { deepFreeze, withoutMembers, withoutUndefined } from "@ccl/core/json";

import { tagPattern } from "../artifact/operation-artifact.ts";
import type { EmittedEffect, WriteArtifactParams } from "../effects/operation-effect.ts";
import type { ResultParams } from "../kinds/kind.ts";
import type {
  Hook,
  OperationCondition,
  OperationConfig,
  OperationHandler,
  OperationKind,
} from "../operation/operation-definition.ts";
import { OperationsError } from "../operations-error.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import {
  type DefinedProfile,
  type RegisteredOperation,
  withOperations,
} from "../profile/registered-operation.ts";
import type { BuiltinOperationsOptions } from "../kinds/kind-options.ts";

/** When an operation of a profile runs. All fields have defaults. */
export interface OperationSettings extends Pick<OperationConfig, "triggers" | "every"> {
  /** Runs before the main call. Defaults to true unless `after` is set. */
  before?: boolean | undefined;
  /** Runs after the main call. Its templates can read `main.text`. With `before: true` it runs in both places. */
  after?: boolean | undefined;
  /** Defaults to true. A failure before the main call prevents that call. A failure after it fails the run. */
  required?: boolean | undefined;
  /** Defaults to the operation's position in the profile. */
  order?: number | undefined;
  /** Names of operations in the profile that must end first. This operation sees their results. */
  dependsOn?: readonly string[] | undefined;
  /**
   * Runs the operation only if this holds. Either the name of an operation whose value must be true (`!name` for
   * false), or conditions in stored form. The named operation runs first.
   */
  when?: string | readonly OperationCondition[] | undefined;
  /** Display name. Defaults to the operation's name in the profile. */
  title?: string | undefined;
}

/** Where the result of an operation goes. */
export interface ResultSettings extends OperationSettings {
  /** Adds the text to the prompt: to the end of the system prompt, or as a message after the user's last one. */
  appendTo?: "system" | "user" | undefined;
  /** Other effects that use the text as their content. */
  emit?: readonly EmittedEffect[] | undefined;
  /**
   * Templates read the value as `art.<tag>`. Defaults to the name, or to no artifact with only `appendTo` or `emit`.
   */
  tag?: string | undefined;
  /** Artifact settings. Defaults to persisted, `prompt+ui` and `state`. */
  artifact?: Partial<Omit<WriteArtifactParams, "tag">> | undefined;
}

/** An operation of a profile being defined, as returned by the constructors. */
export interface OperationSpec {
  kind: OperationKind;
  settings: ResultSettings;
  /**
   * Whether the result becomes an artifact if the settings leave it open. By default it does, unless it goes elsewhere.
   */
  writes?: "always" | "never" | undefined;
  /** The parameters of the kind that are not among the settings. */
  params(operationId: string): Record<string, unknown>;
  handler?: OperationHandler | undefined;
  createHandler?:
    | ((operationId: string, options: BuiltinOperationsOptions) => OperationHandler)
    | undefined;
}

/** A profile as written in code. */
export interface ProfileDraft extends Pick<OperationProfile, "description" | "version" | "turn"> {
  id: string;
  /** Display name. Defaults to the id. */
  name?: string | undefined;
  /** A new value starts without the state of earlier runs. Defaults to "1". */
  sessionId?: string | undefined;
  /**
   * Operations by name. The stored id is `<profile id>:<name>`. They run concurrently where possible. Effects are
   * applied in this order.
   */
  operations: Readonly<Record<string, OperationSpec>>;
}

/**
 * Builds a profile from operations created by `template`, `compute`, `llm` and the other constructors. The result is
 * the stored JSON record with its operations attached. `engine.start` accepts both.
 * @throws OperationsError `invalid_profile` for an unknown name
 */
export function defineProfile(draft: ProfileDraft): DefinedProfile {
  const { id, name = id, description, version, turn, sessionId = "1", operations } = draft;
  const specs = Object.entries(operations).map(([key, spec], index): NamedSpec => ({
    ...spec,
    key,
    operationId: `${id}:${key}`,
    index,
  }));
  const profile: OperationProfile = {
    profileId: id,
    name,
    enabled: true,
    operationProfileSessionId: sessionId,
    operations: specs.map((spec) => ({
      operationId: spec.operationId,
      config: configOf(spec, specs),
    })),
    ...withoutUndefined({ description, version, turn }),
  };
  return withOperations(deepFreeze(profile), specs.map(registeredOf));
}

interface NamedSpec extends OperationSpec {
  key: string;
  operationId: string;
  index: number;
}

function registeredOf({
  kind,
  key,
  operationId,
  settings,
  handler,
  createHandler,
}: NamedSpec): RegisteredOperation {
  const definition = { operationId, kind, name: settings.title ?? key };
  const writesTag = settings.tag ?? (tagPattern.test(key) ? key : undefined);
  return {
    definition: Object.freeze(kind === "custom" ? { ...definition, writesTag } : definition),
    handler,
    createHandler: createHandler && ((options) => createHandler(operationId, options)),
  };
}

function configOf(spec: NamedSpec, specs: readonly NamedSpec[]): OperationConfig {
  const { settings, operationId, index } = spec;
  const { required = true, order = index + 1, triggers, every } = settings;
  const hooks = hooksOf(settings);
  const { when, waitsFor } = conditionsOf(spec, specs);
  const named = (settings.dependsOn ?? []).map((key) => find(specs, key, spec));
  const dependsOn = [...new Set([...named, ...waitsFor].map((one) => one.operationId))];
  return withoutUndefined({
    enabled: true,
    required,
    hooks,
    order,
    triggers,
    dependsOn: dependsOn.length > 0 ? dependsOn : undefined,
    when,
    every,
    params: withoutUndefined({
      ...withoutMembers(settings, placement),
      ...spec.params(operationId),
      ...resultOf(spec),
    }),
  });
}

/** Settings that are no parameters of the kind. */
const placement: ReadonlySet<string> = new Set<keyof ResultSettings | "schema" | "retriever">([
  "before",
  "after",
  "required",
  "order",
  "dependsOn",
  "when",
  "triggers",
  "every",
  "title",
  "appendTo",
  "emit",
  "tag",
  "artifact",
  "schema",
  "retriever",
]);

function hooksOf({ after = false, before = !after }: OperationSettings): Hook[] {
  return [
    ...(before ? (["before_main_llm"] as const) : []),
    ...(after ? (["after_main_llm"] as const) : []),
  ];
}

function resultOf({ key, settings, writes }: NamedSpec): ResultParams {
  const { appendTo, emit = [], tag, artifact } = settings;
  const effects = [...(appendTo === undefined ? [] : [appending(appendTo)]), ...emit];
  const isAsked = writes === "always" || tag !== undefined || artifact !== undefined;
  const isOnly = writes !== "never" && effects.length === 0;
  const write = {
    tag: tag ?? key,
    persisted: true,
    usage: "prompt+ui",
    semantics: artifact?.append === true ? "log/feed" : "state",
  } as const;
  return {
    writeArtifact: isAsked || isOnly ? { ...write, ...artifact } : undefined,
    emit: effects.length > 0 ? effects : undefined,
  };
}

function appending(to: NonNullable<ResultSettings["appendTo"]>): EmittedEffect {
  return to === "system"
    ? { type: "prompt.system_update", mode: "append", separator: "\n\n" }
    : { type: "prompt.append_after_last_user", role: "system" };
}

/** Returns the conditions in stored form, and the operation that must end before they can be evaluated. */
function conditionsOf(
  spec: NamedSpec,
  specs: readonly NamedSpec[],
): { when: OperationCondition[] | undefined; waitsFor: NamedSpec[] } {
  const { when } = spec.settings;
  if (typeof when !== "string") return { when: when && [...when], waitsFor: [] };
  const not = when.startsWith("!");
  const [key = "", ...keys] = (not ? when.slice(1) : when).split(".");
  const writer = find(specs, key, spec);
  const ref = ["art", writer.settings.tag ?? key, ...keys].join(".");
  // An operation before the main call always ends before one that runs after it.
  const hooks = hooksOf(writer.settings);
  const isBeside = hooksOf(spec.settings).every((hook) => hooks.includes(hook));
  return { when: [not ? { ref, not } : { ref }], waitsFor: isBeside ? [writer] : [] };
}

function find(specs: readonly NamedSpec[], key: string, { key: from }: NamedSpec): NamedSpec {
  const found = specs.find((spec) => spec.key === key);
  if (found !== undefined) return found;
  const names = specs.map((spec) => spec.key).join(", ");
  const message = `Operation ${JSON.stringify(from)} names ${JSON.stringify(key)}, which the profile does not have; it has ${names}.`;
  throw new OperationsError("invalid_profile", message);
}
