const slots: readonly number[] = Array.from({ length: 8192 }, () => 0);

/**
 * Takes 64 KiB of V8's heap for a moment, to be called for each chunk that goes by. The bytes of buffers lie outside of that
 * heap, and Node 24 lets up to 90 MiB of dead ones pile up before it collects for their sake; a heap that fills up makes
 * it collect every few chunks, which keeps a stream of any length within some 50 MiB, in no more time.
 */
export function nudgeCollector(): void {
  slots.slice();
}
