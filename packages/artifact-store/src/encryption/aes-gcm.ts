/** Parameters of `seal` and `unseal`. `nonce` has 12 bytes. `context` is authenticated together with the bytes. */
export interface SealContext {
  key: Uint8Array;
  nonce: Uint8Array;
  context: Uint8Array;
}

/** Number of bytes that sealing adds. */
export const sealBytes = 16;

/** Encrypts with AES-256-GCM. Returns the ciphertext followed by the tag. */
export async function seal(plain: Uint8Array, options: SealContext): Promise<Uint8Array> {
  const key = await importKey(options.key, "encrypt");
  return new Uint8Array(await crypto.subtle.encrypt(algorithmOf(options), key, plain));
}

/** Returns the plain bytes, or undefined unless key, nonce, context and every bit match. */
export async function unseal(
  sealed: Uint8Array,
  options: SealContext,
): Promise<Uint8Array | undefined> {
  const key = await importKey(options.key, "decrypt");
  return crypto.subtle.decrypt(algorithmOf(options), key, sealed).then(
    (plain) => new Uint8Array(plain),
    () => undefined,
  );
}

const importKey = (key: Uint8Array, use: "encrypt" | "decrypt") =>
  crypto.subtle.importKey("raw", key, "AES-GCM", false, [use]);

const algorithmOf = ({ nonce, context }: SealContext) => ({
  name: "AES-GCM",
  iv: nonce,
  additionalData: context,
});
