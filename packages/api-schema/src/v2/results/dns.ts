import * as z from 'zod'
import { AccountAddress, bytes, int, object, text } from './parts.ts'

// Names and what they lead to.

const StandardAddress = object('SmcAddr', 'addr_std', { workchain_id: int, address: text })
const DnsRecord = z
  .union([
    object('DnsRecordStorageAddress', 'dns_storage_address', { bag_id: text }),
    object('DnsRecordSmcAddress', 'dns_smc_address', { smc_addr: StandardAddress }),
    object('DnsRecordAdnlAddress', 'dns_adnl_address', { adnl_addr: text }),
    object('DnsRecordNextResolver', 'dns_next_resolver', { resolver: StandardAddress }),
  ])
  .meta({ id: 'DnsRecord' })
/** Content of a domain (TEP-81): records by the name of their category. */
export const domain = z
  .strictObject({ domain: text, data: z.record(text, DnsRecord) })
  .meta({ id: 'DnsContent' })

const DnsEntryData = z
  .union([
    object('DnsEntryDataText', 'dns.entryDataText', { text }),
    object('DnsEntryDataNextResolver', 'dns.entryDataNextResolver', { resolver: AccountAddress }),
    object('DnsEntryDataSmcAddress', 'dns.entryDataSmcAddress', { smc_address: AccountAddress }),
    object('DnsEntryDataAdnlAddress', 'dns.entryDataAdnlAddress', {
      adnl_address: object('AdnlAddress', 'adnlAddress', { adnl_address: text }),
    }),
    object('DnsEntryDataStorageAddress', 'dns.entryDataStorageAddress', { bag_id: text }),
    object('DnsEntryDataUnknown', 'dns.entryDataUnknown', { bytes }),
  ])
  .meta({ id: 'DnsEntryData' })
/** Records of a name, or the resolver to ask next if the name was resolved only in part. */
export const DnsResolved = object('DnsResolved', 'dns.resolved', {
  entries: z.array(object('DnsEntry', 'dns.entry', { name: text, category: text, entry: DnsEntryData })),
})
