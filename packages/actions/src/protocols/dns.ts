// TON DNS: records of a domain, its auction's end, its release.

import type { Slice } from '@shardwalk/cells'
import {
  BOUNCES,
  DNS,
  DNS_BODIES,
  decodeText,
  loadDnsRecord,
  TELEITEM,
  TELEITEM_BODIES,
} from '@shardwalk/contracts'
import { attempt, fieldsOf, textOf } from '../body.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { anyCall, call, maybe, over, under } from '../core/pattern.ts'
import { factsOf, isDnsItem } from '../facts.ts'
import type { Columns } from '../row.ts'

interface RecordValue {
  readonly value_schema: string
  readonly value: string | null
  readonly flags: number | null
}

const NAMES = {
  nextResolver: 'DNSNextResolver',
  adnl: 'DNSAdnlAddress',
  smc: 'DNSSmcAddress',
  storage: 'DNSStorageAddress',
  text: 'DNSText',
} as const

function readRecord(slice: Slice): RecordValue {
  const record = loadDnsRecord(slice)
  if (!record) return UNKNOWN_RECORD
  const value_schema = NAMES[record.type]
  switch (record.type) {
    case 'nextResolver':
      return { value_schema, value: textOf(record.address), flags: null }
    case 'smc':
      return { value_schema, value: textOf(record.address), flags: need(record.flags, 'flags') }
    case 'adnl':
      return { value_schema, value: record.bytes.toString('hex'), flags: need(record.flags, 'flags') }
    case 'storage':
      return { value_schema, value: record.bytes.toString('hex'), flags: null }
    case 'text':
      return { value_schema, value: decodeText(record.bytes, { damaged: 'escape' }), flags: null }
  }
}

const UNKNOWN_RECORD: RecordValue = { value_schema: 'Unknown', value: null, flags: null }

const changeRecord: Matcher = {
  name: 'dns_record',
  anchors: [DNS.changeRecord],
  pattern: over(call(DNS.changeRecord), maybe(call(...BOUNCES))),
  build({ anchor, facts }) {
    const { key: keyBytes, value: record } = fieldsOf(anchor, DNS_BODIES.changeRecord)
    const key = keyBytes.toString('hex')
    const value = record && (attempt(() => readRecord(record)) ?? UNKNOWN_RECORD)
    const type = value ? 'change_dns' : /^0*$/.test(key) ? 'renew_dns' : 'delete_dns'
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      asset: factsOf(facts, anchor.destination).nftItem?.collection ?? null,
      change_dns_record_data: { key, ...(value ?? { value_schema: null, value: null, flags: null }) },
    })
    return { type, failed: anchor.failed, columns }
  },
}

/** The item pays out the proceeds of the auction when the winner settles it. */
const purchase: Matcher = {
  name: 'dns_purchase',
  anchors: [TELEITEM.fillUp],
  pattern: under(call(TELEITEM.fillUp), anyCall),
  build({ anchor, facts }) {
    const item = factsOf(facts, anchor.source).nftItem
    if (!isDnsItem(item)) return undefined
    const buyer = anchor.previous?.source ?? null
    const query = attempt(() => fieldsOf(anchor, TELEITEM_BODIES.fillUp).query_id)
    const columns = (): Columns => ({
      destination: buyer,
      asset: item.collection,
      asset_secondary: anchor.source,
      nft_transfer_data: {
        query_id: query ?? null,
        is_purchase: true,
        price: anchor.value,
        payout_amount: anchor.value,
        nft_item_index: item.index,
      },
    })
    return { type: 'dns_purchase', failed: anchor.node.failed, absorb: [anchor], columns }
  },
}

const release: Matcher = {
  name: 'dns_release',
  anchors: [DNS.balanceRelease],
  pattern: call(DNS.balanceRelease),
  build({ anchor, facts }) {
    const item = factsOf(facts, anchor.destination).nftItem
    if (!isDnsItem(item)) return undefined
    const query = attempt(() => fieldsOf(anchor, DNS_BODIES.balanceRelease).query_id)
    const columns = (): Columns => ({
      source: anchor.source,
      destination: need(anchor.destination, 'item'),
      asset: item.collection,
      value: anchor.value,
      nft_transfer_data: { query_id: query ?? null, nft_item_index: item.index },
    })
    return { type: 'dns_release', failed: anchor.node.failed, columns }
  },
}

export { changeRecord as dnsRecord, purchase as dnsPurchase, release as dnsRelease }
