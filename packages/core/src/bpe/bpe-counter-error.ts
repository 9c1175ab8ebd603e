import { CclError } from "../ccl-error.ts";

/** Why an exact counter could not be created. */
type BpeCounterErrorCode = "invalid_vocabulary" | "tokenizer_missing" | "unknown_encoding";

/** The error that `createBpeCounter` rejects with. */
export class BpeCounterError extends CclError<BpeCounterErrorCode> {
  static override readonly brand: string = "BpeCounterError";
}
