/** Limits of a document that a model wrote. */
export interface PlanLimits {
  /** Length of the text in UTF-16 code units. 65,536 by default. */
  textLength?: number | undefined;
  /** 50 by default, up to 200. */
  steps?: number | undefined;
  /** How deep expressions and documents nest. 40 by default, up to 100. */
  depth?: number | undefined;
  /** Nodes of all expressions, columns and keys of a plan. 5,000 by default. */
  nodes?: number | undefined;
}

/** Limits with their defaults applied. */
export interface ResolvedPlanLimits {
  textLength: number;
  steps: number;
  depth: number;
  nodes: number;
}

/** The limits of a call, with defaults. Depth and steps are capped at what is safe on any stack. */
export function resolvePlanLimits(limits: PlanLimits = {}): ResolvedPlanLimits {
  return {
    textLength: limits.textLength ?? 65_536,
    steps: Math.min(limits.steps ?? 50, 200),
    depth: Math.min(limits.depth ?? 40, 100),
    nodes: limits.nodes ?? 5_000,
  };
}
