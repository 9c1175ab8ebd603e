import { textOfValue } from "./text-of-value.ts";
import { type FilterMeter, TemplateError } from "./template-filter.ts";

/** A value as a template prints it, charged before it is used. */
export function filterText(meter: FilterMeter, value: unknown): string {
  const text = textOfValue(value);
  if (!text.ok) throw new TemplateError("A value is no JSON and cannot be printed");
  meter.charge(text.value.length);
  return text.value;
}
