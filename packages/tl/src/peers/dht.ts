import {
  type Boxed,
  bytes,
  type Infer,
  int32,
  int256,
  object,
  uint32,
  uint64,
  union,
  vector,
} from '../codec.ts'
import { addressList } from './adnl-udp.ts'
import { publicKey } from './public-key.ts'

/** A server of the hash table, signed by itself. `version`: Unix seconds. */
export const dhtNode = object('dht.node', 0x84533248, {
  id: publicKey,
  addrList: addressList,
  version: int32,
  signature: bytes,
})
export type DhtNode = Infer<typeof dhtNode>

/** The hash of this key is where a value is stored. */
export const dhtKey = object('dht.key', 0xf667de8f, { id: int256, name: bytes, idx: int32 })
export type DhtKey = Infer<typeof dhtKey>

/** Who may replace a value. Source: ton_api.tl, dht.UpdateRule. */
export const UPDATE_RULES = [
  object('dht.updateRule.signature', 0xcc9f31f7, {}),
  object('dht.updateRule.anybody', 0x61578e14, {}),
  object('dht.updateRule.overlayNodes', 0x26779383, {}),
] as const

/**
 * Who may store a value under the key: `signature` is by `id`, over the description with an empty signature.
 */
export const dhtKeyDescription = object('dht.keyDescription', 0x281d4e05, {
  key: dhtKey,
  id: publicKey,
  updateRule: union('dht.UpdateRule', ...UPDATE_RULES),
  signature: bytes,
})

/** `ttl`: Unix seconds at which it expires. */
export const dhtValue = object('dht.value', 0x90ad27cb, {
  key: dhtKeyDescription,
  value: bytes,
  ttl: uint32,
  signature: bytes,
})
export type DhtValue = Infer<typeof dhtValue>

export const nodes = object('dht.nodes', 0x7974a0be, { nodes: vector(dhtNode) })
/** Answers of servers. Source: ton_api.tl. */
export const DHT_ANSWERS = [
  nodes,
  object('dht.pong', 0x5a8aef81, { randomId: uint64 }),
  object('dht.stored', 0x7026fb08, {}),
  object('dht.valueNotFound', 0xa2620568, { nodes }),
  object('dht.valueFound', 0xe40cf774, { value: union('dht.Value', dhtValue) }),
  dhtNode,
] as const
export type DhtAnswer = Boxed<(typeof DHT_ANSWERS)[number]>

/** Queries to servers. Source: ton_api.tl. */
export const DHT_FUNCTIONS = [
  object('dht.ping', 0xcbeb3f18, { randomId: uint64 }),
  object('dht.findNode', 0x6ce2ce6b, { key: int256, k: int32 }),
  object('dht.findValue', 0xae4b6011, { key: int256, k: int32 }),
  object('dht.getSignedAddressList', 0xa97948ed, {}),
  object('dht.store', 0x34934212, { value: dhtValue }),
] as const
export type DhtFunction = Boxed<(typeof DHT_FUNCTIONS)[number]>

/** Answers of servers, by their `kind`. */
export const dhtAnswer = union('dht.Answer', ...DHT_ANSWERS)
/** Queries, by their `kind`. */
export const dhtFunction = union('dht.Function', ...DHT_FUNCTIONS)
