import { countBytes } from "../content/count-bytes.ts";
import { foldName } from "./fold-name.ts";

/** File systems' limit on a name, in UTF-8 bytes. */
const MAX_NAME_BYTES = 255;

const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[1-9\u00b9\u00b2\u00b3])$/;
const SHORT_NAME = /^[^.~]{0,7}~[1-9]\d{0,6}(?:\.[^.]{0,3})?$/;
/** Small, fullwidth and mathematical variants of slashes and backslashes. */
const SEPARATOR_LIKE = /[\u2044\u2215\u2216\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c]/;
/** A variation selector after an emoji only affects its colour, so it is allowed. */
const EMOJI_VARIATION = /(?<=\p{Extended_Pictographic}|[0-9#*])\ufe0f/gu;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Zl}\p{Zp}]/u;
const UNUSABLE = /[\p{Co}\p{Noncharacter_Code_Point}\ufffd]/u;

/** Returns why a path segment cannot name exactly one file on Windows, macOS and Linux, or undefined if it can. */
export function nameProblem(name: string): string | undefined {
  return problemAnywhere(name) ?? problemOnWindows(name) ?? problemOfText(name);
}

function problemAnywhere(name: string): string | undefined {
  if (name === "") return "an empty segment";
  if ([".", "..", "~"].includes(name)) return `the segment "${name}"`;
  if (name.includes("\0")) return "a NUL character";
  if (/\p{Surrogate}/u.test(name)) return "half of a surrogate pair";
  if (countBytes(name) > MAX_NAME_BYTES) return `a segment of more than ${MAX_NAME_BYTES} bytes`;
  return undefined;
}

function problemOnWindows(name: string): string | undefined {
  if (name.includes("\\")) return "a backslash";
  if (/[^ -\uffff]/.test(name)) return "a control character";
  if (name.includes(":")) return "a colon, which names a drive or a stream on Windows";
  if (/[<>"|?*]/.test(name)) return "a character that Windows refuses";
  if (/[.\s]$/u.test(name)) return "a segment that ends in a dot or a space, which Windows drops";
  if (isDevice(name) || isDevice(foldName(name))) return "the name of a Windows device";
  if (SHORT_NAME.test(name)) return "a short name that Windows gives to another file";
  return undefined;
}

function isDevice(name: string): boolean {
  const [base = ""] = name.split(".");
  return DEVICE.test(base.trimEnd().toLowerCase());
}

function problemOfText(name: string): string | undefined {
  if (/^[ -~]*$/.test(name)) return undefined;
  if (/\p{Cc}/u.test(name)) return "a control character";
  if (INVISIBLE.test(name.replace(EMOJI_VARIATION, ""))) return "a character that cannot be seen";
  if (SEPARATOR_LIKE.test(name)) return "a character that looks like a separator";
  if (UNUSABLE.test(name)) return "a character without a meaning of its own";
  const folded = foldName(name);
  if (folded === "" || /^\.{1,2}$/.test(folded)) return "a segment that folds to dots";
  return undefined;
}
