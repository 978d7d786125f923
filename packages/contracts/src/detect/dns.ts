import { createHash } from 'node:crypto'
import { Builder, type Cell, loadStdAddress, lookup, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress, sameAddress } from '@shardwalk/model'
import { readStack } from '../get-methods/stack-reader.ts'
import type { NftItem } from './nfts.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { intValue, readSnakeString } from './stack-values.ts'

/** A collection whose items are domains below `suffix`. */
export interface DnsZone {
  readonly suffix: 'ton' | 't.me'
  readonly collection: RawAddress
}

const zone = (suffix: DnsZone['suffix'], hex: string): DnsZone => ({
  suffix,
  collection: { workchain: 0, hash: Buffer.from(hex, 'hex') },
})

export const MAINNET_DNS_ZONES: readonly DnsZone[] = [
  zone('ton', 'b774d95eb20543f186c06b371ab88ad704f7e256130caf96189368a7d0cb6ccf'),
  zone('t.me', '80d78a35f955a14b679faa887ff4cd5bfc0f43b4a4eea2a7e6927f3701b273c2'),
]
export const TESTNET_DNS_ZONES: readonly DnsZone[] = [
  zone('ton', 'e33ed33a42eb2032059f97d90c706f8400bb256d32139ca707f1564ad699c7dd'),
]

const SUFFIXES: readonly DnsZone['suffix'][] = ['ton', 't.me']

/** Zones of any network, as its own root names them. `root`: the contract of configuration parameter 4, in the masterchain. Source: TEP-81. */
export async function findDnsZones(root: ContractState, reader: ContractReader): Promise<DnsZone[]> {
  const zones: DnsZone[] = []
  for (const suffix of SUFFIXES) {
    const name = Buffer.from(`${suffix.split('.').reverse().join('\0')}\0`)
    const slice = { type: 'slice', cell: new Builder().storeBytes(name).endCell() } as const
    const category = intValue(BigInt(`0x${KEYS.nextResolver.toString('hex')}`))
    const answer = readStack(await callMethod(reader, root, 'dnsresolve', [slice, category]), {
      bits: 'int',
      record: 'cell?',
    })
    // The zero byte at the end may be left to the next resolver.
    const isWhole = answer !== undefined && answer.bits >= BigInt((name.length - 1) * 8)
    const collection = isWhole && answer.record && readNextResolver(answer.record)
    if (collection) zones.push({ suffix, collection })
  }
  return zones
}

/** A domain and its records; a record is undefined when the domain has none of its kind or it does not unpack. Source: TEP-81. */
export interface DnsItem {
  readonly kind: 'dns_item'
  readonly domain: string
  /** Undefined when `dnsresolve` failed: what was known before stays true. */
  readonly records: DnsRecords | undefined
  /** Unix seconds of the last payment; a .ton domain can be taken by anyone one year later. Undefined where there is no such method. */
  readonly lastFillUpTime: number | undefined
}

export interface DnsRecords {
  readonly wallet: RawAddress | undefined
  readonly nextResolver: RawAddress | undefined
  readonly site: Buffer | undefined
  readonly storage: Buffer | undefined
}

/** `item`: what `detectNftItem` found for the contract; only items that a zone's collection confirmed are domains. */
export async function detectDnsItem(
  contract: ContractState,
  reader: ContractReader,
  { item, zones }: { readonly item: NftItem; readonly zones: readonly DnsZone[] },
): Promise<DnsItem | undefined> {
  const found =
    item.collection && zones.find((one) => sameAddress(one.collection, item.collection as RawAddress))
  const domain = found && (await domainOf(contract, reader, found))
  if (domain === undefined) return undefined
  const filled = readStack(await callMethod(reader, contract, 'get_last_fill_up_time'), { time: 'int' })
  return {
    kind: 'dns_item',
    domain,
    records: await recordsOf(contract, reader),
    lastFillUpTime: filled && Number(filled.time),
  }
}

async function domainOf(
  contract: ContractState,
  reader: ContractReader,
  { suffix }: DnsZone,
): Promise<string | undefined> {
  // Telegram's items name the whole domain, labels from the top, each ended by a zero byte: `me\0t\0name\0`.
  const full = await textOf(contract, reader, 'get_full_domain')
  if (full !== undefined) return full.split('\0').filter(Boolean).reverse().join('.')
  const label = await textOf(contract, reader, 'get_domain')
  return label === undefined ? undefined : `${label}.${suffix}`
}

async function textOf(
  contract: ContractState,
  reader: ContractReader,
  method: string,
): Promise<string | undefined> {
  const answer = readStack(await callMethod(reader, contract, method), { text: 'slice' })
  return answer && readSnakeString(answer.text)
}

async function recordsOf(contract: ContractState, reader: ContractReader): Promise<DnsRecords | undefined> {
  const self = { type: 'slice', cell: new Builder().storeUint(0, 8).endCell() } as const
  const stack = await callMethod(reader, contract, 'dnsresolve', [self, intValue(0)])
  const answer = stack?.length === 2 ? readStack(stack, { bits: 'int', records: 'cell?' }) : undefined
  return answer?.bits === 8n ? readDnsRecords(answer.records) : undefined
}

const recordKey = (name: string): Buffer => createHash('sha256').update(name).digest()
const KEYS = {
  wallet: recordKey('wallet'),
  nextResolver: recordKey('dns_next_resolver'),
  site: recordKey('site'),
  storage: recordKey('storage'),
}

/** `records`: root of `Hashmap 256 ^DNSRecord`. */
export function readDnsRecords(records: Cell | undefined): DnsRecords {
  return {
    wallet: readRecord(records, KEYS.wallet, 0x9fd3, loadFlaggedAddress),
    nextResolver: readRecord(records, KEYS.nextResolver, 0xba93, loadStdAddress),
    site: readRecord(records, KEYS.site, 0xad01, loadFlaggedBytes),
    storage: readRecord(records, KEYS.storage, 0x7473, (slice) => slice.loadBytes(32)),
  }
}

function readNextResolver(record: Cell): RawAddress | undefined {
  try {
    const slice = record.slice()
    return slice.loadUint(16) === 0xba93 ? loadStdAddress(slice) : undefined
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function readRecord<T>(
  records: Cell | undefined,
  key: Buffer,
  tag: number,
  load: (slice: Slice) => T | undefined,
): T | undefined {
  try {
    const value = lookup(records?.slice(), 256, key)
    const record = value && (value.remainingRefs > 0 ? value.loadRefSlice() : value)
    return record?.loadUint(16) === tag ? load(record) : undefined
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** `dns_smc_address#9fd3 smc_addr:MsgAddressInt flags:(## 8) { flags <= 1 } cap_list:flags . 0?SmcCapList`; capabilities are not stored. */
function loadFlaggedAddress(slice: Slice): RawAddress | undefined {
  const address = loadStdAddress(slice)
  return slice.loadUint(8) <= 1 ? address : undefined
}

/** `dns_adnl_address#ad01 adnl_addr:bits256 flags:(## 8) { flags <= 1 } proto_list:flags . 0?ProtoList`. */
function loadFlaggedBytes(slice: Slice): Buffer | undefined {
  const bytes = slice.loadBytes(32)
  return slice.loadUint(8) <= 1 ? bytes : undefined
}
