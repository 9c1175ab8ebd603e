/**
 * Moves the focus between an element's buttons with the arrow keys, wrapping around. Set it as the
 * element's `onKeyDown`.
 */
export function moveByArrows(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const own = event.currentTarget;
  if (step === undefined || !(own instanceof HTMLElement)) return;
  event.preventDefault();
  const all = [...own.querySelectorAll<HTMLButtonElement>("button:enabled")];
  const at = all.findIndex((one) => one === document.activeElement);
  all[(at + step + all.length) % all.length]?.focus();
}
