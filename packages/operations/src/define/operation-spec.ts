import type { BuiltinOperationsOptions } from "../kinds/kind-options.ts";
import type { EmittedEffect, WriteArtifactParams } from "../effects/operation-effect.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type {
  OperationCondition,
  OperationConfig,
  OperationKind,
} from "../operation/operation-definition.ts";

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
