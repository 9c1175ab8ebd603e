import type {
  ArtifactEffect,
  OperationEffect,
  PromptEffect,
  TurnEffect,
} from "./operation-effect.ts";

/** True if the effect changes the prompt. */
export function isPromptEffect(effect: OperationEffect): effect is PromptEffect {
  return effect.type.startsWith("prompt.");
}

/** True if the effect changes the turn. */
export function isTurnEffect(effect: OperationEffect): effect is TurnEffect {
  return effect.type.startsWith("turn.");
}

/** True if the effect writes an artifact. */
export function isArtifactEffect(effect: OperationEffect): effect is ArtifactEffect {
  return effect.type === "artifact.upsert";
}
