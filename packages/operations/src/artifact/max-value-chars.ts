/** Default limit of an operation's output, in characters of JSON. Checking it blocks a process for less than 0.1 s. */
export const maxValueChars: number = 250_000;
