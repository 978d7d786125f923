import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ADNL_OBJECTS } from './adnl.ts'
import type { Codec, Fields, ObjectCodec } from './codec.ts'
import { CONSENSUS_OBJECTS } from './consensus.ts'
import { LITE_FUNCTIONS } from './functions.ts'
import { LITE_OBJECTS } from './objects.ts'
import { ADNL_UDP_OBJECTS } from './peers/adnl-udp.ts'
import { DHT_FUNCTIONS, DHT_OBJECTS } from './peers/dht.ts'
import { OVERLAY_FUNCTIONS, OVERLAY_OBJECTS } from './peers/overlay.ts'
import { PUBLIC_KEYS } from './peers/public-key.ts'
import { fecRaptorQ, RLDP_MESSAGES, RLDP2_OBJECTS } from './peers/rldp.ts'
import { TON_NODE_FUNCTIONS, TON_NODE_OBJECTS } from './peers/ton-node.ts'

// The id of a constructor is CRC-32 of its scheme line. Rebuilding the line from the description verifies
// names, order, types and conditions of all fields at once. Ids written explicitly in the scheme are not such
// hashes.
const EXPLICIT = new Set([
  'liteServer.transactionId',
  'liteServer.signatureSet.ordinary',
  'liteServer.getValidatorStats',
  'tonNode.capabilities',
])

// Boxed types that are not the capitalised name of their constructor.
const TYPES: Readonly<Record<string, string>> = {
  'liteServer.signatureSet.simplex': 'liteServer.SignatureSet',
  'liteServer.blockLinkBack': 'liteServer.BlockLink',
  'liteServer.blockLinkForward': 'liteServer.BlockLink',
  'tcp.ping': 'tcp.Pong',
  'tcp.authentificate': 'tcp.Message',
  'tcp.authentificationNonce': 'tcp.Message',
  'tcp.authentificationComplete': 'tcp.Message',
  'adnl.message.query': 'adnl.Message',
  'adnl.message.answer': 'adnl.Message',
  'tonNode.blockBroadcastCompressed.data': 'tonNode.blockBroadcaseCompressed.Data',
  'tonNode.notFound': 'tonNode.Prepared',
  'tonNode.preparedProofLink': 'tonNode.PreparedProof',
  'tonNode.preparedProofEmpty': 'tonNode.PreparedProof',
  'tonNode.notFoundState': 'tonNode.PreparedState',
  'consensus.simplex.finalizeVote': 'consensus.simplex.UnsignedVote',
  'consensus.candidateWithoutParents': 'consensus.CandidateParent',
  'consensus.candidateHashDataOrdinary': 'consensus.CandidateHashData',
  'consensus.candidateHashDataEmpty': 'consensus.CandidateHashData',
}

const RESULTS: Readonly<Record<string, string>> = {
  'dht.ping': 'dht.Pong',
  'dht.findNode': 'dht.Nodes',
  'dht.findValue': 'dht.ValueResult',
  'dht.getSignedAddressList': 'dht.Node',
  'dht.store': 'dht.Stored',
  'overlay.getRandomPeers': 'overlay.Nodes',
  'overlay.ping': 'overlay.Pong',
  'overlay.query': 'True',
  'tonNode.getCapabilities': 'tonNode.Capabilities',
  'tonNode.getNextBlockDescription': 'tonNode.BlockDescription',
  'tonNode.prepareBlock': 'tonNode.Prepared',
  'tonNode.downloadBlock': 'tonNode.Data',
  'tonNode.downloadBlockFull': 'tonNode.DataFull',
  'tonNode.downloadNextBlockFull': 'tonNode.DataFull',
  'tonNode.prepareBlockProof': 'tonNode.PreparedProof',
  'tonNode.downloadBlockProof': 'tonNode.Data',
  'tonNode.downloadBlockProofLink': 'tonNode.Data',
  'tonNode.prepareKeyBlockProof': 'tonNode.PreparedProof',
  'tonNode.downloadKeyBlockProof': 'tonNode.Data',
  'tonNode.downloadKeyBlockProofLink': 'tonNode.Data',
  'tonNode.getNextKeyBlockIds': 'tonNode.KeyBlocks',
  'tonNode.prepareZeroState': 'tonNode.PreparedState',
  'tonNode.downloadZeroState': 'tonNode.Data',
  'tonNode.getArchiveInfo': 'tonNode.ArchiveInfo',
  'tonNode.getShardArchiveInfo': 'tonNode.ArchiveInfo',
  'tonNode.getArchiveSlice': 'tonNode.Data',
}

