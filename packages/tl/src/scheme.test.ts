import { readdirSync, readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import * as adnl from './adnl.ts'
import type { Codec, Fields, ObjectCodec } from './codec.ts'
import * as consensus from './consensus.ts'
import * as functions from './functions.ts'
import * as objects from './objects.ts'
import * as adnlUdp from './peers/adnl-udp.ts'
import * as dht from './peers/dht.ts'
import * as overlay from './peers/overlay.ts'
import * as publicKey from './peers/public-key.ts'
import * as rldp from './peers/rldp.ts'
import * as tonNode from './peers/ton-node.ts'

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

type Constructor = ObjectCodec<string, unknown> & { readonly result?: string }

const isConstructor = (value: unknown): value is Constructor =>
  typeof value === 'object' && value !== null && 'id' in value && 'fields' in value && 'name' in value

const MODULES = [adnl, consensus, functions, objects, adnlUdp, dht, overlay, publicKey, rldp, tonNode]
const described = new Map(
  MODULES.flatMap((module) => Object.values(module).flat().filter(isConstructor)).map((c) => [c.name, c]),
)

test('every constructor of the sources is compared', () => {
  const folder = new URL('.', import.meta.url).pathname
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(`${folder}${path}`, 'utf8'))
  const written = sources.flatMap((text) => [...text.matchAll(/\b(?:object|fn)\(\s*'([\w.]+)'/g)])
  expect([...described.keys()].toSorted()).toEqual(written.map(([, name]) => name).toSorted())
})

const resultOf = ({ name, result }: Constructor): string =>
  RESULTS[name] ?? (result === undefined ? typeOf(name) : capital(result))

test.each([...described.values()].filter(({ name }) => !EXPLICIT.has(name)).map((c) => [c.name, c] as const))(
  'the id of %s is CRC-32 of the scheme line that the description spells',
  (name, one) => {
    expect(crc32(schemeLine(name, one.fields, resultOf(one)))).toBe(one.id)
  },
)

test('the old line of the ordinary signature set hashes to the same id', () => {
  const ordinary = described.get('liteServer.signatureSet.ordinary')!
  expect(crc32(schemeLine('liteServer.signatureSet', ordinary.fields, 'liteServer.SignatureSet'))).toBe(
    ordinary.id,
  )
})
