import { type Boxed, bytes, encodeUnion, int256, object, union } from '../codec.ts'

export const ed25519 = object('pub.ed25519', 0x4813b4c6, { key: int256 })

/** Keys whose hash is an id: of nodes, channels, overlays. Source: ton_api.tl, PublicKey. */
export const PUBLIC_KEYS = [
  object('pub.unenc', 0xb61f450a, { data: bytes }),
  ed25519,
  object('pub.aes', 0x2dbcadd4, { key: int256 }),
  object('pub.overlay', 0x34ba45cb, { name: bytes }),
] as const

export type PublicKey = Boxed<(typeof PUBLIC_KEYS)[number]>
export const publicKey = union('PublicKey', ...PUBLIC_KEYS)
/** A boxed key of which only ed25519 is accepted. */
export const publicKeyEd25519 = union('PublicKey', ed25519)

/** SHA-256 of a boxed key. Source: ton_api.tl, adnl.id.Short. */
export const shortId = object('adnl.id.short', 0x3e3f654f, { id: int256 })

/** The boxed key, of which SHA-256 is the id. */
export const encodePublicKey = (key: PublicKey): Buffer => encodeUnion(publicKey, key, 64)
