import type { PlanColumn, TypedStep } from "../plan/typed-plan.ts";
import type { PlanFragment } from "../connector/connector.ts";

/** A fragment and the connector that runs it, by the key under which the connector was given. */
export interface PlacedFragment extends PlanFragment {
  connector: string;
  /** The step that its rows are of. */
  output: string;
}

/** Who does what: data, so that it can be shown before it is run. */
export interface PhysicalPlan {
  /** What the sources do. With no engine there is one, and its rows are the result. */
  fragments: PlacedFragment[];
  /** What is left for the engine, over the fragments' rows; absent where nothing is. */
  engine?: { steps: TypedStep[]; columns: PlanColumn[] } | undefined;
  columns: PlanColumn[];
}
