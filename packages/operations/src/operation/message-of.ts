/**
 * Returns an error's message. Never throws, whatever was thrown: a message may not be a string, and a getter may fail.
 */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error && typeof error.message === "string") return error.message;
  } catch {
    // The code below handles it.
  }
  return "The thrown value is not an error.";
}
