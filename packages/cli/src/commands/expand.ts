import { createGetAliasTool } from "@ccl/aliases";

import { inputError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import { withPresentFiles } from "../project.ts";
import type { Session } from "../session.ts";

/** The model's bounds protect its window; a person who asks for a file gets all of it. */
const UNBOUNDED = { maxTokens: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };

/** Prints a file, or lines of it, through the tool that the model calls: both see the same text. */
export async function expand(
  session: Session,
  alias: string,
  flags: { lines?: string | undefined },
): Promise<CommandResult> {
  const { signal } = session;
  const answer = await withPresentFiles(session, (registry) =>
    createGetAliasTool(registry, UNBOUNDED).execute({ alias, ...flags }, { signal }),
  );
  if (!answer.ok) throw inputError(answer.issues);
  const { text } = answer.value;
  // On a pipe the bytes are the file's own; a prompt of the shell wants a line of its own.
  return {
    document: answer.value,
    text: ({ isTerminal }) => (isTerminal && !text.endsWith("\n") ? `${text}\n` : text),
  };
}
