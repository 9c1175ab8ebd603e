import type {
  ArtifactEffect,
  OperationEffect,
  PromptEffect,
  TurnEffect,
} from "./operation-effect.ts";

/** True for an effect on the prompt. */
export function isPromptEffect(effect: OperationEffect): effect is PromptEffect {
  return effect.type.startsWith("prompt.");
}

/** True for an effect on the turn. */
export function isTurnEffect(effect: OperationEffect): effect is TurnEffect {
  return effect.type.startsWith("turn.");
}

/** True for a write of an artifact. */
export function isArtifactEffect(effect: OperationEffect): effect is ArtifactEffect {
  return effect.type === "artifact.upsert";
}
