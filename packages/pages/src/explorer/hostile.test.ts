import { expect, test } from 'vitest'
import { type AccountView, accountDocument, type Frame, joinNames } from '../index.ts'

const FRAME: Frame = {
  assets: { style: '/s', script: '/j', theme: '/t', icon: '/i', events: '/e' },
  network: 'sample',
  version: '1',
  testOnly: false,
  hasExplorer: true,
}
const RAW = `0:${'AB'.repeat(32)}`
const HASH = Buffer.alloc(32, 7).toString('base64')

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'A'.repeat(1_000_000),
  `Z${'\u0301'.repeat(10_000)}`,
  'photo\u202egpj.exe',
  'US\u200bDT',
  '</title><svg onload=alert(1)>',
  '=HYPERLINK("http://evil")',
]

function viewOf(text: string, decimals: string): AccountView {
  const info = { type: 'jetton_masters', name: text, symbol: text, description: text, image: text }
  const names = joinNames(false, [
    {
      address_book: { [RAW]: { user_friendly: null, domain: text, interfaces: [text] } },
      metadata: { [RAW]: { is_indexed: true, token_info: [{ ...info, extra: { decimals, uri: text } }] } },
    },
  ])
  const details = {
    source: RAW,
    destination: RAW,
    amount: '9'.repeat(77),
    asset: RAW,
    comment: text,
    value: text,
  }
  const action = {
    action_id: HASH,
    trace_id: HASH,
    type: 'jetton_transfer',
    success: true,
    end_utime: 1,
    details,
  }
  return {
    address: RAW,
    account: { address: RAW, status: 'active', balance: '1', interfaces: [text] },
    jetton: { address: RAW, total_supply: '9'.repeat(77), mintable: true, admin_address: RAW },
    domains: [{ domain: text, nft_item_address: RAW }],
    tabs: ['actions'],
    rows: { tab: 'actions', list: { rows: [action] } },
    pager: { here: '/address/x', isFirst: true, sort: 'desc', json: '/api/v3/actions' },
    names,
  } as unknown as AccountView
}

test.each(HOSTILE.map((text) => [text.slice(0, 30), text]))(
  '%j is text wherever it appears',
  (_start, text) => {
    for (const decimals of ['9', '255', '-1', '1e9', 'x']) {
      const html = accountDocument(FRAME, viewOf(text, decimals))
      const tags = html.match(/<[^>]*>/g)!.join('')
      expect(tags).not.toMatch(/<script(?! src="\/[jt]")|<img|<svg onload|\son\w+=/i)
      expect(html).not.toMatch(/(href|src)="(javascript|data|https?):/i)
      expect(html).not.toMatch(/\p{M}{5}|[\u202a-\u202e\u200b]/u)
      expect(html.length).toBeLessThan(150_000)
    }
  },
)
