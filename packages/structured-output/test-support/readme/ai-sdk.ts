import { extractJson } from "@ccl/structured-output";
import { generateObject, type LanguageModel } from "ai";
import { z } from "zod";

const city = z.object({ name: z.string(), inhabitants: z.int() });

export async function askCity(
  model: LanguageModel,
): Promise<{ name: string; inhabitants: number }> {
  const { object } = await generateObject({
    model,
    schema: city,
    prompt: "Name a city.",
    experimental_repairText: async ({ text }) => {
      const read = extractJson(text, { accept: (value) => city.safeParse(value).success });
      return read.ok ? JSON.stringify(read.value.value) : null;
    },
  });
  return object;
}
