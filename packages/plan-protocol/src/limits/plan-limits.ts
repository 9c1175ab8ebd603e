/** Size limits of a plan and its context. */
export interface PlanLimits {
  maxActions: number;
  /** UTF-8 bytes of all content, patches and edits combined. */
  maxTotalContentBytes: number;
  /** UTF-8 bytes of a single content, patch or list of edits. */
  maxFileContentBytes: number;
  /** UTF-16 code units of a path. Separately, each segment is limited to 255 UTF-8 bytes. */
  maxPathLength: number;
  /** Edits per file. */
  maxEdits: number;
  /** Context blocks of any type. */
  maxContextFiles: number;
  /** UTF-16 code units per block. The other character limits use the same unit. */
  maxContextFileChars: number;
  maxContextTotalChars: number;
  /** Characters of all log blocks combined. */
  maxContextLogChars: number;
  /** How many times a model may request context before it must return a plan. */
  maxContextRounds: number;
  maxSearchHits: number;
}

/** Default limits. */
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
