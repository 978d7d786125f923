import { dnsEntry, V2Refusal } from '@shardwalk/api-schema'
import type { BlockId, RawAddress } from '@shardwalk/model'
import { dnsRoot, type NodeAccess, resolveDns } from '@shardwalk/node-access'
import type { V2Handlers } from './handler.ts'

/** Of a whole domain. The longest has 63 labels. */
const MAX_RESOLVERS = 64

export const DNS_HANDLERS: V2Handlers<'dnsResolve'> = {
  async dnsResolve(node, { domain, resolver_address, address, name, ttl, seqno }) {
    const block = await node.blocks.masterchain(seqno)
    if (domain !== undefined) return resolved(await wholeDomain(node, { domain, resolver_address, block }))
    const query = { resolver: address!, name, maxResolvers: ttl, block }
    const { entries, resolvedName } = await resolveDns(node, query)
    return resolved(entries.map((entry) => dnsEntry(entry, resolvedName)))
  },
}

const resolved = (entries: readonly object[]) => ({ '@type': 'dns.resolved', entries })

interface DomainQuery {
  readonly domain: string
  readonly resolver_address?: RawAddress | undefined
  readonly block: BlockId
}

/** Entries have the name of the domain; there are none if it is not resolved to its end. */
async function wholeDomain(node: NodeAccess, { domain, resolver_address, block }: DomainQuery) {
  const name = domainName(domain)
  const resolver = resolver_address ?? (await dnsRoot(node, block))
  const query = { resolver, name, maxResolvers: MAX_RESOLVERS, block, mayEnd: true }
  const answer = await resolveDns(node, query)
  return answer.resolvedName === '' ? answer.entries.map((entry) => dnsEntry(entry, name)) : []
}

/** What resolvers are asked for: lower case, no dot at the end. */
function domainName(domain: string): string {
  const name = domain.toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  if (labels.some((label) => !LABEL.test(label)) || Buffer.byteLength(name) > MAX_BYTES)
    throw new V2Refusal(`invalid domain: '${domain.slice(0, MAX_BYTES)}'`, 'validate')
  return name
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const LABEL = /^[^\u0000-\u0020\u007f]+$/
/** With the zero byte at its end it must fit in one cell. */
const MAX_BYTES = 126
