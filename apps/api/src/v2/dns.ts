import { dnsEntry } from '@shardwalk/api-schema'
import { resolveDns } from '@shardwalk/node-access'
import type { V2Handlers } from './handler.ts'

export const DNS_HANDLERS: V2Handlers<'dnsResolve'> = {
  async dnsResolve(node, { address, name, ttl, seqno }) {
    const query = { resolver: address, name, maxResolvers: ttl, block: await node.blocks.masterchain(seqno) }
    const { entries, resolvedName } = await resolveDns(node, query)
    return { '@type': 'dns.resolved', entries: entries.map((entry) => dnsEntry(entry, resolvedName)) }
  },
}
