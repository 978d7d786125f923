import { publicKeyId, verifySignature } from '@shardwalk/adnl'
import { type DhtValue, dhtKeyDescription, dhtValue, encodeBoxed, type PublicKey } from '@shardwalk/tl'
import { dhtKeyId } from './keys.ts'

const NOTHING = Buffer.alloc(0)
/** Seconds for which servers keep values at most. */
const MAX_TTL = 3_660
const MAX_NAME = 127
const MAX_INDEX = 15
/** Servers refuse longer values. Source: ton-blockchain/ton, dht/dht-types.h. */
const MAX_VALUE = 768

/**
 * Whether a value belongs to a key, holds now, and is signed as its rule demands. Members of an overlay sign
 * for themselves inside of the value. `unixTime`: seconds.
 */
export function checkValue(value: DhtValue, keyId: Buffer, unixTime: number): boolean {
  const { key, id, updateRule } = value.key
  if (!dhtKeyId(key).equals(keyId) || !publicKeyId(id).equals(key.id)) return false
  if (key.name.length < 1 || key.name.length > MAX_NAME || key.idx < 0 || key.idx > MAX_INDEX) return false
  if (value.ttl < unixTime || value.ttl > unixTime + 2 * MAX_TTL || value.value.length > MAX_VALUE)
    return false
  switch (updateRule.kind) {
    case 'dht.updateRule.signature':
      return isSigned(value, id)
    case 'dht.updateRule.overlayNodes':
      return id.kind === 'pub.overlay' && value.key.signature.length === 0 && value.signature.length === 0
    // Nothing that is looked for has this rule: anybody could say where a node is.
    case 'dht.updateRule.anybody':
      return false
  }
}

function isSigned(value: DhtValue, id: PublicKey): boolean {
  if (id.kind !== 'pub.ed25519') return false
  const description = encodeBoxed(dhtKeyDescription, { ...value.key, signature: NOTHING })
  return (
    verify(id.key, description, value.key.signature) &&
    verify(id.key, encodeBoxed(dhtValue, { ...value, signature: NOTHING }), value.signature)
  )
}

const verify = (key: Buffer, message: Buffer, signature: Buffer): boolean =>
  signature.length === 64 && verifySignature(key, message, signature)
