import { Builder, type Cell, lookup, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress, sameAddress } from '@shardwalk/model'
import { DNS_CATEGORY, type DnsRecord, loadDnsRecord } from '../bodies/dns-record.ts'
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

/** Domains below `.ton`. Source: toncenter/ton-indexer, `NftItemDetectorR`. */
export const TON_DNS_ZONES: Readonly<Record<'mainnet' | 'testnet', DnsZone>> = {
  mainnet: zone('ton', 'b774d95eb20543f186c06b371ab88ad704f7e256130caf96189368a7d0cb6ccf'),
  testnet: zone('ton', 'e33ed33a42eb2032059f97d90c706f8400bb256d32139ca707f1564ad699c7dd'),
}
/** User names of Telegram, on mainnet only. Source: as for `TON_DNS_ZONES`. */
export const TELEGRAM_DNS_ZONE = zone(
  't.me',
  '80d78a35f955a14b679faa887ff4cd5bfc0f43b4a4eea2a7e6927f3701b273c2',
)
/** All zones of mainnet. */
export const MAINNET_DNS_ZONES: readonly DnsZone[] = [TON_DNS_ZONES.mainnet, TELEGRAM_DNS_ZONE]

const SUFFIXES: readonly DnsZone['suffix'][] = ['ton', 't.me']

/**
 * Zones of any network, as listed by its root DNS contract. `root`: the contract named by configuration
 * parameter 4, in the masterchain. Source: TEP-81.
 */
export async function findDnsZones(root: ContractState, reader: ContractReader): Promise<DnsZone[]> {
  const zones: DnsZone[] = []
  for (const suffix of SUFFIXES) {
    const name = Buffer.from(`${suffix.split('.').reverse().join('\0')}\0`)
    const slice = { type: 'slice', cell: new Builder().storeBytes(name).endCell() } as const
    const category = intValue(BigInt(`0x${DNS_CATEGORY.nextResolver.toString('hex')}`))
    const answer = readStack(await callMethod(reader, root, 'dnsresolve', [slice, category]), {
      bits: 'int',
      record: 'cell?',
    })
    // The trailing zero byte may be left to the next resolver.
    const isWhole = answer !== undefined && answer.bits >= BigInt((name.length - 1) * 8)
    const collection = isWhole && answer.record && readNextResolver(answer.record)
    if (collection) zones.push({ suffix, collection })
  }
  return zones
}

/**
 * A domain and its records. A record is undefined when the domain has none of that category or it cannot be
 * parsed. Source: TEP-81.
 */
export interface DnsItem {
  readonly kind: 'dns_item'
  readonly domain: string
  /** Undefined when `dnsresolve` failed; the records known before remain valid. */
  readonly records: DnsRecords | undefined
  /**
   * Unix seconds of the last payment; one year later anyone can take over a .ton domain. Undefined for
   * contracts without such a method.
   */
  readonly lastFillUpTime: number | undefined
  /** Undefined when there is none, or its winner has taken the domain. */
  readonly auction: DnsAuction | undefined
}

/** An auction of a domain, which runs, or is over while its winner has not taken the domain. */
export interface DnsAuction {
  readonly bidder: RawAddress
  /** Nanotons. */
  readonly bid: bigint
  /** Unix seconds. */
  readonly endTime: bigint
}

/**
 * Records of a domain by the categories of TEP-81 that are indexed. `site`: ADNL id, `storage`: bag id, 32
 * bytes each.
 */
export interface DnsRecords {
  readonly wallet: RawAddress | undefined
  readonly nextResolver: RawAddress | undefined
  readonly site: Buffer | undefined
  readonly storage: Buffer | undefined
}

/**
 * `item`: result of `detectNftItem` for the contract. Only an item confirmed by the collection of a zone is a
 * domain.
 */
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
    auction: await auctionOf(contract, reader),
  }
}

/** Source: ton-blockchain/dns-contract, func/nft-item.fc, `get_auction_info`. */
async function auctionOf(contract: ContractState, reader: ContractReader): Promise<DnsAuction | undefined> {
  const auction = readStack(await callMethod(reader, contract, 'get_auction_info'), {
    bidder: 'address?',
    bid: 'int',
    endTime: 'int',
  })
  return auction?.bidder && { ...auction, bidder: auction.bidder }
}

async function domainOf(
  contract: ContractState,
  reader: ContractReader,
  { suffix }: DnsZone,
): Promise<string | undefined> {
  // Telegram items return the whole domain, labels from the top, each ended by a zero byte: `me\0t\0name\0`.
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

/** `records`: root of `Hashmap 256 ^DNSRecord`. A record with flags unknown to TEP-81 is ignored. */
function readDnsRecords(records: Cell | undefined): DnsRecords {
  const wallet = findRecord(records, DNS_CATEGORY.wallet)
  const next = findRecord(records, DNS_CATEGORY.nextResolver)
  const site = findRecord(records, DNS_CATEGORY.site)
  const storage = findRecord(records, DNS_CATEGORY.storage)
  return {
    wallet: wallet?.type === 'smc' && isPlain(wallet) ? wallet.address : undefined,
    nextResolver: next?.type === 'nextResolver' ? next.address : undefined,
    site: site?.type === 'adnl' && isPlain(site) ? site.bytes : undefined,
    storage: storage?.type === 'storage' ? storage.bytes : undefined,
  }
}

/** `flags:(## 8) { flags <= 1 }`. */
const isPlain = ({ flags }: { readonly flags: number | undefined }): boolean =>
  flags !== undefined && flags <= 1

function readNextResolver(record: Cell): RawAddress | undefined {
  const read = readRecord(() => record.slice())
  return read?.type === 'nextResolver' ? read.address : undefined
}

const findRecord = (records: Cell | undefined, category: Buffer): DnsRecord | undefined =>
  readRecord(() => {
    const value = lookup(records?.slice(), 256, category)
    return value && value.remainingRefs > 0 ? value.loadRefSlice() : value
  })

function readRecord(open: () => Slice | undefined): DnsRecord | undefined {
  try {
    const slice = open()
    return slice && loadDnsRecord(slice)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
