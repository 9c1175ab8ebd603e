import type { TokenCounter } from "@ccl/core";
import type { Session } from "../session/session.ts";
import type { WorkingContext } from "./working-context.ts";

/** What a processor receives. */
export interface ProcessorInput {
  session: Session;
  context: WorkingContext;
  /** Token limit of the whole prompt. */
  budget: number;
  counter: TokenCounter;
  /** As in `CompileOptions`. */
  isCacheCold?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** One step of a compile. It does not change its input, and returns a new context or the same one. */
export interface ContextProcessor {
  /** Shown in the trace. */
  readonly name: string;
  process(input: ProcessorInput): WorkingContext | Promise<WorkingContext>;
}
