import type { ContextRequest } from "../plan/plan.ts";

/** A context request with its result. */
export interface ContextBlock {
  type: "read_file" | "search" | "logs" | "env";
  /** Name in the prompt: a path with its range, a query, or a source. */
  label: string;
  text: string;
  /** Hash of the file's bytes. It is not part of the text, so it is never cut. */
  sha256?: string | undefined;
  /** Lower numbers are kept longer. 0 is for requests that name the file. Defaults to 0 for files, 1 for the rest. */
  priority?: number | undefined;
}

/** Returns a short name for a request: its path, query or source. */
export function nameOfRequest(request: ContextRequest): string {
  if (request.type === "read_file") return request.path;
  if (request.type === "search") return request.query;
  return request.type === "logs" ? request.source : "env";
}
