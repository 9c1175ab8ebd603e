import { describe, expect, it } from "vitest";
import { findElision } from "./find-elision.ts";

describe("findElision", () => {
  it.each([
    "// ... existing code ...",
    "    # ... existing code ...",
    "/* ... existing styles ... */",
    "{/* ... existing code ... */}",
    "<!-- ... existing code ... -->",
    "-- rest of the queries unchanged",
    "; ... existing code ...",
    "// \u2026existing code\u2026",
    "// rest of the code unchanged",
    "# The rest of the file remains unchanged.",
    "// Rest of the implementation stays the same",
    "// ... rest of component unchanged ...",
    "// (rest of the file remains unchanged)",
    "// --- rest of the file unchanged ---",
    "// keep existing code",
    "// existing code here",
    "// ... other methods ...",
    "// Other methods remain the same",
    "// unchanged code omitted for brevity",
    "# ... (unchanged)",
    "// ... same as before ...",
    "[rest of file unchanged]",
    "... existing code ...",
    "// остальной код без изменений",
    "# ... остальная часть файла ...",
    "// Существующий код остаётся без изменений",
    "# Остальное без изменений",
    "# 其余代码保持不变",
  ])("finds %s", (text) => {
    expect(findElision(`first\n${text}\nlast`)).toEqual({ line: 2, text: text.trim() });
    expect(findElision(text.trim())).toEqual({ line: 1, text: text.trim() });
  });

  it.each([
    "// ...",
    "const rest = [...existing, code];",
    "f(...rest);",
    "// The rest of the code relies on this order.",
    "// rest of the lines",
    "// Keep the existing code path for older browsers",
    "// existing code may call this with null",
    "// unchanged since 1.0, see the changelog",
    "/* unchanged */",
    "# rest of args are passed on to the child",
    "// the same",
    "// Remaining items are sorted by name",
    "// omitted",
    'const text = "// ... existing code ...";',
    "The rest of the code is unchanged.",
    "- the rest of the file is unchanged",
    "// остальные аргументы передаются дальше",
    "// код без изменений проходит проверку быстрее",
  ])("lets %s pass", (text) => {
    expect(findElision(`first\n${text}\nlast`)).toBeUndefined();
  });

  it("is linear on lines and contents that look like one for long", () => {
    expect(findElision(`// ${"... ".repeat(300_000)}`)).toBeUndefined();
    expect(findElision(`${"// existing the rest of \n".repeat(100_000)}`)).toBeUndefined();
  });
});
