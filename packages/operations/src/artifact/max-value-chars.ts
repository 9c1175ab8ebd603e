/**
 * Default limit of an operation's output, in characters of JSON. Checking that much blocks the process for under 0.1 s.
 */
export const maxValueChars: number = 250_000;