/** The same, for all constructors whose names begin alike. */
const TYPE_OF_PREFIX: readonly (readonly [string, string])[] = [
  ['pub.', 'PublicKey'],
  ['adnl.address.', 'adnl.Address'],
  ['adnl.message.', 'adnl.Message'],
  ['dht.value', 'dht.ValueResult'],
  ['dht.updateRule.', 'dht.UpdateRule'],
  ['overlay.certificateId', 'overlay.CertificateId'],
  ['overlay.certificate', 'overlay.Certificate'],
  ['overlay.emptyCertificate', 'overlay.Certificate'],
  ['rldp2.', 'rldp2.MessagePart'],
  ['rldp.', 'rldp.Message'],
  ['fec.', 'fec.Type'],
  ['tonNode.signatureSet.', 'tonNode.SignatureSet'],
  ['tonNode.dataFull', 'tonNode.DataFull'],
  ['tonNode.blockDescription', 'tonNode.BlockDescription'],
  ['tonNode.archive', 'tonNode.ArchiveInfo'],
]

function typeOf(name: string): string {
  if (name === 'dht.value') return 'dht.Value'
  if (/^overlay\.broadcast(Fec|FecShort)$/.test(name)) return 'overlay.Broadcast'
  if (/^tonNode\..*Broadcast(Compressed(V2)?)?$/.test(name)) return 'tonNode.Broadcast'
  return TYPES[name] ?? TYPE_OF_PREFIX.find(([prefix]) => name.startsWith(prefix))?.[1] ?? capital(name)
}

const capital = (name: string) => name.replace(/[^.]+$/, (last) => last[0]!.toUpperCase() + last.slice(1))
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function schemeLine(name: string, fields: Fields, type: string): string {
  const modeKey = Object.keys(fields).find((key) => key === 'flags' || key === 'mode')
  const parts = Object.entries(fields).map(([key, field]) => {
    const type = 'bit' in field ? field.codec.tl : (field as Codec<unknown>).tl
    const text = 'bit' in field ? `${modeKey}.${field.bit}?${type}` : type
    return `${snake(key)}:${text}`
  })
  return [name, ...parts, '=', type].join(' ')
}

const objects: readonly ObjectCodec<string, unknown>[] = [
  ...LITE_OBJECTS,
  ...ADNL_OBJECTS,
  ...CONSENSUS_OBJECTS,
  ...PUBLIC_KEYS,
  ...ADNL_UDP_OBJECTS,
  ...DHT_OBJECTS,
  ...OVERLAY_OBJECTS,
  ...RLDP2_OBJECTS,
  ...RLDP_MESSAGES,
  fecRaptorQ,
  ...TON_NODE_OBJECTS,
]

describe('the id is CRC-32 of the scheme line that the description spells', () => {
  test.each(objects.filter((o) => !EXPLICIT.has(o.name)).map((o) => [o.name, o] as const))(
    '%s',
    (name, object) => {
      expect(crc32(schemeLine(name, object.fields, typeOf(name)))).toBe(object.id)
    },
  )
  test.each(LITE_FUNCTIONS.filter((f) => !EXPLICIT.has(f.name)).map((f) => [f.name, f] as const))(
    '%s',
    (name, f) => {
      expect(crc32(schemeLine(name, f.fields, capital(f.result)))).toBe(f.id)
    },
  )
})

test.each([...DHT_FUNCTIONS, ...OVERLAY_FUNCTIONS, ...TON_NODE_FUNCTIONS].map((f) => [f.name, f] as const))(
  'the id of %s is CRC-32 of its scheme line',
  (name, f) => {
    expect(crc32(schemeLine(name, f.fields, RESULTS[name]!))).toBe(f.id)
  },
)

test('the old line of the ordinary signature set hashes to the same id', () => {
  const ordinary = LITE_OBJECTS.find((o) => o.name === 'liteServer.signatureSet.ordinary')!
  expect(crc32(schemeLine('liteServer.signatureSet', ordinary.fields, 'liteServer.SignatureSet'))).toBe(
    ordinary.id,
  )
})
