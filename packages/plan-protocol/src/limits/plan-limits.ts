/** How large a plan and the context for it may be. */
export interface PlanLimits {
  maxActions: number;
  /** UTF-8 bytes of all contents, patches and edits together. */
  maxTotalContentBytes: number;
  /** UTF-8 bytes of one content, patch or list of edits. */
  maxFileContentBytes: number;
  /** UTF-16 code units of a path. Independent of it, a segment is limited to 255 UTF-8 bytes. */
  maxPathLength: number;
  /** Edits of one file. */
  maxEdits: number;
  /** Context blocks of any type. */
  maxContextFiles: number;
  /** UTF-16 code units of one block. The other limits on characters use the same unit. */
  maxContextFileChars: number;
  maxContextTotalChars: number;
  /** Characters of all log blocks together. */
  maxContextLogChars: number;
  /** How often a model may request context before it has to give a plan. */
  maxContextRounds: number;
  maxSearchHits: number;
}

/** The default limits. */
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
