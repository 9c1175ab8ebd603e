/** Returns the code of a system error such as `ENOENT`. Undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

/** Returns the call's result, or `fallback` if it fails with one of these system codes. */
export async function unless<Value, Fallback>(
  codes: readonly string[],
  call: Promise<Value>,
  fallback: Fallback,
): Promise<Value | Fallback> {
  try {
    return await call;
  } catch (error) {
    if (codes.includes(systemCode(error) ?? "")) return fallback;
    throw error;
  }
}
