/** What an error says. Never throws, whatever was thrown: a message may be no text, and a getter may fail. */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error && typeof error.message === "string") return error.message;
  } catch {
    // Said below.
  }
  return "What was thrown is no error.";
}
