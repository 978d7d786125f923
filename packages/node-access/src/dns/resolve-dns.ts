import { Builder, type Cell } from '@shardwalk/cells'
import {
  DNS_CATEGORY,
  type DnsEntry,
  decodeDnsName,
  encodeDnsName,
  loadDnsEntries,
  parseDnsRecord,
} from '@shardwalk/contracts'
import { type BlockId, DecodeError, type RawAddress } from '@shardwalk/model'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'

/** A domain must fit in one cell. */
const MAX_NAME_BYTES = 127

/** A name to resolve (TEP-81), and where to begin. */
export interface DnsQuery {
  /** First resolver: that of the network or any other. */
  readonly resolver: RawAddress
  /** Example: `foundation.ton`; empty for the resolver itself. */
  readonly name: string
  /** Maximum number of further resolvers. */
  readonly maxResolvers: number
  readonly block: BlockId
  /** Whether a further resolver that has no code has no records either; otherwise it is an error. */
  readonly mayEnd?: boolean
}

/** Records of the last resolver that was asked. */
export interface DnsAnswer {
  readonly entries: readonly DnsEntry[]
  /**
   * The resolved part of the domain when another resolver is responsible for the rest: `ton.`; `.` when the
   * resolver was asked for its own records; otherwise empty.
   */
  readonly resolvedName: string
}

interface Resolution {
  /** Bytes of the encoded domain, including zero bytes. */
  readonly bytesResolved: number
  readonly entries: readonly DnsEntry[]
}

/** Queries the resolvers one after another. Source: TEP-81. */
export async function resolveDns(node: NodeAccess, query: DnsQuery): Promise<DnsAnswer> {
  let { resolver } = query
  let name = nameBytes(query.name)
  let resolved = Buffer.alloc(0)
  for (let left = query.maxResolvers; ; left--) {
    const isFirst = left === query.maxResolvers
    if (query.mayEnd && !isFirst && !(await hasCode(node, query.block, resolver))) return NOTHING
    const { bytesResolved, entries } = await ask(node, query.block, resolver, name)
    if (bytesResolved <= 0) return NOTHING
    const next = bytesResolved < name.length && entries[0] ? parseDnsRecord(entries[0].cell) : undefined
    resolved = Buffer.concat([resolved, name.subarray(0, bytesResolved)])
    if (next?.type !== 'nextResolver' || left <= 0)
      return { entries, resolvedName: next || isOwnName(resolved) ? decodeDnsName(resolved) : '' }
    resolver = next.address
    name = name.subarray(bytesResolved)
    // The zero byte between two labels belongs to the end of one part or to the start of the next.
    if (name[0] === 0 && name.length > 1) name = name.subarray(1)
  }
}

const NOTHING: DnsAnswer = { entries: [], resolvedName: '' }

async function hasCode({ accounts }: NodeAccess, block: BlockId, resolver: RawAddress): Promise<boolean> {
  return (await accounts.at(block, resolver)).code !== undefined
}

/** Of tonlib, which makes the empty name one of no label. */
const isOwnName = (bytes: Buffer): boolean => bytes.length === 1 && bytes[0] === 0

function nameBytes(name: string): Buffer {
  const bytes = encodeDnsName(name)
  if (!bytes) throw new NodeAccessError('bad_domain', 'empty label in name')
  if (bytes.length > MAX_NAME_BYTES) throw new NodeAccessError('bad_domain', 'name is too long')
  return bytes
}

async function ask(
  { accounts, getMethods }: NodeAccess,
  block: BlockId,
  resolver: RawAddress,
  name: Buffer,
): Promise<Resolution> {
  const account = await accounts.at(block, resolver)
  const { exitCode, stack } = await getMethods.run({
    account,
    method: 'dnsresolve',
    args: [
      { type: 'slice', cell: new Builder().storeBytes(name).endCell() },
      { type: 'int', value: 0n },
    ],
  })
  const [bits, records] = stack
  if (exitCode !== 0 || bits?.type !== 'int')
    throw new NodeAccessError('domain_not_resolved', 'get method failed')
  const bytesResolved = Number(bits.value) / 8
  if (!Number.isInteger(bytesResolved) || bytesResolved > name.length)
    throw new NodeAccessError('domain_not_resolved', 'invalid dnsresolve result')
  if (records?.type !== 'cell') return { bytesResolved, entries: [] }
  // A resolver that resolves only part of the domain returns the bare record of the next resolver.
  if (bytesResolved < name.length)
    return { bytesResolved, entries: [{ category: DNS_CATEGORY.nextResolver, cell: records.cell }] }
  return { bytesResolved, entries: readEntries(records.cell) }
}

/** The resolver is any contract. */
function readEntries(records: Cell): readonly DnsEntry[] {
  try {
    return loadDnsEntries(records)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new NodeAccessError('domain_not_resolved', 'invalid dnsresolve result', { cause: error })
  }
}
