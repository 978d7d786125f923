import type { Cell } from '@shardwalk/cells'
import { DNS_CATEGORY, type DnsEntry, parseDnsRecord } from '@shardwalk/contracts'
import type { RawAddress } from '@shardwalk/model'
import { adnlAddressText } from './adnl-address.ts'
import { accountAddress, cellText, friendly } from './objects.ts'

/** An entry of `dns.resolved`. `name`: the resolved part, when another resolver continues. */
export const dnsEntry = ({ category, cell }: DnsEntry, name: string) => ({
  '@type': 'dns.entry',
  name,
  category: category.toString('base64'),
  entry: entryData(cell),
})

function entryData(cell: Cell): object {
  const record = parseDnsRecord(cell)
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
        adnl_address: { '@type': 'adnlAddress', adnl_address: adnlAddressText(record.bytes) },
      }
    case 'storage':
      return { '@type': 'dns.entryDataStorageAddress', bag_id: record.bytes.toString('hex') }
    default:
      return { '@type': 'dns.entryDataUnknown', bytes: cellText(cell) }
  }
}

const CATEGORY_NAMES = new Map(
  (
    [
      ['wallet', DNS_CATEGORY.wallet],
      ['site', DNS_CATEGORY.site],
      ['storage', DNS_CATEGORY.storage],
      ['dns_next_resolver', DNS_CATEGORY.nextResolver],
    ] as const
  ).map(([name, key]) => [key.toString('hex'), name]),
)

/** Records of a domain as in `getTokenData`: by name of the category, or its hash. */
export const domainRecords = (entries: readonly DnsEntry[]): Record<string, object> =>
  Object.fromEntries(
    entries.flatMap(({ category, cell }) => {
      const hex = category.toString('hex')
      const record = domainRecord(cell)
      return record ? [[CATEGORY_NAMES.get(hex) ?? hex.toUpperCase(), record] as const] : []
    }),
  )

function domainRecord(cell: Cell): object | undefined {
  const record = parseDnsRecord(cell)
  switch (record?.type) {
    case 'smc':
      return { '@type': 'dns_smc_address', smc_addr: standardAddress(record.address) }
    case 'nextResolver':
      return { '@type': 'dns_next_resolver', resolver: standardAddress(record.address) }
    case 'adnl':
      return { '@type': 'dns_adnl_address', adnl_addr: record.bytes.toString('hex') }
    case 'storage':
      return { '@type': 'dns_storage_address', bag_id: record.bytes.toString('hex') }
    default:
      return undefined
  }
}

const standardAddress = ({ workchain, hash }: RawAddress) => ({
  '@type': 'addr_std',
  workchain_id: workchain,
  address: hash.toString('hex'),
})
