import { type Cell, type DictKey, forEachLeaf, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import { type DnsRecord, loadDnsRecord } from '../bodies/dns-record.ts'

/** A record and the category (32 bytes) under which it is stored. */
export interface DnsEntry {
  readonly category: Buffer
  readonly cell: Cell
}

type RecordWithAddress = Extract<DnsRecord, { readonly address: unknown }>

/** A record as replies show it; an address stands for itself. */
export type ReadableDnsRecord =
  | { readonly type: RecordWithAddress['type']; readonly address: RawAddress }
  | Exclude<DnsRecord, RecordWithAddress>

/** A domain has a handful; a resolver can describe 2^256 with a few cells. */
const MAX_RECORDS = 1000

/**
 * Reads all records of a domain as `dnsresolve` returns them for category 0: `Hashmap 256 ^DNSRecord`. Throws
 * `DecodeError`. Source: TEP-81.
 */
export function loadDnsEntries(root: Cell): readonly DnsEntry[] {
  const entries: DnsEntry[] = []
  const visit = (value: Slice, key: DictKey) => {
    if (value.remainingRefs > 0) entries.push({ category: key.toBuffer(), cell: value.preloadRefCell() })
  }
  forEachLeaf(root.slice(), 256, visit, { most: MAX_RECORDS })
  return entries
}

/** Undefined for an unknown kind of record, one that cannot be read, or one without an account address. */
export function parseDnsRecord(cell: Cell): ReadableDnsRecord | undefined {
  if (cell.isExotic) return undefined
  try {
    const record = loadDnsRecord(cell.slice())
    if (record?.type !== 'nextResolver' && record?.type !== 'smc') return record
    return record.address && { type: record.type, address: record.address }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
