import { createHash } from 'node:crypto'
import { Builder, type Cell, loadStdAddress, lookup, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress, sameAddress } from '@shardwalk/model'
import { readStack } from '../stack-reader.ts'
import type { NftItem } from './nfts.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { intValue, readSnakeString } from './stack-values.ts'

/** A collection whose items are domains. `ton`: items answer `get_domain`; `t.me`: they answer `get_full_domain`. */
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
  const found = item.collection && zones.find((one) => sameAddress(one.collection, item.collection as RawAddress))
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
  const method = suffix === 'ton' ? 'get_domain' : 'get_full_domain'
  const answer = readStack(await callMethod(reader, contract, method), { name: 'slice' })
  const text = answer && readSnakeString(answer.name)
  if (text === undefined) return undefined
  if (suffix === 'ton') return `${text}.ton`
  // Labels end with a zero byte each and run from the top: `me\0t\0name\0`.
  return text.split('\0').filter(Boolean).reverse().join('.')
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
