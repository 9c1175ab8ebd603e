/** Characters of JSON of what an operation may give unless the engine says otherwise: checking them holds up a process for less than 0.1 s. */
export const maxValueChars: number = 250_000;
