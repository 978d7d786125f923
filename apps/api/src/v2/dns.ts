import { accountAddress, cellText, friendly } from '@shardwalk/api-schema'
import { Builder, type Cell, crc16, forEachLeaf, type Slice } from '@shardwalk/cells'
import { DNS_CATEGORY, type DnsRecord, loadDnsRecord } from '@shardwalk/contracts'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import type { V2Context, V2Handlers } from './context.ts'
import { failure } from './failures.ts'

/** A name travels in one cell of 127 bytes. */
const MAX_NAME_BYTES = 127

/** Reads a record; undefined for one that is not understood. */
export function readDnsRecord(slice: Slice): ShownRecord | undefined {
  try {
    const record = loadDnsRecord(slice)
    if (record?.type !== 'nextResolver' && record?.type !== 'smc') return record
    return record.address && { type: record.type, address: record.address }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

type ShownRecord =
  | { readonly type: 'nextResolver' | 'smc'; readonly address: RawAddress }
  | Exclude<DnsRecord, { readonly type: 'nextResolver' | 'smc' }>

/** The records of a domain by category (32 bytes), as `dnsresolve` returns them. */
export function readDnsRecords(root: Cell): readonly (readonly [Buffer, Cell])[] {
  const records: (readonly [Buffer, Cell])[] = []
  forEachLeaf(root.slice(), 256, (value, key) => {
    if (value.remainingRefs > 0) records.push([key.toBuffer(), value.preloadRefCell()])
  })
  return records
}

interface Resolution {
  /** Of the given name, with the zero bytes. */
  readonly bytesResolved: number
  readonly records: readonly (readonly [Buffer, Cell])[]
}

/** `a.ton` → `ton\0a\0`; the empty name is one zero byte. */
function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label, i, all) => label !== '' || i < all.length - 1)
  if (name === '' || name === '.') return Buffer.from([0])
  if (labels.some((label) => label === ''))
    throw failure(422, 'failed to validate request: empty label in name')
  const bytes = Buffer.from(`${labels.reverse().join('\0')}\0`)
  if (bytes.length > MAX_NAME_BYTES) throw failure(422, 'failed to validate request: name is too long')
  return bytes
}

async function resolve(
  context: V2Context,
  resolver: RawAddress,
  name: Buffer,
  seqno?: number,
): Promise<Resolution> {
  const account = await context.chain.account(await context.chain.reference(seqno), resolver)
  const { exitCode, stack } = await context.getMethods.run({
    account,
    method: 'dnsresolve',
    args: [
      { type: 'slice', cell: new Builder().storeBytes(name).endCell() },
      { type: 'int', value: 0n },
    ],
  })
  const [bits, records] = stack
  if (exitCode !== 0 || bits?.type !== 'int') throw failure(500, 'get method failed')
  const bytesResolved = Number(bits.value) / 8
  if (!Number.isInteger(bytesResolved) || bytesResolved > name.length)
    throw failure(500, 'invalid dnsresolve result')
  if (records?.type !== 'cell') return { bytesResolved, records: [] }
  // A resolver that knows only a part answers with the bare record of the next one.
  const isPartial = bytesResolved < name.length
  return {
    bytesResolved,
    records: isPartial ? [[DNS_CATEGORY.nextResolver, records.cell]] : readDnsRecords(records.cell),
  }
}

async function dnsEntries(context: V2Context, query: DnsQuery) {
  let resolver: RawAddress = query.address
  let name = encodeName(query.name)
  let resolved = Buffer.alloc(0)
  for (let left = query.ttl; ; left--) {
    const { bytesResolved, records } = await resolve(context, resolver, name, query.seqno)
    if (bytesResolved <= 0) return []
    const next = bytesResolved < name.length && records[0] ? readDnsRecord(records[0][1].slice()) : undefined
    resolved = Buffer.concat([resolved, name.subarray(0, bytesResolved)])
    if (next?.type !== 'nextResolver' || left <= 0)
      return records.map(([category, cell]) => entryOf(category, cell, next ? nameOf(resolved) : ''))
    resolver = next.address
    name = name.subarray(bytesResolved)
    // The zero byte between two labels may stand at the end of one part or at the start of the next.
    if (name[0] === 0 && name.length > 1) name = name.subarray(1)
  }
}

interface DnsQuery {
  readonly address: RawAddress
  readonly name: string
  readonly ttl: number
  readonly seqno?: number | undefined
}

/** What has been resolved, shown with its dot: `ton.`. */
const nameOf = (resolved: Buffer): string => {
  const labels = resolved
    .toString('utf8')
    .split('\0')
    .filter((label) => label !== '')
  return `${labels.reverse().join('.')}.`
}

const entryOf = (category: Buffer, cell: Cell, name: string) => ({
  '@type': 'dns.entry',
  name,
  category: category.toString('base64'),
  entry: entryData(cell),
})

function entryData(cell: Cell): object {
  const record = cell.isExotic ? undefined : readDnsRecord(cell.slice())
  switch (record?.type) {
    case 'text':
      return { '@type': 'dns.entryDataText', text: record.bytes.toString('utf8') }
    case 'nextResolver':
      return { '@type': 'dns.entryDataNextResolver', resolver: accountAddress(friendly(record.address)) }
    case 'smc':
      return { '@type': 'dns.entryDataSmcAddress', smc_address: accountAddress(friendly(record.address)) }
    case 'adnl':
      return {
        '@type': 'dns.entryDataAdnlAddress',
        adnl_address: { '@type': 'adnlAddress', adnl_address: adnlText(record.bytes) },
      }
    case 'storage':
      return { '@type': 'dns.entryDataStorageAddress', bag_id: record.bytes.toString('hex') }
    default:
      return { '@type': 'dns.entryDataUnknown', bytes: cellText(cell) }
  }
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** 55 characters: base32 of 2d, the address and its CRC-16, without the first one, which is always the same. */
function adnlText(address: Buffer): string {
  const bytes = Buffer.concat([Buffer.from([0x2d]), address, Buffer.alloc(2)])
  bytes.writeUInt16BE(crc16(bytes, 0, 33), 33)
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => BASE32[Number.parseInt(five, 2)])
    .join('')
    .slice(1)
}

export const DNS_HANDLERS: V2Handlers<'dnsResolve'> = {
  dnsResolve: async (context, query) => ({
    '@type': 'dns.resolved',
    entries: await dnsEntries(context, query),
  }),
}
