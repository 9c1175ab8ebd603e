import type { Issue, Part } from "@ccl/core";
import { stringAt } from "@ccl/core/json";

/** A part of a message that the target format cannot express. */
export interface WireLoss {
  /** Index of the message. */
  index: number;
  /** Type of the part, for example `image`, or of other content. */
  type: string;
  /** Describes what was left out. */
  what: string;
}

/** How to report lost content. A part is replaced with text if a reader would miss it. */
export interface LossOptions {
  /** Called for each part that is left out. */
  report?: ((loss: WireLoss) => void) | undefined;
}

/** Collects whatever is left out, as warnings for an answer. */
export function collectLosses(): { warnings: Issue[]; report: (loss: WireLoss) => void } {
  const warnings: Issue[] = [];
  const report = ({ index, type, what }: WireLoss): void => {
    const message = `${what} was left out: the model's format cannot express it (${type}).`;
    const path = ["messages", index];
    warnings.push({ code: "part_left_out", path, message, severity: "warning" });
  };
  return { warnings, report };
}

/** Replaces and reports the content of one conversation that a format cannot express. */
export class Losses {
  /** Index of the message being converted. */
  index = 0;
  readonly #report: LossOptions["report"];

  constructor({ report }: LossOptions = {}) {
    this.#report = report;
  }

  /** Reports content that no reader would miss. It is not replaced. */
  drop(type: string, what: string): void {
    this.#report?.({ index: this.index, type, what });
  }

  /** Reports a part and returns the text that replaces it. Does not replace another model's reasoning. */
  mark(part: Part): string {
    this.drop(part.type, wordsFor(part));
    return part.type === "reasoning" ? "" : placeholder(part);
  }
}

function wordsFor(part: Part): string {
  if (part.type === "provider") {
    const type = stringAt(part.raw, "type") ?? "part";
    return `${type} of ${part.provider}`;
  }
  if (part.type === "reasoning") return "reasoning";
  if (part.type === "text") return "text";
  const { mimeType, data, url, filename } = part;
  const name = filename === undefined ? "" : ` ${JSON.stringify(filename)}`;
  const where =
    data === undefined ? (url === undefined ? "" : ` at ${url}`) : `, ${data.length} bytes`;
  return `${mimeType}${name}${where}`;
}

/** Returns the text that replaces a part for which the format has no field. */
export function placeholder(part: Part): string {
  return `[${wordsFor(part)}: can't be shown here]`;
}
