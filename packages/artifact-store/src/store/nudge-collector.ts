const slotBytes = 64 * 1024;
const slots: readonly number[] = Array.from({ length: slotBytes / 8 }, () => 0);
const mostBytes = 1024 * 1024;

/**
 * Takes twice that much of V8's heap for a moment, at most 1 MiB, to be called for each piece that goes by. The bytes of
 * buffers lie outside of that heap, and V8 lets 32 MiB of dead ones (on Node 24 up to 90 MiB) pile up before it collects
 * for their sake; a heap that fills up makes it collect its young part every few MiB. More at a time could collect twice
 * in the life of one piece, which moves it to where it stays for long.
 */
export function nudgeCollector(sizeBytes: number): void {
  for (let taken = 0; taken < Math.min(2 * sizeBytes, mostBytes); taken += slotBytes) slots.slice();
}
