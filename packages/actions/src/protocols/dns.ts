// TON DNS: records of a domain, its auction's end, its release.
import type { Slice } from '@shardwalk/cells'
import { attempt, bodyAfterQuery, bodyWithQuery, loadAddress } from '../body.ts'
import { decodeText } from '../core/comment.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { anyCall, call, maybe, over, under } from '../core/pattern.ts'
import { factsOf, isDnsItem } from '../facts.ts'
import type { Columns } from '../row.ts'

const CHANGE_RECORD = 0x4eb1f0f9
const BOUNCE = 0xffffffff
const FILL_UP = 0x370fec51
const RELEASE = 0x4ed14b65

interface RecordValue {
  readonly value_schema: string
  readonly value: string | null
  readonly flags: number | null
}

const hex256 = (slice: Slice): string => slice.loadBytes(32).toString('hex')

/** `chunks:8`, per chunk `len:8` and bytes; the next chunk stands in a reference. Source: block.tlb `TextChunks`. */
function readText(slice: Slice): string {
  const parts: Buffer[] = []
  let chunk = slice
  for (let left = chunk.loadUint(8); left > 0; left--) {
    parts.push(chunk.loadBytes(chunk.loadUint(8)))
    if (left > 1) chunk = chunk.loadRefSlice()
  }
  return decodeText(Buffer.concat(parts))
}

/** TL-B `DNSRecord`, by its 16-bit tag. */
function readRecord(slice: Slice): RecordValue {
  switch (slice.loadUint(16)) {
    case 0xba93:
      return { value_schema: 'DNSNextResolver', value: loadAddress(slice), flags: null }
    case 0xad01:
      return { value_schema: 'DNSAdnlAddress', value: hex256(slice), flags: slice.loadUint(8) }
    case 0x9fd3:
      return { value_schema: 'DNSSmcAddress', value: loadAddress(slice), flags: slice.loadUint(8) }
    case 0x7473:
      return { value_schema: 'DNSStorageAddress', value: hex256(slice), flags: null }
    case 0x1eda:
      return { value_schema: 'DNSText', value: readText(slice), flags: null }
    default:
      return UNKNOWN_RECORD
  }
}

const UNKNOWN_RECORD: RecordValue = { value_schema: 'Unknown', value: null, flags: null }

const changeRecord: Matcher = {
  name: 'dns_record',
  anchors: [CHANGE_RECORD],
  pattern: over(call(CHANGE_RECORD), maybe(call(BOUNCE))),
  build({ anchor, facts }) {
    const body = bodyAfterQuery(anchor)
    const key = hex256(body)
    const value =
      body.remainingRefs > 0 ? (attempt(() => readRecord(body.loadRefSlice())) ?? UNKNOWN_RECORD) : undefined
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

/** The item pays the auction's proceeds out when the winner settles it. */
const purchase: Matcher = {
  name: 'dns_purchase',
  anchors: [FILL_UP],
  pattern: under(call(FILL_UP), anyCall),
  build({ anchor, facts }) {
    const item = factsOf(facts, anchor.source).nftItem
    if (!isDnsItem(item)) return undefined
    const buyer = anchor.previous?.source ?? null
    const query = attempt(() => bodyWithQuery(anchor).queryId)
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
  anchors: [RELEASE],
  pattern: call(RELEASE),
  build({ anchor, facts }) {
    const item = factsOf(facts, anchor.destination).nftItem
    if (!isDnsItem(item)) return undefined
    const query = attempt(() => bodyWithQuery(anchor).queryId)
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
