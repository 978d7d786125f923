import { TlProblem, type TlReader } from './bytes.ts'
import { bytes, decodeWhole, encodeBoxed, hex, type Infer, int256, object, uint64 } from './codec.ts'
import { publicKeyEd25519 } from './peers/public-key.ts'

/** Between servers and clients, and between nodes. Source: ton_api.tl, adnl.Message. */
export const QUERY_MESSAGES = [
  object('adnl.message.query', 0xb48bf97a, { queryId: int256, query: bytes }),
  object('adnl.message.answer', 0x0fac8416, { queryId: int256, answer: bytes }),
] as const

/** Payloads of ADNL frames over TCP. Source: ton_api.tl. */
export const ADNL_OBJECTS = [
  object('tcp.ping', 0x4d082b9a, { randomId: uint64 }),
  object('tcp.pong', 0xdc69fb03, { randomId: uint64 }),
  ...QUERY_MESSAGES,
  object('tcp.authentificate', 0x445bab12, { nonce: bytes }),
  object('tcp.authentificationNonce', 0xe35d4ab6, { nonce: bytes }),
  object('tcp.authentificationComplete', 0xf7ad9ea6, {
    key: publicKeyEd25519,
    signature: bytes,
  }),
] as const

type Listed = (typeof ADNL_OBJECTS)[number]
/** Values of messages over TCP, by the names of their constructors. */
export type AdnlMessages = { readonly [C in Listed as C['name']]: Infer<C> }
/** Name of a constructor, e.g. `adnl.message.query`. */
export type AdnlMessageName = keyof AdnlMessages
/** A message as `{ name, value }`, discriminated by `name`. */
export type AdnlMessage = {
  [N in AdnlMessageName]: { readonly name: N; readonly value: AdnlMessages[N] }
}[AdnlMessageName]

const byId = new Map<number, Listed>(ADNL_OBJECTS.map((c) => [c.id, c]))
const byName = new Map<string, Listed>(ADNL_OBJECTS.map((c) => [c.name, c]))

/** Payload of a frame with one ADNL message. */
export const encodeAdnl = <N extends AdnlMessageName>(name: N, value: AdnlMessages[N]): Buffer =>
  encodeBoxed(byName.get(name) as never, value, payloadSize(value))

/** Decodes the payload of a frame; `bytes` fields are views of it. Throws `DecodeError`. */
export function decodeAdnl(payload: Buffer): AdnlMessage {
  return decodeWhole('adnl', payload, (reader: TlReader) => {
    const id = reader.uint32()
    const found = byId.get(id)
    if (!found) throw new TlProblem(`unknown message ${hex(id)}`)
    return { name: found.name, value: found.read(reader) } as AdnlMessage
  })
}

const payloadSize = (value: object): number =>
  Object.values(value).reduce((sum, field) => (field instanceof Uint8Array ? sum + field.length : sum), 64)
