import type { Issue, Part } from "@ccl/core";
import { stringAt } from "@ccl/core/json";

/** Something of a message that the target format could not express. */
export interface WireLoss {
  /** Of the message. */
  index: number;
  /** Of the part, such as `image`, or what else was left out. */
  type: string;
  /** What was left out, in words. */
  what: string;
}

/** Parts that the target format can't express are reported; a text stands in their place where a reader would miss them. */
export interface LossOptions {
  /** Called for each part that is left out. */
  report?: ((loss: WireLoss) => void) | undefined;
}

/** Collects what is left out, as warnings of an answer. */
export function collectLosses(): { warnings: Issue[]; report: (loss: WireLoss) => void } {
  const warnings: Issue[] = [];
  const report = ({ index, type, what }: WireLoss): void => {
    const message = `${what} was left out: the model's format has no place for it (${type}).`;
    const path = ["messages", index];
    warnings.push({ code: "part_left_out", path, message, severity: "warning" });
  };
  return { warnings, report };
}

/** Marks and reports what one conversation loses on its way into a format. */
export class Losses {
  /** Of the message that is being converted. */
  index = 0;
  readonly #report: LossOptions["report"];

  constructor({ report }: LossOptions = {}) {
    this.#report = report;
  }

  /** Leaves out something that no reader misses. */
  drop(type: string, what: string): void {
    this.#report?.({ index: this.index, type, what });
  }

  /** The text in place of a part; the reasoning of another model has none. */
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

/** The text in place of a part that a format has no field for. */
export function placeholder(part: Part): string {
  return `[${wordsFor(part)}: can't be shown here]`;
}
