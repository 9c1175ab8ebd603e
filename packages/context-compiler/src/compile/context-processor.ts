import type { TokenCounter } from "@ccl/core";
import type { Session } from "../session/session.ts";
import type { WorkingContext } from "./working-context.ts";

/** The input of a processor. */
export interface ProcessorInput {
  session: Session;
  context: WorkingContext;
  /** Token limit for the whole prompt. */
  budget: number;
  counter: TokenCounter;
  /** As in `CompileOptions`. */
  isCacheCold?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** One step of a compile. It returns a new context or the same one, and never changes its input. */
export interface ContextProcessor {
  /** Name to show in the trace. */
  readonly name: string;
  process(input: ProcessorInput): WorkingContext | Promise<WorkingContext>;
}
