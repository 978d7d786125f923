import { Builder } from '@shardwalk/cells'
import {
  DNS_CATEGORY,
  type DnsEntry,
  decodeDnsName,
  encodeDnsName,
  loadDnsEntries,
  parseDnsRecord,
} from '@shardwalk/contracts'
import type { BlockId, RawAddress } from '@shardwalk/model'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'

/** A name travels in one cell. */
const MAX_NAME_BYTES = 127

export interface DnsQuery {
  /** Where to begin: the network's root or any other resolver. */
  readonly resolver: RawAddress
  /** `foundation.ton`; empty for the resolver itself. */
  readonly name: string
  /** How many further resolvers may be asked. */
  readonly maxResolvers: number
  readonly block: BlockId
}

export interface DnsAnswer {
  readonly entries: readonly DnsEntry[]
  /** The part of the name that was resolved, when the rest is up to another resolver: `ton.`. Else empty. */
  readonly resolvedName: string
}

interface Resolution {
  /** Of the name that was asked for, with its zero bytes. */
  readonly bytesResolved: number
  readonly entries: readonly DnsEntry[]
}

/** Queries one resolver after another, see TEP-81. */
export async function resolveDns(node: NodeAccess, query: DnsQuery): Promise<DnsAnswer> {
  let { resolver } = query
  let name = nameBytes(query.name)
  let resolved = Buffer.alloc(0)
  for (let left = query.maxResolvers; ; left--) {
    const { bytesResolved, entries } = await ask(node, query.block, resolver, name)
    if (bytesResolved <= 0) return { entries: [], resolvedName: '' }
    const next = bytesResolved < name.length && entries[0] ? parseDnsRecord(entries[0].cell) : undefined
    resolved = Buffer.concat([resolved, name.subarray(0, bytesResolved)])
    if (next?.type !== 'nextResolver' || left <= 0)
      return { entries, resolvedName: next ? decodeDnsName(resolved) : '' }
    resolver = next.address
    name = name.subarray(bytesResolved)
    // The zero byte between two labels stands at the end of one part or at the start of the next.
    if (name[0] === 0 && name.length > 1) name = name.subarray(1)
  }
}

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
  // A resolver that knows only a part of the name answers with the bare record of the next one.
  if (bytesResolved < name.length)
    return { bytesResolved, entries: [{ category: DNS_CATEGORY.nextResolver, cell: records.cell }] }
  return { bytesResolved, entries: loadDnsEntries(records.cell) }
}
