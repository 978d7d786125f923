import type { V3Client } from '@shardwalk/client'

export interface Holding {
  readonly jetton: string
  readonly symbol: string | undefined
  /** With the decimal point where the jetton has it. */
  readonly balance: string
}

/** What jettons an account holds. */
export async function jettonPortfolio(client: V3Client, owner: string): Promise<Holding[]> {
  const holdings: Holding[] = []
  const query = { owner_address: owner, exclude_zero_balance: true }
  for await (const { reply, rows } of client.pages('jetton/wallets', query))
    for (const { jetton, balance } of rows) {
      const master = reply.metadata[jetton]?.token_info.find(({ type }) => type === 'jetton_masters')
      const decimals = Number(master?.extra?.['decimals'] ?? 9)
      holdings.push({ jetton, symbol: master?.symbol, balance: withPoint(balance, decimals) })
    }
  return holdings
}

function withPoint(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
