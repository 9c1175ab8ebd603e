/** Where and under what key bytes are sealed; `nonce` of 12 bytes, `context` is authenticated with them. */
export interface SealContext {
  key: Uint8Array;
  nonce: Uint8Array;
  context: Uint8Array;
}

/** Bytes that sealing adds. */
export const sealBytes = 16;

/** AES-256-GCM: the encrypted bytes, then the tag. */
export async function seal(plain: Uint8Array, options: SealContext): Promise<Uint8Array> {
  const key = await importKey(options.key, "encrypt");
  return new Uint8Array(await crypto.subtle.encrypt(algorithmOf(options), key, plain));
}

/** The plain bytes; undefined unless key, nonce, context and every bit are those of the sealing. */
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

const algorithmOf = ({
  nonce,
  context,
}: SealContext): { name: string; iv: Uint8Array; additionalData: Uint8Array } => ({
  name: "AES-GCM",
  iv: nonce,
  additionalData: context,
});
