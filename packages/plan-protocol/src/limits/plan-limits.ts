/** How large a plan and the context for it may be. */
export interface PlanLimits {
  maxActions: number;
  /** UTF-8 bytes of all contents, patches and edits together. */
  maxTotalContentBytes: number;
  /** UTF-8 bytes of one content, patch or list of edits. */
  maxFileContentBytes: number;
  /** UTF-16 code units of a path; a segment has at most 255 UTF-8 bytes besides. */
  maxPathLength: number;
  /** Edits of one file. */
  maxEdits: number;
  /** Blocks of context of any type. */
  maxContextFiles: number;
  /** UTF-16 code units of one block, like the other limits on characters. */
  maxContextFileChars: number;
  maxContextTotalChars: number;
  /** All blocks of logs together. */
  maxContextLogChars: number;
  /** Times that a model may ask for context before it has to give a plan. */
  maxContextRounds: number;
  maxSearchHits: number;
}

/** The limits where nothing else is said. */
export const defaultPlanLimits: Readonly<PlanLimits> = {
  maxActions: 200,
  maxTotalContentBytes: 5 * 1024 * 1024,
  maxFileContentBytes: 1024 * 1024,
  maxPathLength: 240,
  maxEdits: 50,
  maxContextFiles: 8,
  maxContextFileChars: 20_000,
  maxContextTotalChars: 120_000,
  maxContextLogChars: 12_000,
  maxContextRounds: 2,
  maxSearchHits: 50,
};
