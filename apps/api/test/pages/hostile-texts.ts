/** What strangers may write as a name, symbol, domain or comment, by what it tries. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  script: '<script>alert(1)</script>',
  'end of an attribute': '"><img src=x onerror=alert(1)>',
  'end of a single-quoted attribute': "' onmouseover='alert(1)",
  'end of the title': '</title><svg onload=alert(1)>',
  'script URL': 'javascript:alert(1)',
  'data URL': 'data:text/html,<script>alert(1)</script>',
  megabyte: 'A'.repeat(1_000_000),
  'many marks': `Z${'\u0301'.repeat(10_000)}`,
  'other direction': 'photo\u202egpj.exe',
  'zero width': 'US\u200bDT',
  'look-alike letter': 'USDТ',
  tags: 'USDT\u{e0041}\u{e0042}',
  terminal: '\u001b[2J\u009b31mred',
  formula: '=HYPERLINK("http://evil.example","click")',
  'long word': 'Ж'.repeat(3000),
  picture: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
}

/** Texts in replies that are not written by strangers: numbers, hashes, addresses, words of ours. */
const OURS = new RegExp(
  String.raw`^(-?\d+|-?\d+:[0-9A-Fa-f]{64}|[A-Za-z0-9+/_-]{43}=|[A-Za-z0-9_-]{48}|[0-9a-fA-F]{16}|` +
    '[0-9A-Fa-f]{64}|te6cc[A-Za-z0-9+/=]*)$',
)
const WORDS_OF_OURS = new Set([
  ...['type', 'status', 'orig_status', 'end_status', 'status_change', 'trace_state', 'classification_state'],
  ...['finality', 'reason', 'mode', 'decoded_opcode', 'opcode', 'wallet_type'],
])

/** The reply with every text of strangers replaced, and with one wherever there may be one. */
export function poisoned<T>(reply: T, text: string, decimals = '9'): T {
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return WORDS_OF_OURS.has(key) || OURS.test(value) ? value : text
    if (Array.isArray(value)) return value.map((item) => walk(item, key))
    if (typeof value !== 'object' || value === null) return key === 'domain' ? text : value
    const entries = Object.entries(value).map(([name, item]) => [name, walk(item, name)] as const)
    return { ...Object.fromEntries(entries), ...additions(key, value) }
  }
  const additions = (key: string, value: object): object => {
    if ('msg_data' in value || 'message_content' in value)
      return {
        message_content: { hash: null, body: null, decoded: { comment: text, [text.slice(0, 99)]: text } },
      }
    if (key === 'token_info')
      return { name: text, symbol: text, description: text, image: text, extra: { decimals, uri: text } }
    return key === 'details' ? { comment: text } : {}
  }
  return walk(reply, '') as T
}
